//! A gatekeeper in front of the work of one instance.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use http::HeaderValue;
use tokio::sync::oneshot;

use super::{
    Arrival, Gatekeeper,
    line::{Entry, Line, Spot, Turn},
};
use crate::{
    policy::Place,
    wire::{self, Answer, Answering, Call, Ending, Exchange, Link, Request},
    world::World,
};

/// The callee's side of a peer in a run: a line, slots, and the gatekeeper that decides.
///
/// A request that is given up while it waits leaves the line; one that is given up while it is worked on frees
/// its slot, and the work behind keeps its worker for as long as it takes. A request whose deadline has passed is
/// refused when its turn comes, whatever the peer: deadlines travel with calls, so all of them may know.
/// A request without a [`Call`] is none of the run's (a probe) and goes to the work as it is.
pub struct PeerServer<G>(Arc<Shared<G>>);

struct Shared<G> {
    world: World,
    work: Link,
    line: Mutex<Line<G, oneshot::Sender<Turn>>>,
}

/// A request that waits; dropped, it leaves the line, or gives back the slot that it was just given.
struct Waiter<G: Gatekeeper> {
    shared: Arc<Shared<G>>,
    spot: Spot,
    turn: oneshot::Receiver<Turn>,
    called: bool,
}

/// A request that has a slot; dropped, it gives it back.
struct Runner<G: Gatekeeper> {
    shared: Arc<Shared<G>>,
    request: Option<Arrival>,
    began: Duration,
}

/// The shortest time between two ticks, so that a period of zero does not stop the time.
const SHORTEST_TICK: Duration = Duration::from_micros(1);

// === impl PeerServer ===

impl<G: Gatekeeper + 'static> PeerServer<G> {
    /// Puts a gatekeeper in front of the work of an instance. Its ticks come until the last clone of the server and
    /// of the answers under way are gone; the first comes after a random part of the period, so that instances do
    /// not step in time.
    #[must_use]
    pub fn new(place: &Place<'_>, gatekeeper: G, work: Link) -> Self {
        let period = gatekeeper.period();
        let shared = Arc::new(Shared {
            world: place.world.clone(),
            work,
            line: Mutex::new(Line::new(gatekeeper)),
        });
        if let Some(period) = period {
            let first = period.mul_f64(place.chance("tick").unit());
            let ticks = tick(place.world.clone(), Arc::downgrade(&shared), first);
            place.world.spawn(ticks);
        }
        Self(shared)
    }

    /// Returns what reads how open the gatekeeper is; 1 when the instance is gone. It does not keep it.
    #[must_use]
    pub fn level(&self) -> Box<dyn Fn() -> f64 + Send + Sync> {
        let shared = Arc::downgrade(&self.0);
        Box::new(move || {
            shared
                .upgrade()
                .map_or(1.0, |shared| shared.lock().gate().level())
        })
    }
}

async fn tick<G: Gatekeeper>(world: World, shared: Weak<Shared<G>>, first: Duration) {
    world.sleep(first).await;
    while let Some(period) = shared.upgrade().and_then(|shared| shared.tick()) {
        world.sleep(period.max(SHORTEST_TICK)).await;
    }
}

impl<G: Gatekeeper + 'static> Exchange for PeerServer<G> {
    fn send(&self, request: Request) -> Answering {
        match request.extensions().get::<Call>() {
            Some(&call) => Box::pin(serve(Arc::clone(&self.0), call, request)),
            None => self.0.work.send(request),
        }
    }
}

impl<G> Clone for PeerServer<G> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<G> fmt::Debug for PeerServer<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeerServer").finish_non_exhaustive()
    }
}

async fn serve<G: Gatekeeper>(shared: Arc<Shared<G>>, call: Call, request: Request) -> Answer {
    let ask = request.headers().get(wire::ASK);
    let ask = ask.and_then(|ask| ask.to_str().ok()).map(Into::into);
    let turn = match Waiter::join(&shared, call, ask) {
        Ok(waiter) => waiter.turn().await,
        Err(turn) => turn,
    };
    match turn {
        Turn::Begin(arrival, began) => {
            let runner = Runner {
                shared: Arc::clone(&shared),
                request: Some(arrival),
                began,
            };
            let answer = shared.work.send(request).await;
            let told = runner.end(Ending::of(&answer) == Ending::Served);
            answer.map(|response| with(response, told))
        }
        Turn::Refused(told) => Ok(with(wire::refuse(), told)),
    }
}

/// Puts what the gatekeeper tells into the response.
fn with(mut response: wire::Response, told: Option<String>) -> wire::Response {
    // A peer that tells what no header can carry tells nothing.
    if let Some(told) = told.and_then(|told| HeaderValue::try_from(told).ok()) {
        response.headers_mut().insert(wire::TOLD, told);
    }
    response
}

// === impl Shared ===

impl<G: Gatekeeper> Shared<G> {
    fn lock(&self) -> MutexGuard<'_, Line<G, oneshot::Sender<Turn>>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something to the line and tells those whose turn it then is. The time is read under the lock, so
    /// that for the gatekeeper it never goes back.
    fn with<R>(&self, act: impl FnOnce(&mut Line<G, oneshot::Sender<Turn>>, Duration) -> R) -> R {
        let mut line = self.lock();
        let done = act(&mut line, self.world.now());
        for (ticket, turn) in line.turns() {
            // Somebody who stopped listening left the line first, under the same lock; it is not called.
            drop(ticket.send(turn));
        }
        done
    }

    fn finish(&self, request: &Arrival, began: Duration, served: bool) -> Option<String> {
        self.with(|line, now| line.finish(now, request, began, served))
    }

    /// Ticks; returns when the next one is due.
    fn tick(&self) -> Option<Duration> {
        self.with(|line, now| {
            line.tick(now);
            line.gate().period()
        })
    }
}

// === impl Waiter ===

impl<G: Gatekeeper> Waiter<G> {
    /// Returns the place in the line, or what is said at once.
    fn join(shared: &Arc<Shared<G>>, call: Call, ask: Option<String>) -> Result<Self, Turn> {
        shared.with(
            |line, at| match line.arrive(at, Arrival { call, at, ask }) {
                Entry::Now(turn) => Err(turn),
                Entry::Wait(number, request) => {
                    let (ticket, turn) = oneshot::channel();
                    Ok(Self {
                        spot: line.wait(at, number, request, ticket),
                        shared: Arc::clone(shared),
                        turn,
                        called: false,
                    })
                }
            },
        )
    }

    async fn turn(mut self) -> Turn {
        let turn = (&mut self.turn).await;
        self.called = true;
        // The line answers before it drops the other end, unless the run is being taken down.
        turn.unwrap_or(Turn::Refused(None))
    }
}

impl<G: Gatekeeper> Drop for Waiter<G> {
    fn drop(&mut self) {
        if self.called {
            return;
        }
        if !self.shared.lock().leave(self.spot)
            && let Ok(Turn::Begin(request, began)) = self.turn.try_recv()
        {
            self.shared.finish(&request, began, false);
        }
    }
}

// === impl Runner ===

impl<G: Gatekeeper> Runner<G> {
    fn end(mut self, served: bool) -> Option<String> {
        let request = self.request.take()?;
        self.shared.finish(&request, self.began, served)
    }
}

impl<G: Gatekeeper> Drop for Runner<G> {
    fn drop(&mut self) {
        if let Some(request) = self.request.take() {
            self.shared.finish(&request, self.began, false);
        }
    }
}
