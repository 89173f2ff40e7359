//! How many tokens may be fetched within a minute.
//!
//! A sliding window: the moments of the last fetches, as many as are allowed. Not a bucket, whose burst and refill
//! together let twice as many through within some minute.

use std::{collections::VecDeque, time::Duration};

/// The fetches of the last minute.
#[derive(Debug)]
pub(super) struct Budget {
    allowed: usize,
    /// The latest `allowed` fetches, the oldest first.
    fetches: VecDeque<Duration>,
}

// === impl Budget ===

impl Budget {
    const WINDOW: Duration = Duration::from_secs(60);

    pub(super) fn new(allowed: usize) -> Self {
        Self {
            allowed,
            fetches: VecDeque::new(),
        }
    }

    /// Returns how long it is until another fetch is allowed: nothing, if it is now.
    pub(super) fn wait(&self, now: Duration) -> Option<Duration> {
        if self.fetches.len() < self.allowed {
            return None;
        }
        let free = self.fetches.front()?.saturating_add(Self::WINDOW);
        free.checked_sub(now).filter(|left| !left.is_zero())
    }

    /// Counts a fetch.
    pub(super) fn spend(&mut self, now: Duration) {
        if self.fetches.len() >= self.allowed {
            self.fetches.pop_front();
        }
        self.fetches.push_back(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_minute_sees_more_than_is_allowed() {
        let mut budget = Budget::new(3);
        let mut spent = Vec::new();
        for second in 0..600 {
            let now = Duration::from_millis(second * 700);
            match budget.wait(now) {
                None => {
                    budget.spend(now);
                    spent.push(now);
                }
                Some(left) => {
                    let oldest = spent[spent.len() - 3];
                    assert_eq!(left, oldest + Budget::WINDOW - now);
                }
            }
        }
        for four in spent.windows(4) {
            assert!(four[3] - four[0] >= Budget::WINDOW, "{four:?}");
        }
        assert_eq!(
            spent.len(),
            3 * 7,
            "and none less than is allowed in seven minutes"
        );
    }
}
