//! Tasks and timers in virtual time, on one thread.
//!
//! An [`Executor`] polls what is ready, in the order in which it became ready. When nothing is, it runs what
//! waits for just that ([`Handle::settle`]); when that made nothing ready either, time jumps to the next
//! timer. Timers fire in the order of their times, those of one time in the order in which they were
//! registered: at their first poll. So a run is the same whenever it is repeated.
//!
//! The state that tasks reach through a [`Handle`] is behind a lock, because futures must be `Send`; nobody
//! ever waits for it. It is not held while a task, a waker or a callback runs.

mod ready;
mod run;
mod settle;
mod sleep;
mod tasks;
#[cfg(test)]
mod tests;
mod timers;
mod wheel;

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use dagor::Clock;

use self::{
    ready::{Item, Ready},
    settle::Settling,
    timers::Timers,
};
pub use self::{run::Executor, settle::SettleId, sleep::Sleep};

/// The executor, as tasks see it. Cheap to clone; clones are one.
#[derive(Clone)]
pub struct Handle(Arc<Shared>);

/// What tasks and their executor share.
struct Shared {
    clock: Clock,
    /// One lock for all of it, because a lock is what costs most here: two atomic operations.
    state: Mutex<State>,
}

/// What happens next.
#[derive(Default)]
struct State {
    ready: Ready,
    settling: Settling,
    timers: Timers,
}

/// A task.
type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

// === impl Handle ===

impl Handle {
    fn new(clock: Clock) -> Self {
        Self(Arc::new(Shared {
            clock,
            state: Mutex::default(),
        }))
    }

    /// Returns the clock. Its calendar starts where the executor was told to.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// Returns the time since the start.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.0.clock.now()
    }

    /// Waits until `at`, since the start; a moment that has come is no wait.
    #[must_use]
    pub fn sleep_until(&self, at: Duration) -> Sleep {
        Sleep::new(self.clone(), nanos(at))
    }

    /// Runs a task beside this one: it has its first turn at this instant, after all that are ready now.
    ///
    /// When the executor is gone the task is dropped at once.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let refused = self.0.lock().ready.push(Item::Spawned(Box::pin(task)));
        drop(refused);
    }

    /// Makes a callback known that [`settle`](Self::settle) asks for.
    ///
    /// It stays until the executor is dropped, so it should hold what it works on by a `Weak`.
    #[must_use]
    pub fn register(&self, callback: Box<dyn Fn() + Send + Sync>) -> SettleId {
        let (id, refused) = self.0.lock().settling.register(callback);
        drop(refused);
        id
    }

    /// Runs the callback once all tasks that are ready at this instant, and those that they make ready, have
    /// had their turn, before time moves.
    ///
    /// Callbacks run in the order in which they were asked for; asking again before it ran changes nothing.
    /// What one makes ready has its turn before the next callback runs. A callback that asks for itself is
    /// run again at the same instant, so one that always does so stops time.
    pub fn settle(&self, id: SettleId) {
        self.0.lock().settling.ask(id);
    }
}

/// Without what tasks may have put in.
impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle")
            .field("now", &self.now())
            .finish_non_exhaustive()
    }
}

// === impl Shared ===

impl Shared {
    /// Locks, whatever happened to an earlier holder: no code of others runs under this lock, so that a panic
    /// leaves nothing half changed.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whole nanoseconds, at most `u64::MAX` (584 years).
fn nanos(duration: Duration) -> u64 {
    let whole = duration.as_secs().saturating_mul(1_000_000_000);
    whole.saturating_add(duration.subsec_nanos().into())
}
