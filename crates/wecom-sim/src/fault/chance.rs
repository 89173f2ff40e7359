//! Draws that depend on nothing but the seed and what they are for.

/// A few numbers drawn for one purpose.
#[derive(Clone, Debug)]
pub(crate) struct Draw(u64);

// === impl Draw ===

impl Draw {
    /// Returns the draws for what has these two numbers.
    pub(crate) fn new(seed: u64, first: u64, second: u64) -> Self {
        Self(mixed(mixed(mixed(seed) ^ first) ^ second))
    }

    /// Returns a number from 0 to below 1.
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = mixed(self.0);
        let high = u32::try_from(self.0 >> 32).unwrap_or_default();
        f64::from(high) / 4_294_967_296.0
    }

    /// Returns a whole number below `end`, each as likely; 0 if `end` is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = mixed(self.0);
        let end = u64::try_from(end).unwrap_or(u64::MAX);
        let high = (u128::from(self.0) * u128::from(end)) >> 64;
        usize::try_from(high).unwrap_or_default()
    }

    /// Returns a number drawn from the exponential distribution with mean 1.
    pub(crate) fn exponential(&mut self) -> f64 {
        -(1.0 - self.unit()).ln()
    }

    /// Returns a number drawn from the standard normal distribution.
    pub(crate) fn normal(&mut self) -> f64 {
        // Box and Muller.
        let radius = (2.0 * self.exponential()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// Sixty-four bits of which each depends on all of `bits`: the finalizer of `SplitMix64` (Steele, Lea and Flood 2014).
const fn mixed(bits: u64) -> u64 {
    let bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
