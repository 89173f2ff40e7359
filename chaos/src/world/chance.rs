//! Chance that is the same wherever and whenever a run is repeated.
//!
//! Everything that is drawn comes from a stream of its own, made from the seed and a name: service times of
//! one instance, arrivals of one load. So two policies meet the same users at the same moments.
//! Logarithms are `libm`'s, which gives the same bits on every machine.

use std::time::Duration;

use rand_core::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;

/// One stream of chance.
#[derive(Clone, Debug)]
pub struct Chance(Pcg64Mcg);

impl Chance {
    /// Returns the stream of this name in a run with this seed.
    #[must_use]
    pub fn new(seed: u64, name: &str, number: u64) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher
            .update(&seed.to_le_bytes())
            .update(&number.to_le_bytes())
            .update(name.as_bytes());
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Self(Pcg64Mcg::from_seed(bytes))
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number from 0 to below 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are what a double has")]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a whole number below `bound`, which must not be 0.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the result is below the bound"
    )]
    pub fn below(&mut self, bound: usize) -> usize {
        // The multiplication spreads 64 bits over the bound; the bias is below 2^-32 for bounds of 32 bits.
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// Returns a number drawn from the exponential distribution with mean 1.
    pub fn exponential(&mut self) -> f64 {
        -libm::log(1.0 - self.unit())
    }

    /// Returns a number drawn from the standard normal distribution.
    pub fn normal(&mut self) -> f64 {
        // Box and Muller; the second number is left unused, so that draws do not depend on each other.
        let radius = libm::sqrt(2.0 * self.exponential());
        radius * libm::cos(std::f64::consts::TAU * self.unit())
    }

    /// Returns an exponential duration.
    pub fn exponential_time(&mut self, mean: Duration) -> Duration {
        mean.mul_f64(self.exponential())
    }
}
