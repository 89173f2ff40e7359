//! Counting while a run goes on.

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use super::{
    Outcome,
    seen::{Seen, nanos},
    table::bin,
    work::Piece,
};
use crate::{scenario::Scenario, wire::Call};

/// Counts; cheap to clone, clones are one.
///
/// A call is some 20 ns on one thread. Calls from several threads wait for each other; which counts they
/// come to does not depend on their order.
#[derive(Clone)]
pub struct Recorder(Arc<Shared>);

struct Shared {
    wanted: AtomicU64,
    sent: AtomicU64,
    seen: Mutex<Seen>,
}

impl Recorder {
    /// A recorder for a run of this scenario.
    #[must_use]
    pub fn new(scenario: &Scenario) -> Self {
        let (services, businesses) = (scenario.services.len(), scenario.businesses.len());
        // The last bin in which load comes, even if nothing does.
        let last = scenario.duration.saturating_sub(Duration::from_nanos(1));
        let seen = Seen::new(services, businesses, bin(last) + 1);
        Self(Arc::new(Shared {
            wanted: AtomicU64::new(0),
            sent: AtomicU64::new(0),
            seen: Mutex::new(seen),
        }))
    }

    /// A task came, of this weight. Tasks are numbered from 0, without gaps but for those that come at the
    /// same time on other threads.
    pub fn task_came(&self, now: Duration, call: &Call, weight: u32) {
        let mut seen = self.seen();
        seen.count_task(bin(now), call.business, weight, |tasks| tasks.offer(weight));
        seen.work.came(call.task);
    }

    /// A task that came at `came` ended; work done for it in vain is counted as wasted if it failed.
    pub fn task_ended(&self, came: Duration, now: Duration, call: &Call, weight: u32, good: bool) {
        let mut seen = self.seen();
        if good {
            let bin = bin(came);
            seen.count_task(bin, call.business, weight, |tasks| tasks.succeed(weight));
            let took = now.saturating_sub(came).as_micros();
            seen.took.push((
                u32::try_from(bin).unwrap_or(u32::MAX),
                u8::try_from(call.business).unwrap_or(u8::MAX),
                u32::try_from(took).unwrap_or(u32::MAX),
            ));
        }
        let Seen { work, services, .. } = &mut *seen;
        work.ended(call.task, good, |piece| Seen::waste(services, piece));
    }

    /// A request arrived at a service.
    pub fn arrived(&self, now: Duration, service: usize) {
        self.seen().services.at(bin(now), service).arrived += 1;
    }

    /// A service refused one.
    pub fn refused(&self, now: Duration, service: usize) {
        self.seen().services.at(bin(now), service).refused += 1;
    }

    /// A caller of `service` did not send a call.
    pub fn withheld(&self, now: Duration, service: usize) {
        self.seen().services.at(bin(now), service).withheld += 1;
    }

    /// Work was begun, `waited` after the request arrived.
    pub fn started(&self, now: Duration, service: usize, waited: Duration) {
        let mut seen = self.seen();
        let at = seen.services.at(bin(now), service);
        at.started += 1;
        at.waited_ns += nanos(waited);
    }

    /// Work for a task ended, after `worked`.
    pub fn served(&self, now: Duration, service: usize, worked: Duration, call: &Call) {
        let mut seen = self.seen();
        let bin = bin(now);
        let piece = Piece {
            bin,
            service,
            worked,
        };
        let in_vain = seen.work.done(call.task, piece);
        let at = seen.services.at(bin, service);
        at.served += 1;
        at.worked_ns += nanos(worked);
        at.wasted_ns += if in_vain { nanos(worked) } else { 0 };
    }

    /// A task wanted to make a call.
    pub fn wanted(&self) {
        self.0.wanted.fetch_add(1, Ordering::Relaxed);
    }

    /// A call was sent.
    pub fn sent(&self) {
        self.0.sent.fetch_add(1, Ordering::Relaxed);
    }

    /// How open an instance of `service` is; asked each bin.
    pub fn level(&self, now: Duration, service: usize, level: f64) {
        let mut seen = self.seen();
        let at = seen.services.at(bin(now), service);
        at.levels += 1;
        at.level_sum += level;
    }

    /// Returns what was seen; the run is over. Tasks that have not ended by now have failed.
    ///
    /// The engine knows its [`events`](Outcome::events).
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        Outcome {
            wanted: self.0.wanted.load(Ordering::Relaxed),
            sent: self.0.sent.load(Ordering::Relaxed),
            ..self.seen().outcome()
        }
    }

    /// Locks, whatever happened to an earlier holder: counts are no worse for it.
    fn seen(&self) -> MutexGuard<'_, Seen> {
        let seen = self.0.seen.lock();
        seen.unwrap_or_else(PoisonError::into_inner)
    }
}

/// Without the counts.
impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").finish_non_exhaustive()
    }
}
