//! How tokens are kept: when they are refreshed, how often they may be fetched, how long anything may take.

use std::{ops::RangeInclusive, time::Duration};

use crate::error::Invalid;

/// The settings of a client's token. Every value is checked when it is set, so there are no wrong ones.
///
/// ```
/// use std::time::Duration;
/// use wecom::token::Settings;
///
/// # fn main() -> Result<(), wecom::error::Invalid> {
/// let settings = Settings::default()
///     .refresh_percent(80..=90)?
///     .fetches_per_minute(6)?
///     .breaker(Duration::from_secs(60), Duration::from_secs(1800))?;
/// let error = Settings::default().fetches_per_minute(0).unwrap_err();
/// assert_eq!(error.to_string(), r#"fetches_per_minute is "0"; allowed: 1 to 60"#);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
    refresh_percent: RangeInclusive<u8>,
    pub(super) fetches_per_minute: usize,
    /// How long the breaker stays open at first, and at most.
    pub(super) first_pause: Duration,
    pub(super) longest_pause: Duration,
    pub(super) fetch_timeout: Duration,
    pub(super) store_timeout: Duration,
    pub(super) lease: Duration,
}

// === impl Settings ===

impl Settings {
    /// Sets in which part of its life a token is refreshed, in percent. Default 85 to 90, allowed 10 to 99.
    ///
    /// Each token draws its moment from the range, so that those fetched together are not refreshed together.
    /// Too late and one failed attempt leaves no time for another; too early and WeCom is asked more often. A
    /// narrow range brings the crowd of a start-up back once in every life.
    ///
    /// # Errors
    ///
    /// If an end is outside 10 to 99, or the range is empty.
    pub fn refresh_percent(mut self, percent: RangeInclusive<u8>) -> Result<Self, Invalid> {
        if percent.is_empty() || *percent.start() < 10 || *percent.end() > 99 {
            let given = format!("{}..={}", percent.start(), percent.end());
            let allowed = "a range within 10..=99, its first end not above its last";
            return Err(Invalid::new("refresh_percent", given, allowed));
        }
        self.refresh_percent = percent;
        Ok(self)
    }

    /// Sets how many tokens one client fetches within any 60 s at most. Default 10, allowed 1 to 60.
    ///
    /// Failed fetches count. A healthy tenant needs one in two hours; the bound is for the day when somebody else
    /// keeps killing its token. Each process has its own bound.
    ///
    /// # Errors
    ///
    /// If it is outside 1 to 60.
    pub fn fetches_per_minute(mut self, fetches: u32) -> Result<Self, Invalid> {
        self.fetches_per_minute = match usize::try_from(fetches) {
            Ok(fetches @ 1..=60) => fetches,
            _ => return Err(Invalid::new("fetches_per_minute", fetches, "1 to 60")),
        };
        Ok(self)
    }

    /// Sets for how long nothing is fetched with a secret that was refused: at first, and at most.
    /// Default 1 minute and 1 hour, allowed 1 s to 24 hours.
    ///
    /// The pause doubles with every refusal. Too short and wrong secrets use up what the address may err in
    /// an hour ([`Egress`](super::Egress)); too long and a tenant whose administrator has put things
    /// right stays paused.
    ///
    /// # Errors
    ///
    /// If one is outside the range, or `first` is longer than `longest`.
    pub fn breaker(mut self, first: Duration, longest: Duration) -> Result<Self, Invalid> {
        let day = Duration::from_secs(24 * 3600);
        if first < Duration::from_secs(1) || first > longest || longest > day {
            let given = format!("{first:?} to {longest:?}");
            let allowed = "1 s to 24 h, the first not above the longest";
            return Err(Invalid::new("breaker", given, allowed));
        }
        (self.first_pause, self.longest_pause) = (first, longest);
        Ok(self)
    }

