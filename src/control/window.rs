//! When a window closes: by time once it has seen enough, by count, or by time whatever it has seen.

use std::time::Duration;

use super::Constants;

/// The window that is open.
#[derive(Clone, Debug)]
pub(super) struct Window {
    /// When the last one closed; moved by every step.
    since: Duration,
}

impl Window {
    pub(super) const fn new(now: Duration) -> Self {
        Self { since: now }
    }

    pub(super) const fn restart(&mut self, now: Duration) {
        self.since = now;
    }

    /// Returns whether the window closes now, having seen `arrived` requests; `calm` if nobody waits or
    /// waited in it.
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
