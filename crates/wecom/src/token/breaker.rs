//! Stops fetching with a secret that is refused.
//!
//! Wrong secrets count against the *address* from which all tenants are served (see [`egress`](super::egress)),
//! so a tenant whose secret is refused stops by itself, at once. *Opens* with every answer that repeating does
//! not mend: whatever has an `errcode` and is not transient, a limit, or about the provider's own
//! token. *Half open* when the pause is over: one attempt, for there is never more than one
//! under way. *Closes* when a token is got, or another process has got one.
//!
//! Each process has its own. With eight of them a wrong secret is tried eight times where one would try
//! once: 6 attempts each in the first hour and one an hour after that.

use std::time::Duration;

use crate::error::{Class, Errcode, Error, NoToken};

/// Whether a secret may be tried.
#[derive(Debug)]
pub(super) struct Breaker {
    first: Duration,
    longest: Duration,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    until: Duration,
    /// How long the present pause is; the next one doubles it.
    pause: Duration,
    errcode: Errcode,
}

/// What the failure of a fetch says.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Verdict {
    /// The secret, or the tenant, is refused: repeating it changes nothing.
    Refused(Errcode),
    /// The address calls too often, or has been wrong too often.
    Banned,
    /// Something else, that may pass.
    Passing,
}

// === impl Breaker ===

impl Breaker {
    pub(super) const fn new(first: Duration, longest: Duration) -> Self {
        Self {
            first,
            longest,
            open: None,
        }
    }

    /// Returns how long the secret must not be tried, and what it was refused with; nothing, if it may be.
    fn wait(&self, now: Duration) -> Option<(Duration, Errcode)> {
        let open = self.open.as_ref()?;
        let left = open.until.checked_sub(now)?;
        (!left.is_zero()).then_some((left, open.errcode))
    }

    /// Returns what callers are told while the secret must not be tried; nothing, if it may be.
    pub(super) fn refusal(&self, now: Duration) -> Option<NoToken> {
        let (retry_after, errcode) = self.wait(now)?;
        Some(NoToken::Breaker {
            retry_after,
            errcode,
        })
    }

    /// Opens, for twice as long as the last time; returns for how long.
    pub(super) fn refused(&mut self, now: Duration, errcode: Errcode) -> Duration {
        let pause = match &self.open {
            None => self.first,
            Some(open) => open.pause.saturating_mul(2).min(self.longest),
        };
        self.open = Some(Open {
            until: now.saturating_add(pause),
            pause,
            errcode,
        });
        pause
    }

    /// Closes: the secret is good.
    pub(super) fn accepted(&mut self) {
        self.open = None;
    }
}

/// Returns what a failed fetch says of the secret and of the address.
pub(super) fn judge(error: &Error) -> Verdict {
    match (error.errcode(), error.class()) {
        (Some(Errcode::FREQUENCY), _) => Verdict::Banned,
        (None, _) | (_, Class::Transient | Class::Throttled | Class::Token | Class::Conflict) => {
            Verdict::Passing
        }
        (Some(errcode), _) => Verdict::Refused(errcode),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        error::{Kind, Refused},
        name::Api,
    };

    fn answer(errcode: i64) -> Error {
        let refused = Refused {
            errcode: Errcode(errcode),
            hint: None,
        };
        Error::new(Api::new("gettoken"), Kind::Refused(refused))
    }

    #[test]
    fn the_pause_doubles_to_its_longest_and_a_success_forgets_it() {
        let secs = Duration::from_secs;
        let mut breaker = Breaker::new(secs(60), secs(3600));
        let mut now = Duration::ZERO;
        let mut pauses = Vec::new();
        for _ in 0..8 {
            assert_eq!(breaker.wait(now), None);
            let pause = breaker.refused(now, Errcode(40001));
            pauses.push(pause.as_secs());
            let nearly = now + pause - Duration::from_nanos(1);
            assert_eq!(
                breaker.wait(nearly),
                Some((Duration::from_nanos(1), Errcode(40001)))
            );
            now += pause;
        }
        assert_eq!(pauses, [60, 120, 240, 480, 960, 1920, 3600, 3600]);
        breaker.accepted();
        assert_eq!(breaker.refused(now, Errcode(40001)), secs(60));
    }

    #[test]
    fn only_what_repeating_does_not_mend_is_a_refusal() {
        for errcode in [40001, 40013, 40084, 60020, 301_007] {
            assert_eq!(judge(&answer(errcode)), Verdict::Refused(Errcode(errcode)));
        }
        assert_eq!(judge(&answer(45009)), Verdict::Banned);
        assert_eq!(judge(&answer(-1)), Verdict::Passing);
        let lost = Error::new(Api::new("gettoken"), Kind::Lost("reset".into()));
        assert_eq!(judge(&lost), Verdict::Passing);
    }
}
