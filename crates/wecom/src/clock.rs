//! The only place that reads the time.
//!
//! A moment is the time since the clock was made: tokio's, so that it stands still in a runtime with paused
//! time. The calendar is wanted by callbacks alone, whose timestamps come from outside.
#![expect(
    clippy::disallowed_methods,
    reason = "the one module that may read a clock"
)]

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

/// Where a client or a receiver takes the time from. Copies tell the same time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    epoch: Instant,
    calendar: Calendar,
}

#[derive(Clone, Copy, Debug)]
enum Calendar {
    System,
    /// The calendar at the epoch; goes on with tokio's clock.
    Set(Duration),
}

// === impl Clock ===

impl Clock {
    /// Returns a clock of tokio's time and the system's calendar: the default.
    #[must_use]
    pub fn system() -> Self {
        Self {
            epoch: Instant::now(),
            calendar: Calendar::System,
        }
    }

    /// Returns a clock whose calendar stands now at `calendar` since the Unix epoch and goes on with tokio's
    /// time; for tests and simulations with paused time.
    #[must_use]
    pub fn set_to(calendar: Duration) -> Self {
        Self {
            epoch: Instant::now(),
            calendar: Calendar::Set(calendar),
        }
    }

    /// Returns the time since the clock was made; never goes back.
    #[must_use]
    pub fn now(&self) -> Duration {
        Instant::now().saturating_duration_since(self.epoch)
    }

    /// Returns the calendar time since the Unix epoch.
    #[must_use]
    pub fn calendar(&self) -> Duration {
        match self.calendar {
            // A calendar before 1970 is a broken clock; any fixed answer will do.
            Calendar::System => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default(),
            Calendar::Set(start) => start.saturating_add(self.now()),
        }
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::system()
    }
}
