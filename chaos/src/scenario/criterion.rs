//! What must hold, and what others published.

use std::time::Duration;

use crate::policy::Name;

/// Something that must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Criterion {
    /// What it is called in the report.
    pub name: String,
    /// From when (by the arrival of tasks).
    pub from: Duration,
    /// Until when.
    pub until: Duration,
    /// For which policies; the others are shown, not judged.
    pub policies: Vec<Name>,
    /// What is measured and its bound.
    pub kind: CriterionKind,
}

/// What is measured, and its bound.
#[derive(Clone, Debug, PartialEq)]
pub enum CriterionKind {
    /// Goodput as a share of the optimum, in the whole window.
    Goodput(Bound),
    /// The 99th percentile of a successful task's time, of a business or of all.
    P99 {
        /// In milliseconds.
        ms: Bound,
        /// Of which business.
        business: Option<usize>,
    },
    /// Of a business's tasks, the share that succeeds.
    Share {
        /// The business.
        business: usize,
        /// 0 to 1.
        bound: Bound,
        /// Whether it must hold in every second of the window instead of over all of it.
        every_second: bool,
    },
    /// Seconds after `from` until goodput is at least `share` of the optimum and stays so for a second.
    Recovery {
        /// 0 to 1.
        share: f64,
        /// In seconds.
        seconds: Bound,
    },
    /// Of the work that was done, the share done for tasks that failed.
    Wasted(Bound),
    /// Of the calls that were refused, the share that the callers withheld.
    RefusedAtCaller(Bound),
    /// The mean time that requests waited at a service before they were worked on.
    MeanWait {
        /// The service.
        service: usize,
        /// In milliseconds.
        ms: Bound,
    },
    /// The highest success of a group of tasks by the lowest: tasks grouped by how many calls they make.
    Fairness(Bound),
    /// Calls sent, retries included, by calls that tasks wanted to make.
    Amplification(Bound),
    /// The offered rate, in weight a second, of the first second of the window from which on, over three seconds,
    /// at least `share` of the tasks fail.
    ShedsFrom {
        /// 0 to 1.
        share: f64,
        /// Weight a second.
        rate: Bound,
    },
}

/// At least or at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// This or more.
    AtLeast(f64),
    /// This or less.
    AtMost(f64),
}

/// A figure somebody published.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// Under which policy.
    pub policy: Name,
    /// What was measured, in words.
    pub what: String,
    /// The value published.
    pub value: f64,
    /// Ours, measured how: the kind's own bound is ignored.
    pub ours: CriterionKind,
    /// Ours, measured from when until when (by the arrival of tasks).
    pub window: (Duration, Duration),
}
