//! How many retries there may be: so many for a hundred calls, and no more than that saved up.

use std::sync::Arc;

use crate::{
    priority::OutOfRange,
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

/// How many retries there may be; shared by its clones, usually one for each callee.
#[derive(Clone, Debug)]
pub struct RetryBudget(Arc<Account>);

/// In hundredths of a retry.
#[derive(Debug)]
struct Account {
    saved: AtomicU32,
    percent: u32,
    most: u32,
}

// === impl RetryBudget ===

impl RetryBudget {
    const RETRY: u32 = 100;

    /// Returns a budget of `percent` retries for 100 calls (1 to 10), which saves up at most `burst` retries
    /// (1 to 10,000). It begins with nothing saved. The default is 10 % and 10 retries.
    ///
    /// # Errors
    ///
    /// If one of them is out of its range; the error names it.
    pub fn new(percent: u32, burst: u32) -> Result<Self, OutOfRange> {
        let checked = [
            ("retry percent", percent, (1, 10)),
            ("retry burst", burst, (1, 10_000)),
        ];
        for (what, value, (low, high)) in checked {
            if !(low..=high).contains(&u64::from(value)) {
                return Err(OutOfRange::new(what, value.into(), (low, high)));
            }
        }
        Ok(Self::make(percent, burst))
    }

    fn make(percent: u32, burst: u32) -> Self {
        Self(Arc::new(Account {
            saved: AtomicU32::new(0),
            percent,
            most: burst * Self::RETRY,
        }))
    }

    /// Pays in what one call is worth.
    pub(super) fn deposit(&self) {
        self.add(self.0.percent);
    }

    /// Takes back a retry that was paid and not made.
    pub(super) fn refund(&self) {
        self.add(Self::RETRY);
    }

    /// Pays for a retry; returns whether enough was saved.
    pub(super) fn withdraw(&self) -> bool {
        let paid = |saved: u32| saved.checked_sub(Self::RETRY);
        self.0.saved.fetch_update(Relaxed, Relaxed, paid).is_ok()
    }

    fn add(&self, hundredths: u32) {
        let most = self.0.most;
        // Never fails: there is always a next value.
        let _ = self.0.saved.fetch_update(Relaxed, Relaxed, |saved| {
            Some(saved.saturating_add(hundredths).min(most))
        });
    }
}

impl Default for RetryBudget {
    fn default() -> Self {
        Self::make(10, 10)
    }
}
