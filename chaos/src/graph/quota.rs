//! The quota of a third party: so many requests a second, and not much more at once.

use std::time::Duration;

use http::{HeaderValue, StatusCode, header::RETRY_AFTER};

use crate::wire::{Response, respond};

/// A bucket of tokens, one for each request.
///
/// It fills at the quota and holds what comes in in [`BURST`] of a second, at least one.
#[derive(Debug)]
pub(super) struct Quota {
    /// Tokens a second.
    rate: f64,
    /// Tokens there are.
    tokens: f64,
    /// When that was.
    at: Duration,
}

/// The share of a second's quota that may come at once.
const BURST: f64 = 0.05;

impl Quota {
    /// A full bucket of `rate` requests a second.
    pub(super) fn new(rate: f64) -> Self {
        let at = Duration::ZERO;
        let tokens = Self::burst(rate);
        Self { rate, tokens, at }
    }

    /// Takes a token; `false` if there is none.
    pub(super) fn take(&mut self, now: Duration) -> bool {
        let since = now.saturating_sub(self.at).as_secs_f64();
        self.tokens = (self.tokens + since * self.rate).min(Self::burst(self.rate));
        self.at = now;
        // A token that came in by many small steps is one, however they were rounded.
        let enough = self.tokens >= 1.0 - 1e-9;
        if enough {
            self.tokens -= 1.0;
        }
        enough
    }

    fn burst(rate: f64) -> f64 {
        (rate * BURST).max(1.0)
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
    fn a_small_quota_still_has_one_token() {
        let mut quota = Quota::new(2.0);
        assert!(quota.take(Duration::ZERO));
        assert!(!quota.take(Duration::from_millis(400)));
        assert!(quota.take(Duration::from_millis(500)));
    }
}
