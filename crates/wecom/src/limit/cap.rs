//! How many calls may be in flight: the setting, or less after 45033.

use super::plan::{Micros, Plan};

/// The cap of one (corp, API). Halves with 45033, rises by one after a number of successes.
#[derive(Clone, Debug, Default)]
pub(super) struct Cap {
    /// `None` while it is as set.
    lowered: Option<Lowered>,
}

#[derive(Clone, Debug)]
struct Lowered {
    cap: u32,
    /// When it was halved last. What was granted before says nothing about the cap since.
    at: Micros,
    /// Successes since it changed.
    streak: u32,
    /// How often it was halved before it was back, in a row.
    relapses: u32,
}

/// How often the number of successes may double.
pub(super) const MOST_RELAPSES: u32 = 6;

// === impl Cap ===

impl Cap {
    /// Returns how many calls may be in flight.
    pub(super) fn get(&self, plan: &Plan) -> u32 {
        self.lowered
            .as_ref()
            .map_or(plan.limits.concurrency, |lowered| lowered.cap)
    }

    /// Takes in 45033 for a call granted at `granted`, and returns whether it is news.
    pub(super) fn halve(&mut self, plan: &Plan, now: Micros, granted: Micros) -> bool {
        let (cap, relapses) = match &self.lowered {
            Some(lowered) if granted <= lowered.at => return false,
            Some(lowered) => (lowered.cap, (lowered.relapses + 1).min(MOST_RELAPSES)),
            None => (plan.limits.concurrency, 0),
        };
        self.lowered = Some(Lowered {
            cap: (cap / 2).max(1),
            at: now,
            streak: 0,
            relapses,
        });
        true
    }

    /// Takes in a success of a call granted at `granted`.
    pub(super) fn served(&mut self, plan: &Plan, granted: Micros) {
        let Some(lowered) = &mut self.lowered else {
            return;
        };
        if granted <= lowered.at {
            return;
        }
        lowered.streak += 1;
        if u64::from(lowered.streak) >= u64::from(plan.limits.successes) << lowered.relapses {
            lowered.streak = 0;
            lowered.cap += 1;
        }
        if lowered.cap >= plan.limits.concurrency {
            self.lowered = None;
        }
    }
}
