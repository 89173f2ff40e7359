//! A sender in front of the channels from one caller instance to all instances of a callee.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use http::HeaderValue;

use super::{Reply, Send as Say, Sender};
use crate::{
    wire::{self, Answer, Answering, Call, Ending, Exchange, Link, Request, Withheld},
    world::World,
};

/// One channel of the caller's side of a peer in a run; all channels to a callee share their sender.
///
/// The sender is asked when the call is first polled. A call that is dropped before its answer was given up.
/// A request without a [`Call`] is none of the run's and is sent as it is.
pub struct PeerCaller<S> {
    shared: Arc<Shared<S>>,
    channel: Link,
    instance: usize,
}

struct Shared<S> {
    world: World,
    sender: Mutex<S>,
}

/// A call that was sent; dropped, it was given up.
struct Flight<S: Sender> {
    shared: Arc<Shared<S>>,
    call: Call,
    instance: usize,
    began: Duration,
    over: bool,
}

// === impl PeerCaller ===

impl<S: Sender + 'static> PeerCaller<S> {
    /// Puts a sender in front of channels, in their order.
    #[must_use]
    pub fn links(world: &World, sender: S, channels: Vec<Link>) -> Vec<Link> {
        let shared = Arc::new(Shared {
            world: world.clone(),
            sender: Mutex::new(sender),
        });
        let channels = channels.into_iter().enumerate();
        let link = |(instance, channel)| -> Link {
            Arc::new(Self {
                shared: Arc::clone(&shared),
                channel,
                instance,
            })
        };
        channels.map(link).collect()
    }
}

impl<S: Sender + 'static> Exchange for PeerCaller<S> {
    fn send(&self, request: Request) -> Answering {
        let Some(&call) = request.extensions().get::<Call>() else {
            return self.channel.send(request);
        };
        let (shared, channel) = (Arc::clone(&self.shared), Arc::clone(&self.channel));
        Box::pin(carry(shared, channel, self.instance, call, request))
    }

    fn load(&self) -> u64 {
        self.channel.load()
    }
}

impl<S> fmt::Debug for PeerCaller<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeerCaller")
            .field("instance", &self.instance)
            .finish_non_exhaustive()
    }
}

async fn carry<S: Sender>(
    shared: Arc<Shared<S>>,
    channel: Link,
    instance: usize,
    call: Call,
    mut request: Request,
) -> Answer {
    let asked = |sender: &mut S, now| (now, sender.send(now, &call, instance));
    let (began, Say::Go(ask)) = shared.with(asked) else {
        return Err(Withheld.into());
    };
    // A peer that asks what no header can carry asks nothing.
    if let Some(ask) = ask.and_then(|ask| HeaderValue::try_from(ask).ok()) {
        request.headers_mut().insert(wire::ASK, ask);
    }
    let flight = Flight {
        shared,
        call,
        instance,
        began,
        over: false,
    };
    let answer = channel.send(request).await;
    flight.end(&answer);
    answer
}

// === impl Shared ===

impl<S> Shared<S> {
    /// Asks or tells the sender. The time is read under the lock, so that for the sender it never goes back.
    fn with<R>(&self, act: impl FnOnce(&mut S, Duration) -> R) -> R {
        let mut sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        act(&mut sender, self.world.now())
    }
}

// === impl Flight ===

impl<S: Sender> Flight<S> {
    fn end(mut self, answer: &Answer) {
        self.over = true;
        let told = answer
            .as_ref()
            .ok()
            .and_then(|response| response.headers().get(wire::TOLD));
        let (ending, told) = (Ending::of(answer), told.and_then(|told| told.to_str().ok()));
        self.shared.with(|sender, now| {
            let reply = Reply {
                ending,
                told: told.map(Into::into),
                took: now.saturating_sub(self.began),
            };
            sender.heard(now, &self.call, self.instance, &reply);
        });
    }
}

impl<S: Sender> Drop for Flight<S> {
    fn drop(&mut self) {
        if !self.over {
            let (call, instance) = (self.call, self.instance);
            self.shared
                .with(|sender, now| sender.gave_up(now, &call, instance));
        }
    }
}
