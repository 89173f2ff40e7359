//! The gate: a bounded number of permits, and a wait in front of them ordered by importance.
//!
//! # Why a gate
//!
//! tokio starts every request at once. Without permits there is no queue of our own, so there is neither
//! an order nor a signal; the queue is in the sockets and the run queue, where nothing can be chosen. The
//! gate is where queueing must happen, because only here it can be ordered and bounded. It holds the
//! first hundred milliseconds of an overload alone; the level then moves the refusals to the callers.
//!
//! # Who goes first
//!
//! Business, then tasks in progress, then user, then arrival. A request that finds the queue full
//! takes the place of the worst one if it is better. Nobody waits longer than the longest wait (five
//! thresholds) or past its own deadline; those are answered, not forgotten.
//!
//! # How a permit is handed on
//!
//! With the grant, under the lock, so that no latecomer can take it; and deferred, see [`release`].
//!
//! # How long the queue may be
//!
//! Twice the threshold worth of work, from the interval between starts measured while somebody waits.
//! Before anything was measured, 256: a cold start sheds nothing by guesswork.

mod core;
mod hand;
mod limit;
mod meter;
mod permit;
mod queue;
mod release;

use std::{
    num::NonZeroUsize,
    sync::{
        Arc, OnceLock, Weak,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    task::Waker,
    time::Duration,
};

use tokio::runtime::{self, Handle};

pub use self::hand::Due;
pub(crate) use self::{
    core::Ticket,
    meter::Metered,
    permit::{Acquire, Answer, Permit},
};
use self::{
    core::{Asked, Core, Dispatcher, Wakes},
    hand::Rouse,
    limit::Limit,
};
use crate::{
    clock::{Clock, nanos},
    config::Concurrency,
    error::Reason,
    observe::Advice,
    sync::{Mutex, lock},
};

/// What the gate tells its owner.
pub(crate) trait Owner: Send + Sync {
    /// Some time passed; `stopped` is set if the process stood still meanwhile. Returns whether there is
    /// nothing left that must happen by time alone.
    fn tick(&self, now: Duration, stopped: Option<Duration>) -> bool;

    /// Something an operator should know.
    fn advise(&self, advice: Advice);

    /// The requests run on this runtime.
    fn started_on(&self, runtime: &Handle);
}

/// Permits and the wait for them; shared by everything that serves one service.
pub(crate) struct Gate {
    core: Mutex<Core>,
    /// Wakes the dispatcher.
    rouse: Rouse,
    clock: Clock,
    owner: OnceLock<Weak<dyn Owner>>,
    /// The runtime of the dispatcher, 0 while there is none.
    home: AtomicU64,
    /// Whether a grant is followed by a yield, because no dispatcher lets the others run first, or it does
    /// not help. Written by the dispatcher's start and end and by the owner, read with every grant.
    yields: AtomicBool,
    /// How many dispatchers ended before the gate.
    losses: AtomicU32,
}

/// Queue bound before a drain rate was measured.
const COLD_BOUND: usize = 256;

/// One request in so many is checked to come from the dispatcher's runtime, and each that must wait. A
/// prime, so that requests of two runtimes that take turns are both looked at.
const CHECK_EVERY: u32 = 61;

impl Gate {
    pub(crate) fn new(
        concurrency: &Concurrency,
        clock: Clock,
        longest_wait: Duration,
        by_hand: Option<Arc<dyn Fn() + Send + Sync>>,
    ) -> Arc<Self> {
        let workers = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let limit = Limit::new(concurrency, workers);
        let mut core = Core::new(limit, workers, COLD_BOUND, nanos(longest_wait));
        let rouse = by_hand.map_or_else(|| Rouse::Task(Arc::default()), Rouse::by_hand);
        if rouse.is_by_hand() {
            core.dispatcher = Dispatcher::Asleep;
        }
        Arc::new(Self {
            core: Mutex::new(core),
            rouse,
            clock,
            owner: OnceLock::new(),
            home: AtomicU64::new(0),
            yields: AtomicBool::new(false),
            losses: AtomicU32::new(0),
        })
    }

    /// Sets whom to tell, once.
    pub(crate) fn set_owner(&self, owner: Weak<dyn Owner>) {
        // A second owner would be a bug of this crate; the first one stays.
        drop(self.owner.set(owner));
    }

    /// Asks for a permit at `now`.
    pub(crate) fn acquire(self: &Arc<Self>, ticket: &Ticket, now: Duration) -> Answer {
        let mut wakes = Wakes::new();
        let mut core = lock(&self.core);
        let asked = core.ask(ticket, nanos(now), &mut wakes);
        let dispatcher = core.dispatcher;
        if dispatcher == Dispatcher::Asleep {
            core.dispatcher = Dispatcher::Ticking;
        }
        let check = core.count_asked().is_multiple_of(CHECK_EVERY);
        drop(core);
        wake(wakes);
        match dispatcher {
            Dispatcher::Absent => self.start_dispatcher(),
            Dispatcher::Asleep => self.rouse.rouse(),
            Dispatcher::Impossible | Dispatcher::Ticking | Dispatcher::Letting => {}
        }
        let waits = matches!(asked, Asked::Queued(_));
        if (check || waits) && dispatcher != Dispatcher::Absent {
            self.check_runtime(waits);
        }
        match asked {
            Asked::Started if self.yields() => {
                let permit = Permit::new(Arc::clone(self));
                Answer::Wait(Acquire::yielding(permit, Duration::ZERO))
            }
            Asked::Started => Answer::Granted(Permit::new(Arc::clone(self))),
            Asked::Queued(seat) => Answer::Wait(Acquire::waiting(Arc::clone(self), seat)),
            Asked::Refused(reason) => Answer::Refused(reason),
        }
    }

    /// Replaces the limit if it is another one; whoever may start now is granted at once, and woken by what
    /// is returned.
    #[must_use = "those granted wait to be woken"]
    pub(crate) fn set_concurrency(&self, concurrency: &Concurrency) -> impl FnOnce() + use<> {
        let (now, mut wakes) = (self.now(), Wakes::new());
        let mut core = lock(&self.core);
        // What an adaptive limit has found is worth keeping.
        if !core.limit.follows(concurrency) {
            core.limit = Limit::new(concurrency, core.workers);
            core.grant(now, &mut wakes);
        }
        drop(core);
        move || wake(wakes)
    }

    /// Bounds the queue to `threshold` twice over, and the wait.
    pub(crate) fn set_bounds(&self, threshold: Duration, slot: Duration, longest_wait: Duration) {
        let bound = if slot.is_zero() {
            COLD_BOUND
        } else {
            let bound = (2 * threshold).as_nanos().div_ceil(slot.as_nanos());
            usize::try_from(bound).unwrap_or(usize::MAX).clamp(8, 4096)
        };
        lock(&self.core).set_bounds(bound, nanos(longest_wait));
    }

    /// Returns what the window saw and begins the next.
    pub(crate) fn take_window(&self, now: Duration) -> Metered {
        lock(&self.core).take_window(nanos(now))
    }

    /// Returns whether nobody waited since the last window was taken.
    pub(crate) fn is_calm(&self) -> bool {
        let core = lock(&self.core);
        core.waiting() == 0 && core.meter.is_calm()
    }

    /// Returns how many wait, how many run, and the permits.
    pub(crate) fn load(&self) -> (usize, usize, usize) {
        let core = lock(&self.core);
        (core.waiting(), core.running(), core.limit.permits())
    }

    fn release(self: &Arc<Self>, served: bool) {
        let mut wakes = Wakes::new();
        let mut core = lock(&self.core);
        if served {
            core.meter.served();
        }
        let mut rouse = false;
        match core.dispatcher {
            _ if core.limit.is_unlimited() => core.forget(),
            _ if self.yields() => core.release(self.now(), &mut wakes),
            Dispatcher::Absent | Dispatcher::Impossible => {
                core.release(self.now(), &mut wakes);
            }
            Dispatcher::Asleep | Dispatcher::Ticking => {
                core.cool();
                core.dispatcher = Dispatcher::Letting;
                rouse = true;
            }
            Dispatcher::Letting => core.cool(),
        }
        drop(core);
        if rouse {
            self.rouse.rouse();
        }
        wake(wakes);
    }

    fn look(&self, seat: u32, waker: &Waker) -> Option<Result<Duration, Reason>> {
        // Dropped after unlocking.
        let mut was = None;
        let now = self.now();
        let looked = lock(&self.core).look(seat, waker, &mut was, now)?;
        Some(looked.map(Duration::from_nanos))
    }

    fn abandon(&self, seat: u32) -> bool {
        // Dropped after unlocking.
        let mut was = None;
        let now = self.now();
        lock(&self.core).abandon(seat, &mut was, now)
    }

    fn now(&self) -> u64 {
        nanos(self.clock.now())
    }

    fn yields(&self) -> bool {
        self.yields.load(Ordering::Relaxed)
    }

    /// From now on grants are followed by a yield; returns whether that is new.
    fn set_yields(&self) -> bool {
        !self.yields.swap(true, Ordering::Relaxed)
    }

    fn set_home(&self, runtime: runtime::Id) {
        self.home.store(fingerprint(runtime), Ordering::Relaxed);
        self.yields.store(false, Ordering::Relaxed);
    }

    /// The dispatcher lets only its own runtime's tasks run; requests of another one must yield. Nor may they
    /// wait for it: nobody may be driving that runtime any more.
    ///
    /// One from outside of any runtime that must wait is as strange: if it is the only one, nobody may be
    /// driving the dispatcher's.
    fn check_runtime(&self, waits: bool) {
        if self.rouse.is_by_hand() {
            return;
        }
        let home = self.home.load(Ordering::Relaxed);
        let foreign = Handle::try_current().map_or(waits, |here| fingerprint(here.id()) != home);
        if foreign && self.set_yields() {
            self.settle();
            self.advise(Advice::NoDispatcher {
                cause: "requests come from outside of the dispatcher's runtime",
            });
        }
    }

    /// Lets the others run after each grant too, because requests wait where the dispatcher cannot see them.
    ///
    /// With `event_interval(1)` its two turns are over before the connections had theirs; a yield of the
    /// granted request brings them in (measured on HTTP/1: 300 requests a second instead of 28).
    pub(crate) fn fall_back(&self) {
        self.set_yields();
    }

    fn losses(&self) -> u32 {
        self.losses.load(Ordering::Relaxed)
    }

    /// A dispatcher that lives to tick makes up for those before it.
    fn forget_losses(&self) {
        if self.losses() > 0 {
            self.losses.store(0, Ordering::Relaxed);
        }
    }

    fn count_loss(&self) -> u32 {
        self.losses.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn tick(&self, now: Duration, stopped: Option<Duration>) -> bool {
        self.owner
            .get()
            .and_then(Weak::upgrade)
            .is_none_or(|owner| owner.tick(now, stopped))
    }

    fn advise(&self, advice: Advice) {
        if let Some(owner) = self.owner.get().and_then(Weak::upgrade) {
            owner.advise(advice);
        }
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        if let Rouse::Task(signal) = &self.rouse {
            signal.notify_one();
        }
    }
}

impl std::fmt::Debug for Gate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (waiting, running, permits) = self.load();
        f.debug_struct("Gate")
            .field("waiting", &waiting)
            .field("running", &running)
            .field("permits", &permits)
            .finish_non_exhaustive()
    }
}

/// Wakes the best last: on tokio the last one woken runs first.
fn wake(wakes: Wakes) {
    if wakes.is_empty() {
        return;
    }
    for waker in wakes.into_iter().rev() {
        waker.wake();
    }
}

/// Returns a number that tells this runtime from others.
fn fingerprint(runtime: runtime::Id) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    runtime.hash(&mut hasher);
    hasher.finish()
}

#[cfg(not(dagor_loom))]
#[cfg(test)]
mod tests;
