//! The tokens of one enterprise: given out, replaced, expired and killed.

use crate::profile::{TokenMode, Tokens as Rules};

/// Those that were given out and may still be good.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    next: u32,
    given: Vec<Given>,
}

#[derive(Debug)]
struct Given {
    serial: u32,
    /// When `expires_in` ends, in ns of the clock.
    expires: u64,
    /// When it dies all the same, in ns of the clock.
    dies: u64,
}

/// How many are remembered at least, so that an expired one is told from one that never was.
const REMEMBERED: usize = 64;

const SECOND: u64 = 1_000_000_000;

// === impl Tokens ===

impl Tokens {
    /// Returns the serial of the token that `gettoken` answers with at `now`, and its `expires_in`.
    pub(crate) fn give(&mut self, now: u64, rules: &Rules) -> (u32, u64) {
        let same = matches!(rules.mode, TokenMode::Stable | TokenMode::EarlyKill);
        let alive = |given: &&Given| now < given.expires && now < given.dies;
        if let Some(given) = self.given.iter().rev().find(alive).filter(|_| same) {
            // Rounded up: a token is not said to have ended before it has.
            return (given.serial, (given.expires - now).div_ceil(SECOND));
        }
        let spared_until = match rules.mode {
            TokenMode::RotatingOldValid => after(now, rules.overlap_s),
            TokenMode::RotatingOldDead => now,
            TokenMode::Stable | TokenMode::EarlyKill => u64::MAX,
        };
        for old in &mut self.given {
            old.dies = old.dies.min(spared_until);
        }
        if self.given.len() >= REMEMBERED {
            self.given.retain(|given| alive(&given));
        }
        let serial = self.next;
        self.next = self.next.wrapping_add(1);
        self.given.push(Given {
            serial,
            expires: after(now, rules.lasts_s),
            dies: match rules.mode {
                TokenMode::EarlyKill => after(now, rules.killed_after_s),
                _ => u64::MAX,
            },
        });
        (serial, rules.lasts_s)
    }

    /// Says whether the token of this serial is good at `now`.
    ///
    /// # Errors
    ///
    /// With the `errcode` that a call with it is answered with.
    pub(crate) fn check(&self, serial: u32, now: u64, rules: &Rules) -> Result<(), i64> {
        match self.given.iter().rfind(|given| given.serial == serial) {
            Some(given) if now >= given.dies => Err(rules.killed_code),
            Some(given) if now >= given.expires => Err(rules.expired_code),
            Some(_) => Ok(()),
            None => Err(40014),
        }
    }

    /// Kills those that are good at `now`; returns how many.
    pub(crate) fn kill(&mut self, now: u64) -> usize {
        let mut killed = 0;
        for given in &mut self.given {
            if now < given.expires && now < given.dies {
                given.dies = now;
                killed += 1;
            }
        }
        killed
    }
}

impl Tokens {
    /// Makes those that are good at `now` as old as they get; returns how many.
    pub(crate) fn expire(&mut self, now: u64) -> usize {
        let good = |given: &&mut Given| now < given.expires && now < given.dies;
        let good = self.given.iter_mut().filter(good);
        good.map(|given| given.expires = now).count()
    }
}

fn after(now: u64, seconds: u64) -> u64 {
    now.saturating_add(seconds.saturating_mul(SECOND))
}
