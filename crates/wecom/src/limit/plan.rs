//! The numbers that a limiter calculates with, made from its settings once.
//!
//! All whole: times in microseconds, so that Rust and Lua reckon alike to the last digit.

use std::time::Duration;

use super::settings::Limits;
use crate::rank::Rank;

/// In how many slots the long window is counted: each at most 1 % of it.
///
/// What is counted is one slot more than the window, which costs that much of it; and with one more a hash in Redis
/// stays in its compact form (up to 128 fields by default).
const SLOTS: u64 = 120;

/// A moment or a length of time in microseconds.
pub(super) type Micros = u64;

/// The settings as numbers.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) limits: Limits,
    /// Calls in any interval of `minute` and the skew.
    pub(super) calls: u64,
    /// The short window.
    pub(super) minute: Micros,
    /// How far ahead of its even pace the sending may be.
    pub(super) credit: Micros,
    /// `minute`, the skew and `credit`: what `calls - 1` costs of time must fill.
    pub(super) span: Micros,
    /// Calls in the slots that are counted.
    pub(super) hour_calls: u64,
    /// The long window and the skew.
    #[cfg_attr(not(feature = "redis"), expect(dead_code, reason = "for the scripts"))]
    pub(super) long: Micros,
    /// The length of a slot.
    pub(super) slot: Micros,
    /// How many slots are counted.
    pub(super) slots: u64,
    /// To where the learnt ceiling may fall.
    pub(super) floor: u64,
    /// By how much the learnt ceiling rises in a quiet window.
    pub(super) step: u64,
}

// === impl Plan ===

impl Plan {
    /// Takes settings that have been checked.
    pub(super) fn new(limits: Limits) -> Self {
        let in_flight = u64::from(limits.concurrency);
        let allowed = u64::from(limits.minute.calls());
        let calls = allowed - in_flight;
        let usual = (allowed / 400).max((allowed / 50).clamp(2, 5));
        let burst = limits.burst.map_or(usual, u64::from).min(calls - 1);

        let (minute, skew) = (micros(limits.minute.length()), micros(limits.skew));
        let cost = (minute + skew).div_ceil(calls - burst);
        let credit = (burst - 1) * cost;
        let long = micros(limits.hour.length()) + skew;
        let slot = long.div_ceil(SLOTS);
        Self {
            calls,
            minute,
            credit,
            span: minute + skew + credit,
            hour_calls: u64::from(limits.hour.calls()) - in_flight,
            long,
            slot,
            slots: long.div_ceil(slot) + 1,
            floor: (calls / 100).max(2),
            step: (calls * u64::from(limits.recovery_percent) / 100).max(1),
            limits,
        }
    }

    /// Returns how much time one call costs when `ceiling` calls are allowed in the short window.
    ///
    /// In an interval of the window's length the first call is free, and the others must find their costs in the length and the
    /// credit; so there are at most `span / cost + 1`.
    pub(super) fn cost(&self, ceiling: u64) -> Micros {
        self.span.div_ceil(ceiling.max(2) - 1)
    }

    /// Returns how far ahead of the even pace a call of this rank may go: half of the credit is for the important.
    pub(super) fn credit_of(&self, rank: Rank) -> Micros {
        self.credit - self.credit * u64::from(rank.get()) / (2 * u64::from(u16::MAX))
    }

    /// Returns how many calls the long window may hold after one of this rank.
    pub(super) fn hour_calls_of(&self, rank: Rank) -> u64 {
        let reserve = self.hour_calls * u64::from(self.limits.reserve_percent) / 100;
        self.hour_calls - reserve * u64::from(rank.get()) / u64::from(u16::MAX)
    }

    /// Returns in which slot a moment is.
    pub(super) fn slot_of(&self, now: Micros) -> u64 {
        now / self.slot
    }

    /// Returns for how long a call is remembered.
    #[cfg(feature = "redis")]
    pub(super) fn memory(&self) -> Micros {
        self.slot * (self.slots + 1)
    }
}

/// Returns a length in microseconds, the last one begun counting as whole.
pub(super) fn micros(time: Duration) -> Micros {
    u64::try_from(time.as_nanos().div_ceil(1000)).unwrap_or(u64::MAX)
}

/// Returns microseconds as a length.
pub(super) const fn duration(micros: Micros) -> Duration {
    Duration::from_micros(micros)
}
