//! Numbers that look random and are the same in each run.

use std::time::Duration;

use super::SEED;

/// `SplitMix64`: enough for the moments of calls.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

// === impl Random ===

impl Random {
    /// Returns the numbers of the seed for one purpose.
    pub(crate) const fn new(purpose: u64) -> Self {
        Self(SEED.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ purpose)
    }

    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % end).unwrap_or(0)
    }

    /// Returns a number from 0 to below 1.
    pub(crate) fn unit(&mut self) -> f64 {
        let high = u32::try_from(self.next() >> 32).unwrap_or(0);
        f64::from(high) / (f64::from(u32::MAX) + 1.0)
    }

    /// Returns the time until the next of events that come at random so often.
    pub(crate) fn exponential(&mut self, per_second: f64) -> Duration {
        Duration::from_secs_f64(-(1.0 - self.unit()).ln() / per_second)
    }
}
