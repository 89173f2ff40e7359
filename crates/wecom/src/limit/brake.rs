//! What WeCom's refusals change: when nothing may be sent, and how much may be sent after.
//!
//! A refusal of a call that was granted before the last one took effect is an echo of the same excess and changes
//! nothing: five calls in flight bring five of them.

use super::plan::{Micros, Plan, micros};

/// Blocks and the learnt ceiling of one (corp, API).
#[derive(Clone, Debug, Default)]
pub(super) struct Brake {
    /// Nothing is sent before.
    pub(super) blocked_until: Micros,
    /// When the last block began.
    tripped: Option<Micros>,
    /// When the last block for 45009 ended or ends.
    ended: Option<Micros>,
    /// The learnt ceiling at `from`; `None` before anything was learnt.
    base: Option<u64>,
    /// Since when the ceiling rises.
    from: Micros,
    /// How often 45009 came before the ceiling was back, in a row.
    relapses: u32,
    /// How long the last block for 45036 was, and when it ended or ends.
    abnormal: Option<(Micros, Micros)>,
}

/// How often a time may double.
pub(super) const MOST_RELAPSES: u32 = 16;

// === impl Brake ===

impl Brake {
    /// Returns how many calls the short window may hold now.
    pub(super) fn ceiling(&self, plan: &Plan, now: Micros) -> u64 {
        let Some(base) = self.base else {
            return plan.calls;
        };
        let risen = now.saturating_sub(self.from) / plan.minute;
        base.saturating_add(risen.saturating_mul(plan.step))
            .min(plan.calls)
    }

    /// Takes in 45009 for a call granted at `granted`, `used` being what was used in the minute before.
    pub(super) fn frequency(&mut self, plan: &Plan, now: Micros, granted: Micros, used: u64) {
        if self.is_echo(granted) {
            return;
        }
        let limits = &plan.limits;
        let within = micros(limits.repeated_within);
        let repeated = self.ended.is_some_and(|ended| now <= ended + within);
        // A repetition tells of the same excess in the longer window, and what was used since says nothing.
        if !repeated {
            let ceiling = self.ceiling(plan, now);
            self.relapses = match ceiling < plan.calls {
                true => (self.relapses + 1).min(MOST_RELAPSES),
                false => 0,
            };
            let kept = used.min(ceiling) * u64::from(limits.keep_percent) / 100;
            self.base = Some(kept.max(plan.floor));
        }
        let block = match repeated {
            true => micros(limits.repeated_block),
            false => micros(limits.block),
        };
        let hold = (micros(limits.hold) << self.relapses).min(micros(limits.longest_hold));
        self.trip(now, block);
        self.ended = Some(now + block);
        self.from = now + block + hold;
    }

    /// Takes in 45036 for a call granted at `granted`.
    pub(super) fn abnormal(&mut self, plan: &Plan, now: Micros, granted: Micros) {
        if self.is_echo(granted) {
            return;
        }
        let longest = micros(plan.limits.longest_abnormal_block);
        let block = match self.abnormal {
            Some((last, ended)) if now <= ended + longest => (2 * last).min(longest),
            _ => micros(plan.limits.abnormal_block),
        };
        self.trip(now, block);
        self.abnormal = Some((block, now + block));
    }

    /// Sends nothing for a moment.
    pub(super) fn pause(&mut self, until: Micros) {
        self.blocked_until = self.blocked_until.max(until);
    }

    /// Returns until when something is remembered that is not so from the start.
    pub(super) fn remembers_until(&self, plan: &Plan) -> Micros {
        let risen = self.base.map_or(0, |base| {
            let steps = (plan.calls - base).div_ceil(plan.step);
            self.from + steps * plan.minute
        });
        let repeated = self
            .ended
            .map_or(0, |ended| ended + micros(plan.limits.repeated_within));
        let abnormal = self.abnormal.map_or(0, |(_, ended)| {
            ended + micros(plan.limits.longest_abnormal_block)
        });
        self.blocked_until.max(risen).max(repeated).max(abnormal)
    }

    fn is_echo(&self, granted: Micros) -> bool {
        self.tripped.is_some_and(|tripped| granted <= tripped)
    }

    fn trip(&mut self, now: Micros, block: Micros) {
        self.tripped = Some(now);
        self.pause(now + block);
    }
}
