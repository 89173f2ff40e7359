//! The order of requests for peers that go by priority: the business first, then the user's place in it.

use super::{Place, pace::number};
use crate::wire::Call;

/// The numbers that businesses of a scenario have, in order, so that no level is empty because nobody has a number.
#[derive(Clone, Debug)]
pub(super) struct Ranks(Vec<u8>);

impl Ranks {
    /// Levels of one business.
    const USERS: f64 = 128.0;

    /// Returns those of the scenario.
    pub(super) fn of(place: &Place<'_>) -> Self {
        let businesses = &place.scenario.businesses;
        Self::new(businesses.iter().map(|business| business.number))
    }

    /// Returns those of these numbers.
    pub(super) fn new(numbers: impl IntoIterator<Item = u8>) -> Self {
        let mut numbers: Vec<u8> = numbers.into_iter().collect();
        numbers.sort_unstable();
        numbers.dedup();
        Self(numbers)
    }

    /// Returns how many businesses differ in importance, at least 1.
    pub(super) fn count(&self) -> usize {
        self.0.len().max(1)
    }

    /// Returns how many are more important than the call's.
    pub(super) fn rank(&self, call: &Call) -> usize {
        let above = self.0.partition_point(|&number| number < call.number);
        above.min(self.count() - 1)
    }

    /// Returns how many levels there are.
    pub(super) fn levels(&self) -> f64 {
        number(self.count()) * Self::USERS
    }

    /// Returns a call's level, from 0, which is the most important.
    pub(super) fn level(&self, call: &Call) -> f64 {
        number(self.rank(call)) * Self::USERS + f64::from(call.place >> 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::trial::{assert_close, call};

    #[test]
    fn business_goes_before_place_and_gaps_close() {
        let ranks = Ranks::new([7, 2, 7]);
        let level = |number, place| ranks.level(&call(number, place));
        assert_eq!(ranks.count(), 2);
        assert_close(ranks.levels(), 256.0);
        assert_close(level(2, 0), 0.0);
        assert_close(level(2, 0x7fff), 127.0);
        assert_close(level(7, 0), 128.0);
        assert_close(level(7, 0x7fff), 255.0);
        // Nobody in the scenario has this number.
        assert_close(level(200, 0), 128.0);
    }
}