    /// Sets how long fetching a token may take, how long one call of the store may take, and after how long a
    /// lease ends by itself. Default 6 s, 1 s and 10 s; allowed 10 ms to 60 s, 10 ms to 10 s, and up to 5
    /// minutes.
    ///
    /// The lease must outlast the fetch and two calls of the store, or a second process would fetch while the
    /// first still waits. A process that dies while it fetches keeps the others waiting until its lease ends.
    ///
    /// # Errors
    ///
    /// If one is outside its range, or the lease is shorter than the fetch and two calls of the store.
    pub fn timeouts(
        mut self,
        fetch: Duration,
        store: Duration,
        lease: Duration,
    ) -> Result<Self, Invalid> {
        let least = Duration::from_millis(10);
        if fetch < least || fetch > Duration::from_secs(60) {
            return Err(Invalid::new(
                "fetch timeout",
                format!("{fetch:?}"),
                "10 ms to 60 s",
            ));
        }
        if store < least || store > Duration::from_secs(10) {
            return Err(Invalid::new(
                "store timeout",
                format!("{store:?}"),
                "10 ms to 10 s",
            ));
        }
        if lease < fetch + store * 2 || lease > Duration::from_secs(300) {
            let allowed = "the fetch timeout and twice the store timeout, to 5 minutes";
            return Err(Invalid::new("lease", format!("{lease:?}"), allowed));
        }
        (self.fetch_timeout, self.store_timeout, self.lease) = (fetch, store, lease);
        Ok(self)
    }

    /// Returns after how much of its life a token is refreshed; `draw`, from 0 to 1, says where in the range.
    pub(super) fn refresh_after(&self, whole: Duration, draw: f64) -> Duration {
        let (from, until) = (
            f64::from(*self.refresh_percent.start()),
            f64::from(*self.refresh_percent.end()),
        );
        whole.mul_f64((from + (until - from) * draw) / 100.0)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            refresh_percent: 85..=90,
            fetches_per_minute: 10,
            first_pause: Duration::from_secs(60),
            longest_pause: Duration::from_secs(3600),
            fetch_timeout: Duration::from_secs(6),
            store_timeout: Duration::from_secs(1),
            lease: Duration::from_secs(10),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    #[test]
    fn the_ends_of_each_range_are_allowed_and_what_is_beyond_is_named() {
        let new = Settings::default;
        assert!(new().fetches_per_minute(1).is_ok());
        assert!(new().fetches_per_minute(60).is_ok());
        assert_eq!(
            new().fetches_per_minute(61).unwrap_err().field(),
            "fetches_per_minute"
        );

        assert!(new().refresh_percent(10..=99).is_ok());
        assert!(new().refresh_percent(50..=50).is_ok());
        for wrong in [9..=50, 50..=100] {
            assert_eq!(
                new().refresh_percent(wrong).unwrap_err().field(),
                "refresh_percent"
            );
        }
        #[expect(clippy::reversed_empty_ranges, reason = "what is to be refused")]
        let reversed = new().refresh_percent(90..=80).unwrap_err();
        assert!(reversed.to_string().contains("90..=80"), "{reversed}");

        assert!(new().breaker(secs(1), secs(86_400)).is_ok());
        for (first, longest) in [(0, 9), (9, 8), (9, 86_401)] {
            let error = new().breaker(secs(first), secs(longest)).unwrap_err();
            assert_eq!(error.field(), "breaker");
        }

        assert!(new().timeouts(secs(60), secs(10), secs(80)).is_ok());
        let fields = [
            ((61, 1, 90), "fetch timeout"),
            ((0, 1, 90), "fetch timeout"),
            ((1, 11, 90), "store timeout"),
            ((8, 1, 9), "lease"),
            ((8, 1, 301), "lease"),
        ];
        for ((fetch, store, lease), field) in fields {
            let error = new()
                .timeouts(secs(fetch), secs(store), secs(lease))
                .unwrap_err();
            assert_eq!(error.field(), field);
        }
    }

    #[test]
    fn the_default_is_within_its_own_ranges() {
        let it = Settings::default();
        let again = Settings::default()
            .breaker(it.first_pause, it.longest_pause)
            .and_then(|new| new.timeouts(it.fetch_timeout, it.store_timeout, it.lease));
        assert!(again.is_ok());
    }

    #[test]
    fn a_refresh_falls_into_its_part_of_the_life() {
        let settings = Settings::default();
        assert_eq!(settings.refresh_after(secs(7200), 0.0), secs(6120));
        assert_eq!(settings.refresh_after(secs(7200), 1.0), secs(6480));
    }
}
