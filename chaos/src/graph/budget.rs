//! A retry budget: of the calls of the last ten seconds, a share may be repeated.

use std::time::Duration;

/// Tokens that calls leave and retries take, forgotten after ten seconds.
///
/// As Finagle's and tower's: a share of a token for each call, a whole one for each retry. There is no reserve,
/// so retries never exceed the share of calls. In whole millionths, so that sums are exact.
#[derive(Debug)]
pub(super) struct Budget {
    /// Left by each call.
    deposit: u64,
    /// What is left of each second's, the current one at `second % SECONDS`.
    left: [u64; SECONDS],
    /// The current one.
    second: u64,
}

/// How long tokens last.
const SECONDS: usize = 10;
/// What a retry takes.
const TOKEN: u64 = 1_000_000;

impl Budget {
    /// Returns the budget of this share, 0 to 1 (or more, if somebody so wishes).
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a few at most, checked when read, times a million"
    )]
    pub(super) fn new(share: f64) -> Self {
        Self {
            deposit: (share * 1e6).round() as u64,
            left: [0; SECONDS],
            second: 0,
        }
    }

    /// A call is made that is no retry.
    pub(super) fn call(&mut self, now: Duration) {
        self.forget(now);
        let current = Self::slot(self.second);
        self.left[current] += self.deposit;
    }

    /// A retry wants to be made; `false` if there is no token for it.
    pub(super) fn retry(&mut self, now: Duration) -> bool {
        self.forget(now);
        if self.left.iter().sum::<u64>() < TOKEN {
            return false;
        }
        let mut owed = TOKEN;
        // The oldest first: it is forgotten next.
        for age in (0..SECONDS as u64).rev() {
            let slot = Self::slot(self.second.wrapping_sub(age));
            let taken = owed.min(self.left[slot]);
            self.left[slot] -= taken;
            owed -= taken;
        }
        true
    }

    /// Empties the seconds that are over ten old.
    fn forget(&mut self, now: Duration) {
        let passed = now.as_secs().saturating_sub(self.second);
        for step in 1..=passed.min(SECONDS as u64) {
            let slot = Self::slot(self.second + step);
            self.left[slot] = 0;
        }
        self.second = self.second.max(now.as_secs());
    }

    #[expect(clippy::cast_possible_truncation, reason = "a remainder of ten")]
    const fn slot(second: u64) -> usize {
        (second % SECONDS as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_of_the_calls_may_be_repeated() {
        let mut budget = Budget::new(0.1);
        let mut retries = 0;
        for call in 0..1_000 {
            let now = Duration::from_millis(call * 5);
            budget.call(now);
            retries += u32::from(budget.retry(now));
        }
        assert_eq!(retries, 100, "exactly");
    }

    #[test]
    fn tokens_are_forgotten_after_ten_seconds() {
        let mut budget = Budget::new(0.5);
        (0..4).for_each(|_| budget.call(Duration::ZERO));
        assert!(budget.retry(Duration::from_millis(9_999)), "one of the two");
        assert!(!budget.retry(Duration::from_secs(10)), "the other is gone");
        assert!(!budget.retry(Duration::from_secs(1_000)));
    }

    #[test]
    fn the_oldest_tokens_are_taken_first() {
        let mut budget = Budget::new(1.0);
        budget.call(Duration::from_secs(1));
        budget.call(Duration::from_secs(8));
        assert!(budget.retry(Duration::from_secs(9)));
        assert!(
            budget.retry(Duration::from_secs(17)),
            "that of the eighth second is still there"
        );
    }
}
