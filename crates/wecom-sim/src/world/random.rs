//! Everything that is random comes from one seed, through generators of their own for each purpose, so that
//! two purposes do not change each other's draws.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

use rand_core::Rng;
use rand_pcg::Pcg64Mcg;

/// A seeded source of random numbers that many tasks may share.
pub struct Random(Mutex<Pcg64Mcg>);

// === impl Random ===

impl Random {
    /// Returns the source of this seed and purpose; two purposes have nothing in common.
    #[must_use]
    pub fn new(seed: u64, purpose: &str) -> Self {
        let mut hash = blake3::Hasher::new();
        hash.update(&seed.to_le_bytes());
        hash.update(purpose.as_bytes());
        let mut state = [0; 16];
        hash.finalize_xof().fill(&mut state);
        Self(Mutex::new(Pcg64Mcg::new(u128::from_le_bytes(state))))
    }

    /// Returns any number.
    pub fn next(&self) -> u64 {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .next_u64()
    }

    /// Returns a number below `end`, each as likely; 0 if `end` is 0.
    pub fn below(&self, end: usize) -> usize {
        // Multiply and shift: the bias is below 2^-32 for any list that fits in memory.
        let end = u64::try_from(end).unwrap_or(u64::MAX);
        let high = (u128::from(self.next()) * u128::from(end)) >> 64;
        usize::try_from(high).unwrap_or_default()
    }

    /// Returns a number in 0..1.
    pub fn unit(&self) -> f64 {
        let high = u32::try_from(self.next() >> 32).unwrap_or_default();
        f64::from(high) / 4_294_967_296.0
    }

    /// Returns whether something of this likelihood (0 to 1) happens.
    pub fn happens(&self, share: f64) -> bool {
        self.unit() < share
    }
}

impl fmt::Debug for Random {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Random")
    }
}
