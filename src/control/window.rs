//! A window: what it saw, when it closes, and what followed from it.

use std::time::Duration;

use super::{Constants, Verdict};
use crate::priority::Level;

/// What one window saw. All counts are of this window alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen<'a> {
    /// Requests that arrived, admitted or not, per cell: the user level counts fast, the business slowly
    /// (`business * 128 + user level`). Businesses missing at the end count as zero, further ones not at all.
    pub arrived: &'a [u32],
    /// Requests that callers reported as withheld, per business; missing ones count as zero.
    pub withheld: &'a [u32],
    /// Requests admitted; read by [`Algorithm::Paper`](super::Algorithm::Paper) alone (its `N_adm`).
    pub admitted: u64,
    /// Requests served to the end.
    pub served: u64,
    /// Requests that began to be processed; without a gate, samples of queuing time.
    pub starts: u64,
    /// Time waited in all: the area under the gate's queue length, and waits from other sources.
    pub waited: Duration,
    /// Requests waiting at the window's end.
    pub queued: usize,
    /// Requests being processed at the window's end.
    pub running: usize,
    /// Mean interval between two starts while somebody waits; zero if unknown.
    pub slot: Duration,
    /// Whether the process itself stood still during the window.
    pub paused: bool,
}

/// What followed from one window.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Closed {
    /// What the window was judged to be.
    pub verdict: Verdict,
    /// The level until now.
    pub previous: Level,
    /// The level from now on.
    pub level: Level,
    /// The mean queuing time; ten thresholds if requests waited and none started.
    pub queuing_time: Duration,
    /// Requests that wanted the service: arrived and withheld.
    pub demand: u64,
    /// Requests that arrived.
    pub arrived: u64,
}

/// The window that is open.
#[derive(Clone, Debug)]
pub(super) struct Window {
    /// When the last one closed; moved by every step.
    since: Duration,
}

// === impl Window ===

impl Window {
    pub(super) const fn new(now: Duration) -> Self {
        Self { since: now }
    }

    pub(super) const fn restart(&mut self, now: Duration) {
        self.since = now;
    }

    /// Returns whether the window closes now: by time once it has seen enough, by count, or by time whatever
    /// it has seen. So far that is `arrived` requests; `calm` says that nobody waits or has waited.
    pub(super) fn due(
        &self,
        constants: &Constants,
        now: Duration,
        arrived: u32,
        calm: bool,
    ) -> bool {
        let age = now.saturating_sub(self.since);
        let enough = calm || arrived >= constants.fewest_requests;
        arrived >= constants.most_requests
            || age >= constants.longest_window
            || age >= constants.window && enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Duration = Duration::from_secs(5);

    fn due(constants: &Constants, after_ms: u64, arrived: u32, calm: bool) -> bool {
        let now = START + Duration::from_millis(after_ms);
        Window::new(START).due(constants, now, arrived, calm)
    }

    #[test]
    fn closes_by_time_once_it_has_seen_enough() {
        let constants = Constants::dagor();
        assert!(!due(&constants, 99, 1999, false));
        assert!(due(&constants, 100, 20, false));
        assert!(!due(&constants, 999, 19, false), "too few while some wait");
        assert!(
            due(&constants, 100, 0, true),
            "nobody waits: nothing to wait for"
        );
    }

    #[test]
    fn closes_by_count_or_age_whatever_else() {
        let constants = Constants::dagor();
        assert!(due(&constants, 0, 2000, false));
        assert!(due(&constants, 1000, 0, false));
    }

    #[test]
    fn paper_closes_after_a_second_or_2000_requests() {
        let constants = Constants::paper();
        assert!(!due(&constants, 999, 1999, true));
        assert!(due(&constants, 1000, 0, false));
        assert!(due(&constants, 1, 2000, false));
    }

    #[test]
    fn a_clock_that_goes_back_closes_nothing() {
        let window = Window::new(START);
        assert!(!window.due(&Constants::dagor(), Duration::ZERO, 20, true));
    }
}
