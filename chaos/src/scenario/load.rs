//! What comes.

use std::time::Duration;

/// Tasks that come.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Of which business; `None` to draw by the shares.
    pub business: Option<usize>,
    /// From when.
    pub from: Duration,
    /// Until when.
    pub until: Duration,
    /// Tasks a second before the shape.
    pub rate: f64,
    /// How that changes.
    pub shape: Shape,
}

/// How a load changes with time, as factors of its rate. Times are since the load's `from`.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// It does not.
    Steady,
    /// `factor` from `at` on.
    Step {
        /// When.
        at: Duration,
        /// How much.
        factor: f64,
    },
    /// Evenly from 1 to `factor` over the whole time of the load.
    Ramp {
        /// How much at the end.
        factor: f64,
    },
    /// 1 + amplitude x sin(2 pi t / period).
    Sinusoid {
        /// 0 to 1.
        amplitude: f64,
        /// How long one wave is.
        period: Duration,
    },
    /// `factor` for the first `length` of each `every`, 1 otherwise.
    Bursts {
        /// How much in a burst.
        factor: f64,
        /// How long one lasts.
        length: Duration,
        /// From one to the next.
        every: Duration,
    },
    /// From 1 up to `factor` within `rise` from `at`, there for `hold`, and back within `fall`.
    FlashCrowd {
        /// When it begins.
        at: Duration,
        /// How much at its height.
        factor: f64,
        /// How fast it comes.
        rise: Duration,
        /// How long it stays.
        hold: Duration,
        /// How fast it goes.
        fall: Duration,
    },
    /// As counted: a task count for each interval of `bin`; `rate` is a factor of the counts.
    Replay {
        /// How long one interval is.
        bin: Duration,
        /// Tasks in each.
        counts: Vec<f64>,
    },
}
