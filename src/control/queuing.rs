//! From what one window saw of waiting to a verdict.

use std::time::Duration;

use super::{Algorithm, Constants, Seen, Verdict};

/// A window in which requests wait but none starts counts as this many thresholds: the true mean is
/// not known yet, and only whether it is above the threshold matters to most laws.
const NO_START: f64 = 10.0;

/// The queuing time of one window beside the threshold it is held to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queuing {
    /// Mean queuing time, in seconds.
    mean: f64,
    /// Effective threshold, in seconds.
    threshold: f64,
}

impl Queuing {
    /// Measures the mean by Little's law: time waited in all, divided by the requests that started.
    pub(super) fn of(seen: &Seen<'_>, constants: &Constants) -> Self {
        let threshold = threshold(constants, seen.slot).as_secs_f64();
        let mean = match seen.starts {
            0 if seen.queued > 0 => NO_START * threshold,
            0 => 0.0,
            starts => seen.waited.as_secs_f64() / super::float(starts),
        };
        Self { mean, threshold }
    }

    /// Judges the window, `arrived` being the requests it is judged by.
    pub(super) fn verdict(self, seen: &Seen<'_>, constants: &Constants, arrived: u64) -> Verdict {
        if seen.paused {
            Verdict::Paused
        } else if seen.is_idle() && constants.algorithm != Algorithm::Paper {
            Verdict::Idle
        } else if self.mean <= self.threshold {
            Verdict::Calm
        } else if arrived < u64::from(constants.fewest_samples) {
            Verdict::TooFew
        } else {
            Verdict::Overloaded
        }
    }

    /// Returns the mean in thresholds: above 1 is overload.
    ///
    /// A threshold of zero makes any wait infinitely long and none exactly zero.
    pub(super) fn ratio(self) -> f64 {
        if self.mean > 0.0 {
            self.mean / self.threshold
        } else {
            0.0
        }
    }

    /// Returns whether the mean is at most this share of the threshold.
    pub(super) fn at_most(self, share: f64) -> bool {
        self.mean <= share * self.threshold
    }

    pub(super) fn mean(self) -> Duration {
        Duration::try_from_secs_f64(self.mean).unwrap_or(Duration::MAX)
    }
}

impl Seen<'_> {
    /// Returns whether nothing waited, started or ran. Arrivals alone, all of them refused, do not count:
    /// then the level is all that keeps the service empty.
    fn is_idle(&self) -> bool {
        self.starts == 0 && self.waited.is_zero() && self.queued == 0 && self.running == 0
    }
}

/// Returns the threshold a window is held to where requests start every `slot` under load.
pub(super) fn threshold(constants: &Constants, slot: Duration) -> Duration {
    let slots = slot.as_secs_f64() * constants.slots;
    if slots > constants.threshold.as_secs_f64() {
        Duration::try_from_secs_f64(slots).unwrap_or(Duration::MAX)
    } else {
        constants.threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn judge(seen: &Seen<'_>, constants: &Constants, arrived: u64) -> Verdict {
        Queuing::of(seen, constants).verdict(seen, constants, arrived)
    }

    /// 100 starts that waited `mean_ms` each.
    fn waited(mean_ms: u64) -> Seen<'static> {
        Seen {
            starts: 100,
            waited: ms(100 * mean_ms),
            running: 1,
            ..Seen::default()
        }
    }

    #[test]
    fn overloaded_only_above_the_threshold() {
        let constants = Constants::dagor();
        assert_eq!(judge(&waited(20), &constants, 100), Verdict::Calm);
        assert_eq!(judge(&waited(21), &constants, 100), Verdict::Overloaded);
    }

    #[test]
    fn a_slow_server_is_held_to_three_of_its_slots() {
        let constants = Constants::dagor();
        let slow = |mean| Seen {
            slot: ms(20),
            ..waited(mean)
        };
        assert_eq!(judge(&slow(60), &constants, 100), Verdict::Calm);
        assert_eq!(judge(&slow(61), &constants, 100), Verdict::Overloaded);
        assert_eq!(
            judge(&slow(21), &Constants::paper(), 100),
            Verdict::Overloaded
        );
        assert_eq!(threshold(&constants, ms(5)), ms(20));
        assert_eq!(threshold(&constants, Duration::MAX), Duration::MAX);
    }

    #[test]
    fn waiting_without_a_start_is_overload() {
        let stuck = Seen {
            queued: 1,
            waited: ms(1),
            ..Seen::default()
        };
        assert_eq!(judge(&stuck, &Constants::dagor(), 100), Verdict::Overloaded);
        let left = Seen { queued: 0, ..stuck };
        assert_eq!(judge(&left, &Constants::dagor(), 100), Verdict::Calm);
    }

    #[test]
    fn too_few_requests_are_never_overload_but_can_be_calm() {
        let constants = Constants::dagor();
        assert_eq!(judge(&waited(500), &constants, 9), Verdict::TooFew);
        assert_eq!(judge(&waited(500), &constants, 10), Verdict::Overloaded);
        assert_eq!(judge(&waited(5), &constants, 1), Verdict::Calm);
        assert_eq!(
            judge(&waited(500), &Constants::paper(), 1),
            Verdict::Overloaded
        );
    }

    #[test]
    fn a_pause_excuses_everything() {
        let paused = Seen {
            paused: true,
            ..waited(500)
        };
        assert_eq!(judge(&paused, &Constants::dagor(), 100), Verdict::Paused);
    }

    #[test]
    fn idle_means_that_nothing_waited_started_or_ran() {
        let constants = Constants::dagor();
        let idle = Seen::default();
        assert_eq!(judge(&idle, &constants, 0), Verdict::Idle);
        assert_eq!(judge(&idle, &constants, 50), Verdict::Idle, "all refused");
        assert_eq!(judge(&idle, &Constants::paper(), 0), Verdict::Calm);
        for busy in [
            Seen { running: 1, ..idle },
            Seen { starts: 1, ..idle },
            Seen {
                waited: ms(1),
                ..idle
            },
        ] {
            assert_eq!(judge(&busy, &constants, 50), Verdict::Calm, "{busy:?}");
        }
    }

    #[test]
    fn a_threshold_of_zero_divides_by_nothing() {
        let constants = Constants {
            threshold: Duration::ZERO,
            ..Constants::dagor()
        };
        assert!(Queuing::of(&waited(0), &constants).ratio() == 0.0);
        assert!(Queuing::of(&waited(1), &constants).ratio().is_infinite());
    }
}
