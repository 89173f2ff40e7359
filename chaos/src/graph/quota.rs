//! The quota of a third party: so many requests a second, and not much more at once.

use std::time::Duration;

use http::{HeaderValue, StatusCode, header::RETRY_AFTER};

use crate::wire::{Response, respond};

/// A bucket that fills at the quota and holds what comes in in [`BURST`] of a second, at least one request.
///
/// Kept as the moment when it would be full (the generic cell rate algorithm), which is exact.
#[derive(Debug)]
pub(super) struct Quota {
    /// From one request to the next.
    interval: Duration,
    /// How far ahead of time a request may come.
    tolerance: Duration,
    /// When the next is due.
    due: Duration,
}

/// The share of a second's quota that may come at once.
const BURST: f64 = 0.05;
/// Between requests at the smallest quota.
const LONGEST: Duration = Duration::from_secs(3_600);

impl Quota {
    /// A full bucket of `rate` requests a second; less than one an hour is one an hour.
    pub(super) fn new(rate: f64) -> Self {
        let interval = Duration::try_from_secs_f64(1.0 / rate).unwrap_or(LONGEST);
        let interval = interval.min(LONGEST);
        let burst = Duration::from_secs_f64(BURST);
        Self {
            interval,
            tolerance: burst.saturating_sub(interval),
            due: Duration::ZERO,
        }
    }

    /// Takes a request's worth; `false` if there is none.
    pub(super) fn take(&mut self, now: Duration) -> bool {
        let enough = self.due <= now.saturating_add(self.tolerance);
        if enough {
            self.due = self.due.max(now).saturating_add(self.interval);
        }
        enough
    }
}

/// Returns the answer to a request over the quota: 429, to come back in a second, the least that
/// `retry-after` can say.
pub(super) fn throttle() -> Response {
    let mut response = respond(StatusCode::TOO_MANY_REQUESTS);
    let headers = response.headers_mut();
    headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lets_the_quota_through_and_a_twentieth_of_a_second_at_once() {
        let mut quota = Quota::new(100.0);
        let at_once = (0..50).filter(|_| quota.take(Duration::ZERO)).count();
        assert_eq!(at_once, 5, "a burst");

        let step = Duration::from_millis(1);
        let passed = (1..=10_000).filter(|&ms| quota.take(step * ms)).count();
        assert_eq!(
            passed, 1_000,
            "100 a second for ten seconds, asked 1,000 times a second"
        );
    }

    #[test]
    fn a_small_quota_still_lets_one_through() {
        let mut quota = Quota::new(2.0);
        assert!(quota.take(Duration::ZERO));
        assert!(!quota.take(Duration::from_millis(400)));
        assert!(quota.take(Duration::from_millis(500)));
    }

    #[test]
    fn what_was_not_used_is_not_saved() {
        let mut quota = Quota::new(100.0);
        let hour = Duration::from_secs(3_600);
        assert_eq!((0..50).filter(|_| quota.take(hour)).count(), 5);
    }

    #[test]
    fn says_when_to_come_back() {
        let response = throttle();
        assert!(crate::wire::is_refusal(&response));
        assert_eq!(response.headers()[RETRY_AFTER], "1");
    }
}
