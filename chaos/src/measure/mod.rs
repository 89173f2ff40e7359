//! What a run saw: counts in bins of time, kept by a [`Recorder`] while it runs, read as an [`Outcome`].
//!
//! Tasks are counted in the bin in which they arrived, however late they end; what happens at services, in
//! the bin in which it happens.

mod recorder;
mod seen;
mod table;
#[cfg(test)]
mod tests;
mod work;

use std::time::Duration;

pub use self::recorder::Recorder;

/// The width of a bin.
pub const BIN: Duration = Duration::from_millis(100);

/// Everything that a run of one policy saw. All vectors of bins have the same length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// By business, in the scenario's order.
    pub businesses: Vec<TaskCounts>,
    /// By the number of calls that a task makes at the measured service: (calls, counts), in order.
    pub by_calls: Vec<(u32, TaskCounts)>,
    /// By service, in the scenario's order.
    pub services: Vec<ServiceCounts>,
    /// Every task that succeeded: (bin of its arrival, business, microseconds it took).
    pub took: Vec<(u32, u8, u32)>,
    /// Calls that tasks wanted to make, whole run.
    pub wanted: u64,
    /// Calls sent, retries included, whole run.
    pub sent: u64,
    /// Events that the engine worked off (timers, wakes), whole run.
    pub events: u64,
    /// Requests that arrived at services, whole run.
    pub requests: u64,
    /// Tasks that the live engine did not send because too many were under way, whole run; they failed.
    pub surplus: u64,
}

/// Tasks, by bin of arrival.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskCounts {
    /// How many came.
    pub offered: Vec<u32>,
    /// How many succeeded in time.
    pub good: Vec<u32>,
    /// The weight (calls at the measured service, or 1 each) of those that came.
    pub offered_weight: Vec<f64>,
    /// The weight of those that succeeded.
    pub good_weight: Vec<f64>,
}

/// What happened at a service, all instances together, by bin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServiceCounts {
    /// Requests that arrived.
    pub arrived: Vec<u32>,
    /// Refused by the callee.
    pub refused: Vec<u32>,
    /// Not sent by its callers.
    pub withheld: Vec<u32>,
    /// Work begun.
    pub started: Vec<u32>,
    /// Work ended.
    pub served: Vec<u32>,
    /// Waited before the work was begun, microseconds, summed over those begun in the bin.
    pub waited_us: Vec<f64>,
    /// Time spent working, microseconds, of what ended in the bin.
    pub worked_us: Vec<f64>,
    /// Of that, for tasks that had failed or then failed.
    pub wasted_us: Vec<f64>,
    /// How open it was, 0 to 1, the mean of its instances; 1 for policies without a level.
    pub level: Vec<f64>,
}

impl Outcome {
    /// Returns how many bins there are.
    #[must_use]
    pub fn bins(&self) -> usize {
        self.services
            .first()
            .map_or(0, |service| service.arrived.len())
    }
}
