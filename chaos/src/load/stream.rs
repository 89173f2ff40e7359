//! When the tasks of one load come.

use std::time::Duration;

use super::piece::{Curve, Piece};
use crate::{scenario::Load, world::Chance};

/// The moments, in order.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    load: Load,
    /// Nothing comes from here on.
    end: Duration,
    /// The number of the piece that the last one was in.
    piece: usize,
    /// Where in it that was, in seconds since its start.
    within: f64,
    chance: Chance,
}

impl Stream {
    /// The stream of the load of this number in a run whose load ends at `end`.
    pub(super) fn new(load: &Load, end: Duration, seed: u64, number: usize) -> Self {
        Self {
            load: load.clone(),
            end: end.min(load.until),
            piece: 0,
            within: 0.0,
            // Lossless: usize has at most 64 bits.
            chance: Chance::new(seed, "arrivals of load", number as u64),
        }
    }

    /// Moves on to the next task in a piece; `None` if the next is after it.
    ///
    /// Until the next task the rate adds up to a number drawn from the exponential distribution. Of what is left
    /// of it at the end of a piece nothing needs to be kept: the distribution has no memory.
    fn next_in(&mut self, piece: &Piece) -> Option<f64> {
        let length = piece.seconds();
        match piece.curve {
            Curve::Line { from, to } => {
                let slope = if length > 0.0 {
                    (to - from) / length
                } else {
                    0.0
                };
                let due = self.chance.exponential() / self.load.rate;
                let step = solve(piece.factor(self.within), slope, due)?;
                Some(self.within + step).filter(|at| *at < length)
            }
            Curve::Wave { amplitude, .. } => {
                // Tasks at the highest rate, of which those are left out that are too many.
                let highest = 1.0 + amplitude;
                let mut at = self.within;
                loop {
                    at += self.chance.exponential() / (self.load.rate * highest);
                    if at >= length {
                        return None;
                    }
                    if self.chance.unit() * highest < piece.factor(at) {
                        return Some(at);
                    }
                }
            }
        }
    }
}

impl Iterator for Stream {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        loop {
            let piece = Piece::of(&self.load.shape, self.load.length(), self.piece)?;
            let start = self.load.from.saturating_add(piece.start);
            if start >= self.end {
                return None;
            }
            if let Some(at) = self.next_in(&piece) {
                self.within = at;
                let at = start.saturating_add(Duration::from_secs_f64(at));
                return Some(at).filter(|at| *at < self.end);
            }
            self.piece += 1;
            self.within = 0.0;
        }
    }
}

/// Returns after how many seconds a rate that starts at `factor` and grows by `slope` a second adds up to `due`;
/// `None` if it never does.
fn solve(factor: f64, slope: f64, due: f64) -> Option<f64> {
    // Of slope / 2 x^2 + factor x = due; written so that nothing is lost where the slope is small.
    let root = factor * factor + 2.0 * slope * due;
    let below = factor + libm::sqrt(root.max(0.0));
    (root >= 0.0 && below > 0.0).then(|| 2.0 * due / below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_adds_up_to_what_is_due() {
        let cases = [
            (2.0, 0.0, 1.0, Some(0.5)),
            // 1 + x over 2 s is 4.
            (1.0, 1.0, 4.0, Some(2.0)),
            (0.0, 2.0, 9.0, Some(3.0)),
            // 3 - x over 1 s is 2.5; all that there is until it meets 0 is 4.5.
            (3.0, -1.0, 2.5, Some(1.0)),
            (3.0, -1.0, 4.6, None),
            (0.0, 0.0, 1.0, None),
            // Where the textbook's formula takes two equal numbers from each other.
            (1.0, 1e-15, 1.0, Some(1.0)),
        ];
        for (factor, slope, due, expected) in cases {
            let found = solve(factor, slope, due);
            let close = match (found, expected) {
                (Some(found), Some(expected)) => f64::abs(found - expected) < 1e-12,
                (found, expected) => found == expected,
            };
            assert!(close, "{factor} {slope} {due}: {found:?}, not {expected:?}");
        }
    }
}
