//! Who is woken when.

use std::task::Waker;

use slab::Slab;

use super::wheel::Wheel;

/// The timers that have not fired.
#[derive(Default)]
pub(super) struct Timers {
    /// When. Timers that were cancelled stay until time comes near them, or until they are too many.
    wheel: Wheel<TimerId>,
    /// Who: those that were not cancelled.
    live: Slab<Timer>,
    /// How many there ever were.
    added: u64,
    /// Those of one moment, while they fire; kept for its memory.
    due: Vec<TimerId>,
    /// Whether the executor is gone.
    closed: bool,
}

/// A timer: which of all there ever were, and where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimerId {
    number: u64,
    slot: usize,
}

struct Timer {
    number: u64,
    waker: Waker,
}

impl Timers {
    /// This many cancelled timers are never swept up, so that a few timers do not sweep all the time.
    const LITTER: usize = 1024;

    /// Adds one that wakes at `at`, which is still to come; `None` when the executor is gone.
    #[must_use]
    pub(super) fn add(&mut self, at: u64, waker: &Waker) -> Option<TimerId> {
        if self.closed {
            return None;
        }
        self.added += 1;
        let number = self.added;
        let waker = waker.clone();
        let slot = self.live.insert(Timer { number, waker });
        let id = TimerId { number, slot };
        self.wheel.insert(at, id);
        Some(id)
    }

    /// Has a timer wake somebody else; gives the waker that it had, if that changed.
    #[must_use]
    pub(super) fn wakes(&mut self, id: TimerId, waker: &Waker) -> Option<Waker> {
        let timer = self.live.get_mut(id.slot)?;
        (timer.number == id.number && !timer.waker.will_wake(waker))
            .then(|| std::mem::replace(&mut timer.waker, waker.clone()))
    }

    /// Forgets one; gives its waker if it had not fired.
    #[must_use]
    pub(super) fn cancel(&mut self, id: TimerId) -> Option<Waker> {
        if !id.is_live(&self.live) {
            return None;
        }
        let timer = self.live.remove(id.slot);
        // At most half of what is kept is litter, and a sweep has as much to sweep as it leaves.
        if self.wheel.len() > 2 * self.live.len() + Self::LITTER {
            self.wheel.retain(|id| id.is_live(&self.live));
        }
        Some(timer.waker)
    }

    /// Takes all timers of the earliest time, if that is not after `bound`, in the order they were added.
    pub(super) fn next(&mut self, bound: u64, fired: &mut Vec<Waker>) -> Option<u64> {
        let is_live = |id: TimerId| id.is_live(&self.live);
        let at = self.wheel.next(bound, is_live, &mut self.due)?;
        let live = &mut self.live;
        fired.extend(self.due.drain(..).map(|id| live.remove(id.slot).waker));
        Some(at)
    }

    /// Takes no more; gives the wakers that it has.
    #[must_use]
    pub(super) fn close(&mut self) -> Vec<Waker> {
        self.closed = true;
        self.wheel = Wheel::default();
        self.live.drain().map(|timer| timer.waker).collect()
    }
}

impl TimerId {
    fn is_live(self, live: &Slab<Timer>) -> bool {
        live.get(self.slot)
            .is_some_and(|timer| timer.number == self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancelled_timers_are_swept_up() {
        let mut timers = Timers::default();
        let kept = timers.add(7, Waker::noop());
        for _ in 0..100_000 {
            let id = timers.add(u64::MAX, Waker::noop()).unwrap();
            assert!(timers.cancel(id).is_some());
            assert!(timers.cancel(id).is_none(), "once is enough");
            assert!(timers.wheel.len() <= 2 + Timers::LITTER);
        }
        let mut fired = Vec::new();
        assert_eq!(timers.next(u64::MAX, &mut fired), Some(7));
        assert_eq!(fired.len(), 1);
        assert!(timers.cancel(kept.unwrap()).is_none(), "it has fired");
        assert_eq!(timers.next(u64::MAX, &mut fired), None);
    }

    #[test]
    fn a_stale_entry_does_not_fire_the_next_in_its_slot() {
        let mut timers = Timers::default();
        let old = timers.add(5, Waker::noop()).unwrap();
        assert!(timers.cancel(old).is_some());
        let new = timers.add(9, Waker::noop()).unwrap();
        assert_eq!(old.slot, new.slot, "the slot is used again");
        let mut fired = Vec::new();
        assert_eq!(timers.next(8, &mut fired), None);
        assert_eq!(timers.next(9, &mut fired), Some(9));
    }
}
