//! How many tasks a load is to bring.

use std::time::Duration;

use super::piece::Piece;
use crate::scenario::Load;

impl Load {
    /// Returns how many tasks a second it is expected to bring at `at`, since the start of the run; 0 before and
    /// after it.
    #[must_use]
    pub fn rate_at(&self, at: Duration) -> f64 {
        let since = at.checked_sub(self.from);
        let Some(at) = since.filter(|at| *at < self.length()) else {
            return 0.0;
        };
        let number = Piece::number_at(&self.shape, at);
        Piece::of(&self.shape, self.length(), number).map_or(0.0, |piece| {
            // Not before the start: the number is that of the piece that `at` is in.
            let within = at.saturating_sub(piece.start).as_secs_f64();
            self.rate * piece.factor(within)
        })
    }

    /// Returns how many tasks it is expected to bring from `from` until `until`, since the start of the run.
    #[must_use]
    pub fn expected(&self, from: Duration, until: Duration) -> f64 {
        let (from, until) = (
            from.saturating_sub(self.from),
            until.saturating_sub(self.from),
        );
        let mut sum = 0.0;
        for number in Piece::number_at(&self.shape, from).. {
            match Piece::of(&self.shape, self.length(), number) {
                Some(piece) if piece.start < until => {
                    let within = |at: Duration| {
                        let at = at.clamp(piece.start, piece.end);
                        (at - piece.start).as_secs_f64()
                    };
                    sum += piece.sum(within(from), within(until));
                }
                _ => break,
            }
        }
        self.rate * sum
    }

    /// Returns how long it lasts.
    pub(super) fn length(&self) -> Duration {
        self.until.saturating_sub(self.from)
    }
}
