//! The handlers that run: one for each identity, and no more than may run at once.
//!
//! WeCom sends an event again when it has waited for 5 s, while the handler of the first copy may still be at
//! it. A second handler would not be faster, and four of them for each event fill all places when the store hangs.
//! So a copy joins the handler that runs: it takes no place, and is answered by what becomes of that one.
//!
//! An event is in the table from before its handler begins until it is remembered, or has failed; both change
//! under one lock. So a copy finds it in the table or in the memory, and none slips through between the two.
//!
//! To be in the table *is* to have a place. So a place cannot be left behind: it is given back by a guard that the
//! handler's task owns, whether the handler ends, panics, takes too long, or goes down with its runtime.

use std::{
    collections::HashMap,
    num::NonZeroU32,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::watch;

use super::{
    delivery::Delivery,
    identity::Identity,
    receiver::Receiver,
    watch::{Ended, Watch},
};

/// The handlers that run at one address.
pub(super) struct Running {
    receiver: Receiver,
    watch: Arc<Watch>,
    /// How many may run.
    most: NonZeroU32,
    /// Put in by the first copy of an event, taken out by its [`Run`]; looked up by all copies.
    table: Mutex<HashMap<Identity, watch::Sender<Option<Ended>>>>,
}

/// What a delivery finds.
pub(super) enum Entered {
    /// No handler runs for it: this one is to be started.
    First(Run, Waiter),
    /// Its handler runs already.
    Joined(Waiter),
    /// There is no place for it.
    Full,
}

/// A handler's place; gives it back when dropped.
pub(super) struct Run {
    running: Arc<Running>,
    identity: Identity,
    ended: Ended,
}

/// Waits for the end of a handler.
pub(super) struct Waiter(watch::Receiver<Option<Ended>>);

/// How many wait for one handler at once. WeCom sends an event at most four times, and each waits for the
/// deadline at most; what is more is somebody's who has recorded one and sends it over and over.
const MOST_WAITERS: usize = 8;

// === impl Running ===

impl Running {
    pub(super) fn new(receiver: Receiver, watch: Arc<Watch>, most: NonZeroU32) -> Self {
        Self {
            receiver,
            watch,
            most,
            table: Mutex::default(),
        }
    }

    /// Takes a place, or joins the handler that has one for the same event. Marks a delivery that has become
    /// durable since it was read.
    pub(super) fn enter(self: &Arc<Self>, delivery: &mut Delivery) -> Entered {
        let most = usize::try_from(self.most.get()).unwrap_or(usize::MAX);
        let identity = delivery.identity;
        self.with(|table| {
            if let Some(ended) = table.get(&identity) {
                return if ended.receiver_count() < MOST_WAITERS {
                    Entered::Joined(Waiter(ended.subscribe()))
                } else {
                    Entered::Full
                };
            }
            if table.len() >= most {
                return Entered::Full;
            }
            delivery.seen_before |= self.receiver.knows(&identity);
            let (told, waiter) = watch::channel(None);
            table.insert(identity, told);
            let run = Run {
                running: Arc::clone(self),
                identity,
                ended: Ended::Broken,
            };
            Entered::First(run, Waiter(waiter))
        })
    }

    fn with<T>(
        &self,
        run: impl FnOnce(&mut HashMap<Identity, watch::Sender<Option<Ended>>>) -> T,
    ) -> T {
        // Whatever panics in `run`, the table is whole.
        run(&mut self.table.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

// === impl Run ===

impl Run {
    /// Remembers the event if it is durable, gives the place back and tells who waits.
    pub(super) fn end(mut self, ended: Ended) {
        self.ended = ended;
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let Self {
            running,
            identity,
            ended,
        } = self;
        let told = running.with(|table| {
            if *ended == Ended::Durable {
                running.receiver.remember(*identity);
            }
            table.remove(identity)
        });
        running.watch.handler_ended(*ended);
        // Last: whoever is told finds the place free.
        if let Some(told) = told {
            told.send_replace(Some(*ended));
        }
    }
}

// === impl Waiter ===

impl Waiter {
    pub(super) async fn ended(mut self) -> Ended {
        let told = self.0.wait_for(Option::is_some).await;
        // Told always, by the guard; what is not durable for sure is not.
        told.ok().and_then(|ended| *ended).unwrap_or(Ended::Broken)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{super::keys::Keys, *};

    const NOW: u64 = 1_409_659_813;

    fn receiver() -> Receiver {
        let key = "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C";
        let keys = Keys::new("QDG6eK", key, "wx5823bf96d3bd56c7").expect("valid keys");
        let clock = crate::Clock::set_to(Duration::from_secs(NOW));
        let builder = Receiver::builder(keys).clock(clock);
        builder.build().expect("valid settings")
    }

    fn deliveries(receiver: &Receiver, count: u32) -> Vec<Delivery> {
        let key = "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C";
        let keys = Keys::new("QDG6eK", key, "wx5823bf96d3bd56c7").expect("valid keys");
        let delivery = |number| {
            let message = format!(
                "<xml><ToUserName>wx5823bf96d3bd56c7</ToUserName><N>{number}</N>\
                 <MsgType>event</MsgType><Event>x</Event></xml>"
            );
            let sealed = keys.seal(message.as_bytes(), NOW);
            let body = sealed.callback_body("wx5823bf96d3bd56c7", "1");
            let delivery = receiver.receive(&sealed.query(), body.as_bytes());
            delivery.expect("a good callback")
        };
        (0..count).map(delivery).collect()
    }

    fn running(receiver: &Receiver) -> Arc<Running> {
        let watch = Arc::new(Watch::new(receiver));
        Arc::new(Running::new(receiver.clone(), watch, NonZeroU32::MIN))
    }

    #[test]
    fn what_became_durable_since_it_was_read_is_marked() {
        let receiver = receiver();
        let mut delivery = deliveries(&receiver, 1).remove(0);
        let mut copy = delivery.clone();
        let running = running(&receiver);
        let Entered::First(run, _) = running.enter(&mut delivery) else {
            panic!("nothing runs");
        };
        assert!(!delivery.seen_before);
        assert!(matches!(running.enter(&mut copy), Entered::Joined(_)));
        run.end(Ended::Durable);
        assert!(matches!(running.enter(&mut copy), Entered::First(..)));
        assert!(copy.seen_before);
    }

    #[test]
    fn no_copy_slips_through_between_running_and_remembered() {
        let receiver = receiver();
        let running = running(&receiver);
        for mut delivery in deliveries(&receiver, 500) {
            let mut copy = delivery.clone();
            let Entered::First(run, _) = running.enter(&mut delivery) else {
                panic!("nothing runs");
            };
            std::thread::scope(|scope| {
                scope.spawn(|| run.end(Ended::Durable));
                while !matches!(running.enter(&mut copy), Entered::First(..)) {}
            });
            assert!(copy.seen_before);
        }
    }
}
