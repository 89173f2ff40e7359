//! The figures of one load under one policy.

use std::time::Duration;

use super::{policy::Policy, tally::Tally, workload::BUSINESSES};

/// One line of the table.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) policy: Policy,
    pub(crate) load: f64,
    pub(crate) calls_per_task: u32,
    /// Calls of tasks that ended in time, of what could be served: the smaller of offer and capacity.
    pub(crate) goodput_ratio: f64,
    /// Latency of served calls.
    pub(crate) p50_ms: Option<f64>,
    pub(crate) p99_ms: Option<f64>,
    /// Mean wait of served calls from sending to the protecting layer, and from there to the handler.
    pub(crate) before_ms: Option<f64>,
    pub(crate) inside_ms: Option<f64>,
    pub(crate) tasks: usize,
    pub(crate) tasks_in_time: usize,
    /// Calls refused by the service.
    pub(crate) shed: u64,
    /// Calls that the callers did not send.
    pub(crate) withheld: u64,
    /// Calls that found no connection.
    pub(crate) unsent: u64,
    pub(crate) failed: u64,
    /// Calls served.
    pub(crate) served: usize,
    /// Share of the tasks of each business that ended in time; `None` where there was no task.
    pub(crate) by_business: Vec<Option<f64>>,
    /// The same of the most important fifth of all tasks.
    pub(crate) top_fifth: Option<f64>,
    /// How late the load generator was at worst.
    pub(crate) lag_ms: f64,
}

/// What a row is a measurement of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Case {
    pub(crate) policy: Policy,
    pub(crate) load: f64,
    pub(crate) calls_per_task: u32,
}

impl Row {
    /// Returns the figures of what was counted during `lasted`.
    pub(crate) fn new(case: Case, tally: &Tally, lasted: Duration, capacity: f64) -> Self {
        let calls = f64::from(case.calls_per_task);
        let in_time = tally.tasks.iter().filter(|task| task.in_time).count();
        let offered = tally.begun.len() as f64 * calls / lasted.as_secs_f64();
        let good = in_time as f64 * calls / lasted.as_secs_f64();
        let shares = (0..BUSINESSES).map(|business| tally.share_of(business));
        let counted = &tally.calls;
        Self {
            policy: case.policy,
            load: case.load,
            calls_per_task: case.calls_per_task,
            goodput_ratio: ratio(good, offered.min(capacity)).unwrap_or(0.0),
            p50_ms: counted.quantile(0.50).map(ms),
            p99_ms: counted.quantile(0.99).map(ms),
            before_ms: counted.mean(counted.before).map(ms),
            inside_ms: counted.mean(counted.inside).map(ms),
            tasks: tally.begun.len(),
            tasks_in_time: in_time,
            shed: counted.shed,
            withheld: counted.withheld,
            unsent: counted.unsent,
            failed: counted.failed,
            served: counted.served(),
            by_business: shares.collect(),
            top_fifth: tally.top_fifth(),
            lag_ms: ms(tally.lag),
        }
    }

    /// Returns the share of refused calls that the callers refused.
    pub(crate) fn at_caller(&self) -> Option<f64> {
        ratio(self.withheld as f64, (self.withheld + self.shed) as f64)
    }

    /// Returns the mean wait of served calls from sending to the handler.
    pub(crate) fn wait_ms(&self) -> Option<f64> {
        Some(self.before_ms? + self.inside_ms?)
    }
}

impl Tally {
    /// Returns the share of the tasks of a business that ended in time.
    fn share_of(&self, business: usize) -> Option<f64> {
        let of = |number: u8| usize::from(number) == business;
        let begun = self.begun.iter().filter(|p| of(p.business().get())).count();
        let in_time = self.tasks.iter().filter(|task| task.in_time);
        let in_time = in_time
            .filter(|task| of(task.priority.business().get()))
            .count();
        ratio(in_time as f64, begun as f64)
    }

    /// Returns the share of the most important fifth of the tasks that ended in time.
    fn top_fifth(&self) -> Option<f64> {
        let mut begun = self.begun.clone();
        begun.sort_unstable();
        let fifth = begun.len() / 5;
        let last = *begun.get(fifth.checked_sub(1)?)?;
        let in_time = self
            .tasks
            .iter()
            .filter(|task| task.in_time && task.priority <= last);
        let among = begun.iter().filter(|priority| **priority <= last).count();
        ratio(in_time.count() as f64, among as f64)
    }
}

/// Returns a duration in milliseconds.
pub(crate) fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}
