//! Shapes cut into pieces that can be calculated with.

use std::time::Duration;

use crate::scenario::Shape;

/// A piece of a shape. Times are since the load's `from`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Piece {
    pub(super) start: Duration,
    /// Not before the start; a piece may be empty.
    pub(super) end: Duration,
    pub(super) curve: Curve,
}

/// How the rate goes in a piece, as a factor of the load's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Curve {
    /// Straight from one to the other.
    Line {
        /// At the start.
        from: f64,
        /// At the end.
        to: f64,
    },
    /// 1 + amplitude x sin(2 pi t / period).
    Wave {
        /// 0 to 1.
        amplitude: f64,
        /// In seconds.
        period: f64,
    },
}

// === impl Piece ===

impl Piece {
    /// Returns the piece of this number, of a load that is `length` long; `None` after the last. Each begins where
    /// the one before it ends.
    pub(super) fn of(shape: &Shape, length: Duration, number: usize) -> Option<Self> {
        let level = Curve::level;
        let piece = match shape {
            Shape::Steady => Self::in_turn(number, &[(ENDLESS, level(1.0))]),
            Shape::Step { at, factor } => {
                Self::in_turn(number, &[(*at, level(1.0)), (ENDLESS, level(*factor))])
            }
            Shape::Ramp { factor } => Self::in_turn(number, &[(length, Curve::line(1.0, *factor))]),
            Shape::Sinusoid { amplitude, period } => {
                let curve = Curve::wave(*amplitude, *period);
                Self::in_turn(number, &[(ENDLESS, curve)])
            }
            Shape::FlashCrowd {
                at,
                factor,
                rise,
                hold,
                fall,
            } => {
                let pieces = [
                    (*at, level(1.0)),
                    (*rise, Curve::line(1.0, *factor)),
                    (*hold, level(*factor)),
                    (*fall, Curve::line(*factor, 1.0)),
                    (ENDLESS, level(1.0)),
                ];
                Self::in_turn(number, &pieces)
            }
            Shape::Bursts {
                factor,
                length,
                every,
            } => Some(Self::burst(number, *factor, *length, *every)),
            Shape::Replay { bin, counts } => counts.get(number).map(|count| {
                let curve = level(count / bin.as_secs_f64());
                Self {
                    start: times(*bin, number),
                    end: times(*bin, number + 1),
                    curve,
                }
            }),
        }?;
        let end = piece.end.min(length);
        (piece.start < length).then_some(Self { end, ..piece })
    }

    /// Returns the number of the piece that `at` is in, or of an empty one there.
    pub(super) fn number_at(shape: &Shape, at: Duration) -> usize {
        match shape {
            Shape::Bursts { length, every, .. } => {
                let before = fits(at, *every);
                let within = at.saturating_sub(times(*every, before));
                2 * before + usize::from(within >= *length)
            }
            Shape::Replay { bin, .. } => fits(at, *bin),
            _ => {
                // A handful of them, the last without an end.
                let ends = (0..).map_while(|number| Self::of(shape, Duration::MAX, number));
                ends.take_while(|piece| piece.end <= at).count()
            }
        }
    }

    /// Returns how long it is, in seconds.
    pub(super) fn seconds(&self) -> f64 {
        (self.end - self.start).as_secs_f64()
    }

    /// Returns the factor `within` seconds after the start.
    pub(super) fn factor(&self, within: f64) -> f64 {
        match self.curve {
            Curve::Line { from, to } => {
                let seconds = self.seconds();
                let done = if seconds > 0.0 { within / seconds } else { 0.0 };
                from + (to - from) * done
            }
            Curve::Wave { amplitude, period } => {
                let turn = std::f64::consts::TAU * within / period;
                1.0 + amplitude * libm::sin(turn)
            }
        }
    }

    /// Returns the sum of the factor over time from `from` to `until`, seconds after the start.
    pub(super) fn sum(&self, from: f64, until: f64) -> f64 {
        match self.curve {
            Curve::Line { .. } => {
                let mean = f64::midpoint(self.factor(from), self.factor(until));
                mean * (until - from)
            }
            Curve::Wave { amplitude, period } => {
                let turn = std::f64::consts::TAU / period;
                let wave = libm::cos(turn * from) - libm::cos(turn * until);
                until - from + amplitude * wave / turn
            }
        }
    }

    /// Returns one of some pieces that are given by how long each is.
    fn in_turn(number: usize, pieces: &[(Duration, Curve)]) -> Option<Self> {
        let (length, curve) = *pieces.get(number)?;
        let start = pieces[..number]
            .iter()
            .fold(Duration::ZERO, |sum, (length, _)| {
                sum.saturating_add(*length)
            });
        Some(Self {
            start,
            end: start.saturating_add(length),
            curve,
        })
    }

    /// Returns a burst (even numbers) or what is between two.
    fn burst(number: usize, factor: f64, length: Duration, every: Duration) -> Self {
        let start = times(every, number / 2);
        if number.is_multiple_of(2) {
            Self {
                start,
                end: start.saturating_add(length),
                curve: Curve::level(factor),
            }
        } else {
            Self {
                start: start.saturating_add(length),
                end: times(every, number / 2 + 1),
                curve: Curve::level(1.0),
            }
        }
    }
}

// === impl Curve ===

impl Curve {
    const fn level(factor: f64) -> Self {
        Self::line(factor, factor)
    }

    const fn line(from: f64, to: f64) -> Self {
        Self::Line { from, to }
    }

    const fn wave(amplitude: f64, period: Duration) -> Self {
        let period = period.as_secs_f64();
        Self::Wave { amplitude, period }
    }
}

/// The last piece of many shapes goes on until the load ends.
const ENDLESS: Duration = Duration::MAX;

fn times(span: Duration, many: usize) -> Duration {
    span.saturating_mul(u32::try_from(many).unwrap_or(u32::MAX))
}

/// Returns how often `span` fits into `whole`.
fn fits(whole: Duration, span: Duration) -> usize {
    let span = span.as_nanos().max(1);
    usize::try_from(whole.as_nanos() / span).unwrap_or(usize::MAX)
}
