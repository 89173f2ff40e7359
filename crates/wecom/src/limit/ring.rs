//! The calls of the long window, counted in slots.
//!
//! A bucket would not do: it allows as much at once as it grants later, and the short window's rate for a quarter of
//! an hour is nearly all of the hour's calls. Only slots in which there were calls are kept, so that a tenant of a few
//! calls an hour takes a few bytes.

use std::collections::VecDeque;

use super::plan::{Micros, Plan};

/// How many calls were granted in each slot, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Ring {
    slots: VecDeque<(u64, u32)>,
    /// Of all slots.
    sum: u64,
}

// === impl Ring ===

impl Ring {
    /// Forgets the slots that are no longer counted now.
    pub(super) fn advance(&mut self, plan: &Plan, now: Micros) {
        let current = plan.slot_of(now);
        while let Some(&(slot, count)) = self.slots.front()
            && slot + plan.slots <= current
        {
            self.sum -= u64::from(count);
            self.slots.pop_front();
        }
    }

    /// Counts a call.
    pub(super) fn add(&mut self, plan: &Plan, now: Micros) {
        let current = plan.slot_of(now);
        self.sum += 1;
        match self.slots.back_mut() {
            Some((slot, count)) if *slot == current => *count += 1,
            _ => self.slots.push_back((current, 1)),
        }
    }

    /// Takes back a call that was counted at `granted`, if it still is counted.
    pub(super) fn remove(&mut self, plan: &Plan, granted: Micros) {
        let slot = plan.slot_of(granted);
        let found = self.slots.binary_search_by_key(&slot, |&(slot, _)| slot);
        if let Ok(index) = found
            && let Some((_, count @ 1..)) = self.slots.get_mut(index)
        {
            *count -= 1;
            self.sum -= 1;
        }
    }

    /// Returns when there will be room for one more among `allowed`; in the past if there is.
    pub(super) fn room_at(&self, plan: &Plan, allowed: u64) -> Micros {
        let mut left = self.sum;
        for &(slot, count) in &self.slots {
            if left < allowed {
                break;
            }
            left -= u64::from(count);
            if left < allowed {
                return (slot + plan.slots) * plan.slot;
            }
        }
        0
    }

    /// Returns how many calls there were in the short window that ends now. Of the slot in which it began, that part
    /// is taken that lies within.
    pub(super) fn used(&self, plan: &Plan, now: Micros) -> u64 {
        let start = now.saturating_sub(plan.minute);
        let (first, current) = (plan.slot_of(start), plan.slot_of(now));
        let within = |&(slot, count): &(u64, u32)| {
            let count = u64::from(count);
            if slot == first && first < current {
                count * ((first + 1) * plan.slot - start) / plan.slot
            } else {
                count
            }
        };
        let late = self.slots.iter().rev().take_while(|(s, _)| *s >= first);
        late.map(within).sum()
    }

    /// Returns whether nothing is counted.
    pub(super) fn is_empty(&self) -> bool {
        self.sum == 0
    }
}
