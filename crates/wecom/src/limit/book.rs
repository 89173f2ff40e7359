//! The book kept of one (corp, API): whether one more call may go, and if not, when.
//!
//! Pure: the time is passed in. `redis/acquire.lua` and `redis/settle.lua` do the same step by step on what is in Redis, and a
//! test holds the two against each other.

use super::{
    Sign,
    brake::Brake,
    cap::Cap,
    plan::{Micros, Plan},
    ring::Ring,
};
use crate::rank::Rank;

/// What is kept of one (corp, API). About 200 bytes, and 16 for each slot of the long window in which there was a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Book {
    /// The latest moment that was reckoned with: time never goes back.
    last: Micros,
    /// When an even pace will have paid for all calls granted; with the credit, this is the short window.
    paid_at: Micros,
    ring: Ring,
    brake: Brake,
    cap: Cap,
    in_flight: u32,
}

/// What became of a question for room.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Verdict {
    /// One call may go.
    Granted {
        /// When it was granted; to be given back with the outcome.
        at: Micros,
    },
    /// Not before so much time has passed on the clock of who asks, which may be behind.
    After(Micros),
    /// Not before a call in flight has ended.
    Full,
}

/// How a grant ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum End {
    /// The call was sent.
    Sent(Sign),
    /// It was not.
    Unused,
}

// === impl Book ===

impl Book {
    /// Takes room for one call out of both windows and the calls in flight, or nothing out of any.
    pub(super) fn ask(&mut self, plan: &Plan, asked: Micros, rank: Rank) -> Verdict {
        let now = asked.max(self.last);
        self.ring.advance(plan, now);
        let paid_at = self.paid_at.max(now);

        let minute = paid_at.saturating_sub(plan.credit_of(rank));
        let hour = self.ring.room_at(plan, plan.hour_calls_of(rank));
        let at = self.brake.blocked_until.max(minute).max(hour);
        if at > now {
            return Verdict::After(at - asked);
        }
        if self.in_flight >= self.cap.get(plan) {
            return Verdict::Full;
        }
        self.last = now;
        self.paid_at = paid_at + self.cost(plan, now);
        self.ring.add(plan, now);
        self.in_flight += 1;
        Verdict::Granted { at: now }
    }

    /// Takes in how the grant of `granted` ended.
    pub(super) fn settle(&mut self, plan: &Plan, now: Micros, granted: Micros, end: End) {
        let now = now.max(self.last);
        self.in_flight = self.in_flight.saturating_sub(1);
        // Only what blocks fixes a moment; the rest must not cost a write in Redis.
        if matches!(
            end,
            End::Sent(Sign::Frequency | Sign::Concurrency | Sign::Abnormal)
        ) {
            self.last = now;
        }
        match end {
            End::Sent(Sign::Served | Sign::Conflict) => self.cap.served(plan, granted),
            End::Sent(Sign::Frequency) => {
                let used = self.ring.used(plan, now);
                self.brake.frequency(plan, now, granted, used);
            }
            End::Sent(Sign::Concurrency) => {
                if self.cap.halve(plan, now, granted) {
                    let pause = super::plan::micros(plan.limits.pause);
                    self.brake.pause(now + pause);
                }
            }
            End::Sent(Sign::Abnormal) => self.brake.abnormal(plan, now, granted),
            End::Sent(Sign::Lost) => {}
            End::Unused => {
                // What it cost may have been more, if the ceiling was lower then.
                self.paid_at = self.paid_at.saturating_sub(plan.cost(plan.calls));
                self.ring.remove(plan, granted);
            }
        }
    }

    /// Returns how much time a call costs now.
    pub(super) fn cost(&self, plan: &Plan, now: Micros) -> Micros {
        plan.cost(self.brake.ceiling(plan, now))
    }

    /// Returns whether a new book would say the same from now on.
    pub(super) fn is_blank(&mut self, plan: &Plan, now: Micros) -> bool {
        let now = now.max(self.last);
        self.ring.advance(plan, now);
        self.in_flight == 0
            && self.ring.is_empty()
            && self.paid_at <= now
            && self.brake.remembers_until(plan) <= now
    }
}

#[cfg(test)]
mod tests;
