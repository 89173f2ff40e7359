//! Stretches of a run, in whole bins.

use std::{ops::Range, time::Duration};

use crate::measure::BIN;

/// From one moment of a run to another, since its start.
///
/// A bin belongs to the window in which it begins, so that windows that touch share none.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Window {
    /// From when.
    pub from: Duration,
    /// Until when; this moment is not in it.
    pub until: Duration,
}

impl Window {
    /// A window.
    #[must_use]
    pub const fn new(from: Duration, until: Duration) -> Self {
        Self { from, until }
    }

    /// Returns the bins in it, of a run with `bins` of them.
    #[must_use]
    pub fn bins(self, bins: usize) -> Range<usize> {
        let until = first_from(self.until).min(bins);
        first_from(self.from).min(until)..until
    }

    /// Returns how long it is, in seconds.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.until.saturating_sub(self.from).as_secs_f64()
    }
}

/// Returns the first bin that begins at `at` or later.
fn first_from(at: Duration) -> usize {
    usize::try_from(at.as_nanos().div_ceil(BIN.as_nanos())).unwrap_or(usize::MAX)
}

/// Returns the bin that `at` is in.
pub(super) fn bin_of(at: Duration) -> usize {
    usize::try_from(at.as_nanos() / BIN.as_nanos()).unwrap_or(usize::MAX)
}

/// Returns when a bin begins.
pub(super) fn begin_of(bin: usize) -> Duration {
    BIN.saturating_mul(u32::try_from(bin).unwrap_or(u32::MAX))
}

/// Sums bins; those that a run does not have count nothing.
pub(crate) fn total<T: Copy + Into<f64>>(values: &[T], bins: &Range<usize>) -> f64 {
    let until = bins.end.min(values.len());
    let values = values.get(bins.start.min(until)..until).unwrap_or_default();
    values.iter().map(|&value| value.into()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bins(from: u64, until: u64) -> Range<usize> {
        Window::new(Duration::from_millis(from), Duration::from_millis(until)).bins(100)
    }

    #[test]
    fn windows_that_touch_share_no_bin() {
        assert_eq!(bins(200, 500), 2..5);
        assert_eq!(bins(250, 550), 3..6);
        assert_eq!(bins(550, 900), 6..9);
        assert_eq!(bins(0, 1), 0..1);
        assert_eq!(bins(500, 500), 5..5);
    }

    #[test]
    fn a_window_ends_with_the_run() {
        assert_eq!(bins(9_900, 20_000), 99..100);
        assert_eq!(bins(20_000, 30_000), 100..100);
        assert_eq!(bins(500, 200), 2..2, "turned around it is empty");
    }

    #[test]
    fn sums_what_there_is() {
        let close = |sum: f64, wanted: f64| assert!((sum - wanted).abs() < 1e-12, "{sum}");
        close(total(&[1_u32, 2, 3], &(1..3)), 5.0);
        close(total(&[1_u32, 2, 3], &(2..9)), 3.0);
        close(total(&[0.5_f64], &(4..9)), 0.0);
    }
}
