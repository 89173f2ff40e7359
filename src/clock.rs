//! The only place that reads the time.
//!
//! Everything else is handed a [`Clock`] or the moment itself. A moment is the time since an epoch of
//! the process, as a [`Duration`]: it never goes back and has nothing to do with the calendar.
#![expect(
    clippy::disallowed_methods,
    reason = "the one module that may read a clock"
)]

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

/// Where a service takes the time from. Cheap to clone; clones tell the same time.
#[derive(Clone, Debug, Default)]
pub struct Clock(Kind);

#[derive(Clone, Debug, Default)]
enum Kind {
    /// The operating system's monotonic clock.
    #[default]
    System,
    /// tokio's clock, which stands still in a runtime with paused time.
    Tokio,
    /// Moved by hand: (monotonic, calendar), both in nanoseconds.
    Manual(Arc<(AtomicU64, AtomicU64)>),
}

/// The hand that moves a manual [`Clock`].
#[derive(Clone, Debug)]
pub struct Hand(Arc<(AtomicU64, AtomicU64)>);

// === impl Clock ===

impl Clock {
    /// Returns the operating system's monotonic clock: the default, some 25 ns a reading.
    #[must_use]
    pub const fn system() -> Self {
        Self(Kind::System)
    }

    /// Returns tokio's clock, for tests and simulations with paused time.
    #[must_use]
    pub const fn tokio() -> Self {
        Self(Kind::Tokio)
    }

    /// Returns a clock that stands still and the hand that moves it.
    #[must_use]
    pub fn manual() -> (Self, Hand) {
        let time = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
        (Self(Kind::Manual(Arc::clone(&time))), Hand(time))
    }

    /// Returns the time since the process's epoch; never goes back.
    #[must_use]
    pub fn now(&self) -> Duration {
        match &self.0 {
            Kind::System => Instant::now().saturating_duration_since(epoch()),
            Kind::Tokio => tokio::time::Instant::now()
                .into_std()
                .saturating_duration_since(epoch()),
            Kind::Manual(time) => Duration::from_nanos(time.0.load(Ordering::Acquire)),
        }
    }

    /// Returns the calendar time since the Unix epoch; for hourly epochs and stamps from outside.
    #[must_use]
    pub fn calendar(&self) -> Duration {
        match &self.0 {
            Kind::System | Kind::Tokio => {
                // A calendar before 1970 is a broken clock; any fixed answer will do.
                SystemTime::now()
                    .duration_since(UNIX_EPOCH)
                    .unwrap_or_default()
            }
            Kind::Manual(time) => Duration::from_nanos(time.1.load(Ordering::Acquire)),
        }
    }

    /// Returns the instant tokio's timers count from.
    pub(crate) fn tokio_now() -> tokio::time::Instant {
        tokio::time::Instant::now()
    }
}

// === impl Hand ===

impl Hand {
    /// Moves the clock and its calendar on by `step`.
    pub fn advance(&self, step: Duration) {
        self.0.0.fetch_add(nanos(step), Ordering::AcqRel);
        self.0.1.fetch_add(nanos(step), Ordering::AcqRel);
    }

    /// Sets the calendar to this time since the Unix epoch; the monotonic time stays.
    pub fn set_calendar(&self, calendar: Duration) {
        self.0.1.store(nanos(calendar), Ordering::Release);
    }
}

/// Returns a duration as whole nanoseconds, at most `u64::MAX` (584 years).
pub(crate) fn nanos(duration: Duration) -> u64 {
    duration
        .as_secs()
        .saturating_mul(1_000_000_000)
        .saturating_add(duration.subsec_nanos().into())
}

fn epoch() -> Instant {
    static EPOCH: OnceLock<Instant> = OnceLock::new();
    *EPOCH.get_or_init(Instant::now)
}
