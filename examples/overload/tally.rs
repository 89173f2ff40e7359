//! What is counted while a load runs.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use dagor::Priority;

use super::caller::{Call, Outcome};

/// Width of a bin of the time series.
pub(crate) const BIN: Duration = Duration::from_millis(100);

/// The counts of one run.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Tasks begun while it counted, that ended: their priority and what became of them.
    pub(crate) tasks: Vec<Finished>,
    /// Tasks begun while it counted, ended or not.
    pub(crate) begun: Vec<Priority>,
    /// The calls of those tasks.
    pub(crate) calls: Calls,
    /// All calls by the bin in which they ended, those of uncounted tasks as well.
    pub(crate) bins: BTreeMap<u32, Calls>,
    /// Longest time by which a task began later than it was due: the generator's own fault.
    pub(crate) lag: Duration,
}

/// A task that ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finished {
    pub(crate) priority: Priority,
    /// All of its calls were served, and before the deadline.
    pub(crate) in_time: bool,
}

/// Calls by what became of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls {
    pub(crate) shed: u64,
    pub(crate) withheld: u64,
    pub(crate) unsent: u64,
    pub(crate) failed: u64,
    /// From sending to the end of the answer, of the served.
    pub(crate) latencies: Vec<Duration>,
    /// Sum over the served of the wait before the protecting layer.
    pub(crate) before: Duration,
    /// Sum over the served of the wait inside of it.
    pub(crate) inside: Duration,
}

/// The tally of a run under way, shared by its tasks.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    tally: Arc<Mutex<Tally>>,
    /// The moment that bin 0 begins at.
    began: Duration,
}

// === impl Recorder ===

impl Recorder {
    pub(crate) fn new(began: Duration) -> Self {
        Self {
            tally: Arc::default(),
            began,
        }
    }

    pub(crate) fn begin(&self, priority: Priority, lag: Duration, counted: bool) {
        let mut tally = self.lock();
        tally.lag = tally.lag.max(lag);
        if counted {
            tally.begun.push(priority);
        }
    }

    pub(crate) fn call(&self, call: &Call, counted: bool) {
        let mut tally = self.lock();
        if counted {
            tally.calls.add(call);
        }
        let bin = call.ended.saturating_sub(self.began).as_millis() / BIN.as_millis();
        // A run lasts seconds.
        let bin = u32::try_from(bin).unwrap_or(u32::MAX);
        tally.bins.entry(bin).or_default().add(call);
    }

    pub(crate) fn end(&self, task: Finished) {
        self.lock().tasks.push(task);
    }

    /// Returns whether every counted task ended.
    pub(crate) fn is_complete(&self) -> bool {
        let tally = self.lock();
        tally.tasks.len() == tally.begun.len()
    }

    /// Returns what was counted so far and begins anew.
    pub(crate) fn take(&self) -> Tally {
        std::mem::take(&mut self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl Calls ===

impl Calls {
    fn add(&mut self, call: &Call) {
        match call.outcome {
            Outcome::Served { before, inside } => {
                self.latencies.push(call.ended.saturating_sub(call.sent));
                self.before += before;
                self.inside += inside;
            }
            Outcome::Shed => self.shed += 1,
            Outcome::Withheld => self.withheld += 1,
            Outcome::Unsent => self.unsent += 1,
            Outcome::Failed => self.failed += 1,
        }
    }

    pub(crate) const fn served(&self) -> usize {
        self.latencies.len()
    }

    /// Returns the mean wait of the served, from sending to the handler.
    pub(crate) fn mean_wait(&self) -> Option<Duration> {
        self.mean(self.before + self.inside)
    }

    /// Returns a sum over the served as their mean.
    pub(crate) fn mean(&self, sum: Duration) -> Option<Duration> {
        let served = u32::try_from(self.served()).ok()?;
        sum.checked_div(served)
    }

    /// Returns the latency that a share of the served did not exceed.
    pub(crate) fn quantile(&self, share: f64) -> Option<Duration> {
        let mut sorted = self.latencies.clone();
        sorted.sort_unstable();
        let last = sorted.len().checked_sub(1)?;
        // A share of at most 1 of an index is an index.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an index"
        )]
        let index = (share * last as f64).round() as usize;
        sorted.get(index).copied()
    }
}
