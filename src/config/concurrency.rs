//! How many requests are worked on at the same time.

use std::{num::NonZeroUsize, time::Duration};

/// How many permits the gate gives out.
///
/// Queueing has to happen in the gate, because only there it is ordered and bounded. Too many permits
/// move it behind the gate, into the runtime or a connection pool; too few leave the cores idle.
#[derive(Clone, Debug, PartialEq)]
pub enum Concurrency {
    /// Follows the runtime's own queue (`kind = "adaptive"`, the default).
    Adaptive(Adaptive),
    /// Always this many (`kind = "fixed"` and `permits`, 1 to 1,000,000).
    ///
    /// For handlers behind a pool, which no signal of the runtime can see: the pool's size and a fifth
    /// more. For work that never awaits: two per worker thread, which halves the wait of `Adaptive`.
    Fixed(NonZeroUsize),
    /// No gate (`kind = "unlimited"`): requests are admitted by their level alone.
    ///
    /// Without a gate nothing orders those that wait and nothing holds the first moments of a burst.
    /// The law `"no-gate"` belongs to it; graded laws give way to its proportional steps by themselves.
    Unlimited,
}

/// How [`Concurrency::Adaptive`] finds the number of permits.
///
/// The signal is the mean time from the grant of a permit to the first poll of the request that got
/// it: the run queue's own wait. The number never falls below the number of worker threads. All
/// defaults were measured on loaded servers.
#[derive(Clone, Debug, PartialEq)]
pub struct Adaptive {
    /// Permits per worker thread at the start (`start_per_worker`, 1 to 10,000, default 4).
    ///
    /// Too low costs goodput in the first overload (from 1 to 455 permits took 0.6 s); too high lets
    /// the first burst past the gate.
    pub start_per_worker: usize,

    /// Below this mean wait, and with requests waiting, permits are added (`calm_ms`, 0.01 ms to 1 s
    /// and below `busy`, default 2 ms).
    ///
    /// Too low starves handlers that sleep: timers fire in batches of 1 ms, so an honest run queue has
    /// some milliseconds.
    pub calm: Duration,

    /// Above this mean wait permits are taken away (`busy_ms`, 0.01 ms to 10 s, default 5 ms).
    ///
    /// Too high hides queuing time in the runtime, where the control law does not see it.
    pub busy: Duration,

    /// By how much the number changes each time, at least one permit (`step_ratio`, 0.001 to 0.9,
    /// default 0.1). Too low follows slowly, too high oscillates.
    pub step: f64,

    /// How often it may change (`every_ms`, 1 ms to 10 s, default 10 ms). Too short judges by a
    /// handful of grants, too long follows slowly.
    pub every: Duration,
}

// === impl Concurrency ===

impl Concurrency {
    /// Returns [`Fixed`](Self::Fixed) of this many permits; 0 counts as 1.
    ///
    /// ```
    /// use dagor::{Admission, Concurrency};
    ///
    /// let admission = Admission::builder("orders").concurrency(Concurrency::fixed(24)).build()?;
    /// assert_eq!(admission.snapshot().permits, Some(24));
    /// # Ok::<(), dagor::SettingsError>(())
    /// ```
    #[must_use]
    pub const fn fixed(permits: usize) -> Self {
        match NonZeroUsize::new(permits) {
            Some(permits) => Self::Fixed(permits),
            None => Self::Fixed(NonZeroUsize::MIN),
        }
    }

    /// Returns the word used in files, metrics and logs.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Adaptive(_) => "adaptive",
            Self::Fixed(_) => "fixed",
            Self::Unlimited => "unlimited",
        }
    }
}

impl Default for Concurrency {
    fn default() -> Self {
        Self::Adaptive(Adaptive::default())
    }
}

// === impl Adaptive ===

impl Default for Adaptive {
    fn default() -> Self {
        Self {
            start_per_worker: 4,
            calm: Duration::from_millis(2),
            busy: Duration::from_millis(5),
            step: 0.1,
            every: Duration::from_millis(10),
        }
    }
}
