//! The token at hand.

use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

use super::{Settings, Stored};
use crate::secret::Secret;

/// The token that calls are made with.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) token: Secret,
    pub(super) generation: u64,
    pub(super) whole: Duration,
    /// When WeCom will no longer take it.
    expires: Duration,
    /// When to refresh it, in nanoseconds; [`UNDER_WAY`](Self::UNDER_WAY) while somebody is at it. Read by every
    /// call, claimed by one.
    refresh: AtomicU64,
}

// === impl Held ===

impl Held {
    const UNDER_WAY: u64 = u64::MAX;
    /// A token is not used for the last of its life: a call takes time to arrive.
    const MARGIN: Duration = Duration::from_secs(5);
    /// And of a short life for this part.
    const MARGIN_PART: u32 = 10;
    /// A longer life is not believed, so that sums of moments stay in range.
    const LONGEST: Duration = Duration::from_secs(30 * 24 * 3600);

    /// Returns a token as it was found or fetched. `asked` is the moment *before* that was asked for, for
    /// its life may have begun then. `draw`, from 0 to 1, says where in its range the refresh falls.
    pub(super) fn new(stored: Stored, asked: Duration, settings: &Settings, draw: f64) -> Self {
        let whole = stored.whole.min(Self::LONGEST);
        let expires = asked.saturating_add(stored.lasts.min(whole));
        // Counted from the end, for the beginning may lie before this clock's.
        let rest = whole.saturating_sub(settings.refresh_after(whole, draw));
        let refresh = expires.saturating_sub(rest);
        Self {
            token: stored.token,
            generation: stored.generation,
            whole,
            expires,
            refresh: AtomicU64::new(nanos(refresh)),
        }
    }

    /// Returns when its life began, by this process's clock; 0 if that was before the clock began.
    pub(super) fn begun(&self) -> Duration {
        self.expires.saturating_sub(self.whole)
    }

    /// Returns how long before its end a token that lives so long is no longer used.
    pub(super) fn margin(whole: Duration) -> Duration {
        Self::MARGIN.min(whole / Self::MARGIN_PART)
    }

    /// Returns whether calls may be made with it.
    pub(super) fn usable(&self, now: Duration) -> bool {
        now.saturating_add(Self::margin(self.whole)) < self.expires
    }

    /// Returns how long WeCom will still take it.
    pub(super) fn lasts(&self, now: Duration) -> Duration {
        self.expires.saturating_sub(now)
    }

    /// Claims the refresh, if it is due and nobody is at it.
    pub(super) fn claim(&self, now: Duration) -> bool {
        let due = self.refresh.load(Relaxed);
        due <= nanos(now)
            && self
                .refresh
                .compare_exchange(due, Self::UNDER_WAY, Relaxed, Relaxed)
                .is_ok()
    }

    /// Gives a claim back, to be taken again after `until`.
    pub(super) fn put_off(&self, until: Duration) {
        // Nothing if it was not claimed: then it is not due yet.
        let _ = self
            .refresh
            .compare_exchange(Self::UNDER_WAY, nanos(until), Relaxed, Relaxed);
    }
}

/// Returns the moment in nanoseconds; later ones than can be told (in 584 years) are all the same.
fn nanos(moment: Duration) -> u64 {
    u64::try_from(moment.as_nanos())
        .map_or(Held::UNDER_WAY - 1, |nanos| nanos.min(Held::UNDER_WAY - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    fn held(lasts: u64, whole: u64, asked: u64) -> Held {
        let stored = Stored {
            token: Secret::from("t"),
            lasts: secs(lasts),
            whole: secs(whole),
            generation: 1,
        };
        Held::new(stored, secs(asked), &Settings::default(), 0.0)
    }

    #[test]
    fn it_is_not_used_for_the_last_seconds_of_its_life() {
        let held = held(7200, 7200, 100);
        assert!(held.usable(secs(7294)));
        assert!(!held.usable(secs(7295)));
    }

    #[test]
    fn a_short_life_loses_a_tenth_to_the_margin() {
        let held = held(10, 10, 0);
        assert!(held.usable(secs(8)));
        assert!(!held.usable(secs(9)));
    }

    #[test]
    fn a_found_one_is_refreshed_when_its_whole_life_says_and_by_one_alone() {
        let held = held(1200, 7200, 10_000);
        let due = secs(10_000 + 1200 - 7200 + 6120);
        assert!(!held.claim(due - secs(1)));
        assert!(held.claim(due));
        assert!(!held.claim(due + secs(60)), "somebody is at it");
        held.put_off(due + secs(90));
        assert!(!held.claim(due + secs(89)));
        assert!(held.claim(due + secs(90)));
    }

    #[test]
    fn a_process_that_has_just_begun_refreshes_an_old_one_in_time() {
        let held = held(1200, 7200, 10);
        let due = secs(10 + 1200 - 1080);
        assert!(!held.claim(due - secs(1)));
        assert!(held.claim(due));
    }

    #[test]
    fn a_life_beyond_all_bounds_is_cut() {
        let stored = Stored {
            token: Secret::from("t"),
            lasts: Duration::MAX,
            whole: Duration::MAX,
            generation: 1,
        };
        let held = Held::new(stored, secs(5), &Settings::default(), 1.0);
        assert!(held.usable(secs(5)));
        assert!(!held.usable(Held::LONGEST));
    }
}
