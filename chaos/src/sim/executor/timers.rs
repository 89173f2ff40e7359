//! Who is woken when.

use std::{cmp::Reverse, collections::BinaryHeap, task::Waker};

/// The timers that have not fired.
#[derive(Default)]
pub(super) struct Timers {
    heap: BinaryHeap<Reverse<Entry>>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// How many were ever added.
    added: u64,
    closed: bool,
}

/// A timer: where its waker is, and which of those that were ever there.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct TimerId {
    number: u64,
    slot: u32,
}

/// When a timer fires; stale if the slot holds another by then.
#[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
struct Entry {
    at: u64,
    id: TimerId,
}

#[derive(Default)]
struct Slot {
    number: u64,
    waker: Option<Waker>,
}

impl Timers {
    /// Adds one that wakes at `at`; `None` when the executor is gone.
    #[must_use]
    pub(super) fn add(&mut self, at: u64, waker: Waker) -> Option<TimerId> {
        if self.closed {
            return None;
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            u32::try_from(self.slots.len() - 1).expect("memory for fewer than 2^32 timers")
        });
        self.added += 1;
        let number = self.added;
        self.slots[index(slot)] = Slot {
            number,
            waker: Some(waker),
        };
        let id = TimerId { number, slot };
        self.heap.push(Reverse(Entry { at, id }));
        Some(id)
    }

    /// Has a timer wake somebody else; gives the waker that it had, if that changed.
    #[must_use]
    pub(super) fn wakes(&mut self, id: TimerId, waker: &Waker) -> Option<Waker> {
        let slot = self.slots.get_mut(index(id.slot))?;
        match &mut slot.waker {
            Some(old) if slot.number == id.number && !old.will_wake(waker) => {
                Some(std::mem::replace(old, waker.clone()))
            }
            _ => None,
        }
    }

    /// Forgets one; gives its waker if it had not fired.
    #[must_use]
    pub(super) fn cancel(&mut self, id: TimerId) -> Option<Waker> {
        let slot = self.slots.get_mut(index(id.slot))?;
        if slot.number != id.number {
            return None;
        }
        let waker = slot.waker.take()?;
        self.free.push(id.slot);
        Some(waker)
    }

    /// Takes all timers of the earliest time, if that is not after `bound`, in the order they were added.
    pub(super) fn next(&mut self, bound: u64, fired: &mut Vec<Waker>) -> Option<u64> {
        loop {
            let Reverse(first) = *self.heap.peek()?;
            if first.at > bound {
                return None;
            }
            self.heap.pop();
            let Some(waker) = self.cancel(first.id) else {
                continue;
            };
            fired.push(waker);
            while let Some(Reverse(entry)) = self.heap.peek().copied()
                && entry.at == first.at
            {
                self.heap.pop();
                fired.extend(self.cancel(entry.id));
            }
            return Some(first.at);
        }
    }

    /// Takes no more; gives the wakers that it has.
    #[must_use]
    pub(super) fn close(&mut self) -> Vec<Waker> {
        self.closed = true;
        self.heap.clear();
        let wakers = self.slots.iter_mut().filter_map(|slot| slot.waker.take());
        wakers.collect()
    }
}

/// Lossless: usize has at least 32 bits wherever this runs.
const fn index(slot: u32) -> usize {
    slot as usize
}
