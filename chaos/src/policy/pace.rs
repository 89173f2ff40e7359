//! How long an instance holds a slot for a request, and how many slots it has, for peers that need to know.

use std::time::Duration;

use super::Place;

/// The mean time for which a slot is held, as measured: a plain mean of the first hundred requests, then one in which
/// each weighs a hundredth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    mean: f64,
    count: f64,
}

impl Pace {
    const WEIGHT: f64 = 0.01;

    pub(super) const fn new() -> Self {
        Self {
            mean: 0.0,
            count: 0.0,
        }
    }

    /// A slot was held for this long.
    pub(super) fn note(&mut self, held: Duration) {
        self.count += 1.0;
        let weight = (1.0 / self.count).max(Self::WEIGHT);
        self.mean += weight * (held.as_secs_f64() - self.mean);
    }

    /// Returns how many requests one slot takes in `span`; 1 before anything is known.
    pub(super) fn in_span(&self, span: Duration) -> f64 {
        if self.mean > 0.0 {
            span.as_secs_f64() / self.mean
        } else {
            1.0
        }
    }

    /// Returns how many requests may wait so that the last of them waits for `span`, at least 1; as many as there
    /// are slots before anything is known.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive number of requests, cut at what usize holds"
    )]
    pub(super) fn line(&self, span: Duration, slots: usize) -> usize {
        if self.mean > 0.0 {
            // Not one more for an error of rounding.
            ((self.in_span(span) * number(slots) - 1e-6).ceil() as usize).max(1)
        } else {
            slots
        }
    }
}

/// Returns how many requests the instance works on at once.
pub(super) fn slots(place: &Place<'_>) -> usize {
    let workers = place.spec().workers;
    workers.map_or(usize::MAX, |workers| {
        usize::try_from(workers).unwrap_or(usize::MAX)
    })
}

/// Returns a count as a number to reckon with.
#[expect(clippy::cast_precision_loss, reason = "counts of requests and slots")]
pub(super) fn number(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_line_is_as_long_as_what_is_worked_off_meanwhile() {
        let mut pace = Pace::new();
        assert_eq!(pace.line(40 * MS, 10), 10);
        for held in [20, 60] {
            pace.note(held * MS);
        }
        assert_eq!(pace.line(40 * MS, 10), 10);
        assert_eq!(pace.line(50 * MS, 10), 13);
        assert_eq!(pace.line(MS, 1), 1);
        assert!((pace.in_span(100 * MS) - 2.5).abs() < 1e-9);
    }
}
