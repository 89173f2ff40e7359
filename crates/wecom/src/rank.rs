//! How important a call is to the limiter.

/// The importance of a call: small is important, 0 the most important and the default.
///
/// It decides who goes first when a window is used up, and how much of it must be left over for others.
/// With feature `dagor` it comes from a [`Priority`](https://docs.rs/dagor) and need not be set.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Rank(u16);

// === impl Rank ===

impl Rank {
    /// The most important: finds every window to its last call.
    pub const MOST_IMPORTANT: Self = Self(0);
    /// The least important.
    pub const LEAST_IMPORTANT: Self = Self(u16::MAX);

    /// Returns the rank of this number.
    #[must_use]
    pub const fn new(rank: u16) -> Self {
        Self(rank)
    }

    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> u16 {
        self.0
    }

    /// Returns how far from the most important it is: 0 for that one, 1 for the least important.
    #[must_use]
    pub fn fraction(self) -> f64 {
        f64::from(self.0) / f64::from(u16::MAX)
    }
}
