//! Cinnamon, Uber's load shedder, after its authors' posts ("Using Century Old Tech to Build a Mean Load Shedder",
//! "PID Controller for Cinnamon", "Cinnamon Auto-Tuner: Adaptive Concurrency in the Wild", 2023) and what others
//! rebuilt from them (failsafe-go's prioritizer; public simulations).
//!
//! All at the callee. A request has a priority, its tier and one of 128 cohorts in it: here the business's number
//! and the user's place. In its way are a rejector, which refuses priorities below a cut; a priority queue,
//! which a request leaves refused when it is too old; and a scheduler that lets so many run as the auto-tuner
//! found out. The cut is the quantile of the priorities of the last 1,000 requests at which a share is refused
//! that a PI controller works out each period from flow: what came into the queue, less what went out to
//! run, less what more could have run.
//!
//! # How it was tuned
//!
//! Published: a period of 0.5 s, Kp of 0.1, Ki of 1.4 over 30 to 60 s, the derivative unused. Tried in the
//! reference cells (see [`sre`](super::sre)): periods of 20, 50, 100, 200, 500 ms; Ki of 0.05, 0.1, 0.2, 0.5, 1.4; Kp of 0, 0.1, 0.5;
//! history of 2 to 30 s; 500 and 1,000 priorities; lines of 40 to 160 ms; ages of 0.2, 0.33, 0.5 of the time left. With
//! the published constants the ratio swings, and the geometric mean over the cells is 0.76. Three things that the posts
//! leave open lift it to 0.85:
//!
//! - The output z becomes a ratio as 1 - exp(-z), so that one step changes what is admitted by the same
//!   factor whatever the load; with z itself as the ratio the loop is ten times as nervous at ten times the load.
//! - What more could have run is counted in requests, not in slots (a slot takes `period / service time` of them), and
//!   four times: idle slots are dearer than requests that end in the queue, which is sorted anyway.
//! - The sum may go below zero by what the queue absorbs in 40 ms before anything is refused, which is
//!   what removes refusals without overload (0.94 to 0.99 of the optimum at 0.67 times the capacity).
//!
//! Refusing is what it costs: with 5 % of a service for each refusal no scheme at the callee alone gets
//! more than 0.53 of the optimum from single calls at ten times the capacity; this one gets 0.51.
//!
//! # What is tested
//!
//! The posts' claims: the ratio of rejections is stable where that of AIMD is not; the highest tier is not
//! touched while a lower one can pay; it goes to zero when the load falls; the limit finds what the instance
//! runs at once, and stays there under overload.

mod controller;
mod limit;
mod recent;
mod shedder;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use self::shedder::Shedder;
use super::{pace, peer::Peer};

/// Returns the policy.
#[must_use]
pub fn policy() -> Peer<Shedder> {
    Peer::callee(|place| Shedder::new(Tuning::default(), pace::slots(place)))
}

/// The constants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tuning {
    /// How often the ratio is worked out.
    pub(crate) period: Duration,
    /// Kp: how much the last period counts.
    pub(crate) proportional: f64,
    /// Ki: how much all of them count.
    pub(crate) integral: f64,
    /// How many periods are summed up.
    pub(crate) history: usize,
    /// How many requests an idle slot counts for, by those that it could have taken.
    pub(crate) idle: f64,
    /// For how long the queue may grow before anything is refused.
    pub(crate) slack: Duration,
    /// How many priorities the quantile is of.
    pub(crate) recent: usize,
    /// How old a request gets in the queue, as a share of the time it had left when it came.
    pub(crate) age: f64,
    /// How long the last in the queue would wait.
    pub(crate) queue: Duration,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            period: Duration::from_millis(100),
            proportional: 0.1,
            integral: 0.1,
            history: 300,
            idle: 4.0,
            slack: Duration::from_millis(40),
            recent: 1000,
            age: 0.5,
            queue: Duration::from_millis(100),
        }
    }
}
