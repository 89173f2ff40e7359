//! What is ready, first come, first served; and the wakers that make it so.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    task::Wake,
};

use super::{Boxed, Handle};

/// What is ready.
#[derive(Default)]
pub(super) struct Ready {
    items: Vec<Item>,
    /// Whether the executor is gone: whatever comes is refused.
    closed: bool,
}

/// One that is ready.
pub(super) enum Item {
    /// A new task.
    Spawned(Boxed),
    /// A task that was woken.
    Woken(TaskId),
}

/// A task: where it is, and the how-manyth there.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct TaskId {
    pub(super) slot: u32,
    pub(super) generation: u32,
}

/// What wakes a task.
///
/// It outlives the task where somebody keeps a waker. It is then retired; otherwise it serves the next task in
/// the slot. Either way a waker never wakes a task that it was not made for.
pub(super) struct Token {
    handle: Handle,
    slot: u32,
    generation: AtomicU32,
    /// Whether the task is in the list already, or gone.
    queued: AtomicBool,
}

// === impl Ready ===

impl Ready {
    /// Adds one; gives it back if the executor is gone, to be dropped outside of the lock.
    #[must_use]
    pub(super) fn push(&mut self, item: Item) -> Option<Item> {
        if self.closed {
            return Some(item);
        }
        self.items.push(item);
        None
    }

    /// Gives all that are ready, in order, for an empty list; returns whether there are any.
    pub(super) fn swap(&mut self, empty: &mut Vec<Item>) -> bool {
        debug_assert!(empty.is_empty(), "what was taken has been worked off");
        std::mem::swap(&mut self.items, empty);
        !empty.is_empty()
    }

    /// Refuses whatever comes from now on; gives what is there.
    #[must_use]
    pub(super) fn close(&mut self) -> Vec<Item> {
        self.closed = true;
        std::mem::take(&mut self.items)
    }
}

// === impl Token ===

impl Token {
    /// A token of the first task of a slot.
    pub(super) const fn new(handle: Handle, slot: u32, generation: u32) -> Self {
        Self {
            handle,
            slot,
            generation: AtomicU32::new(generation),
            queued: AtomicBool::new(false),
        }
    }

    pub(super) fn generation(&self) -> u32 {
        self.generation.load(Ordering::Relaxed)
    }

    /// The task is about to be polled: whoever wakes it from now on means another turn.
    pub(super) fn polled(&self) {
        self.queued.store(false, Ordering::Release);
    }

    /// The task is gone and somebody keeps a waker.
    pub(super) fn retire(&self) {
        self.queued.store(true, Ordering::Release);
    }

    /// The task is gone, nobody keeps a waker: serves the next in the slot.
    pub(super) fn reuse(&self, generation: u32) {
        self.generation.store(generation, Ordering::Relaxed);
        self.queued.store(false, Ordering::Release);
    }
}

impl Wake for Token {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.queued.swap(true, Ordering::AcqRel) {
            return;
        }
        let id = TaskId {
            slot: self.slot,
            generation: self.generation(),
        };
        // Refused when the executor is gone: there is nothing to wake.
        let refused = self.handle.0.lock().ready.push(Item::Woken(id));
        drop(refused);
    }
}
