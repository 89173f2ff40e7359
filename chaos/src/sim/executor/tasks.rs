//! The tasks, each in a slot that is used again.

use std::{
    sync::Arc,
    task::{Context, Waker},
};

use super::{
    Boxed, Handle,
    ready::{TaskId, Token},
};

/// All tasks that have not ended.
#[derive(Default)]
pub(super) struct Tasks {
    slots: Vec<Slot>,
    free: Vec<u32>,
    alive: usize,
}

struct Slot {
    /// `None` between two tasks.
    task: Option<Boxed>,
    token: Arc<Token>,
    /// Of the token; made once, not for each poll.
    waker: Waker,
}

// === impl Tasks ===

impl Tasks {
    /// Returns how many tasks there are.
    pub(super) const fn alive(&self) -> usize {
        self.alive
    }

    /// Takes a new task in.
    ///
    /// # Panics
    ///
    /// With 2^32 tasks at once.
    pub(super) fn insert(&mut self, handle: &Handle, task: Boxed) -> TaskId {
        self.alive += 1;
        let number = self.free.pop().unwrap_or_else(|| {
            let number = u32::try_from(self.slots.len()).expect("memory for fewer than 2^32 tasks");
            self.slots.push(Slot::new(handle, number, 0));
            number
        });
        let slot = &mut self.slots[index(number)];
        slot.task = Some(task);
        TaskId {
            slot: number,
            generation: slot.token.generation(),
        }
    }

    /// Gives a task its turn; returns whether there was one to give: wakes may come too late.
    pub(super) fn poll(&mut self, handle: &Handle, id: TaskId) -> bool {
        let slot = &mut self.slots[index(id.slot)];
        if slot.token.generation() != id.generation {
            return false;
        }
        let Some(task) = &mut slot.task else {
            return false;
        };
        slot.token.polled();
        if task
            .as_mut()
            .poll(&mut Context::from_waker(&slot.waker))
            .is_ready()
        {
            slot.task = None;
            slot.renew(handle, id);
            self.free.push(id.slot);
            self.alive -= 1;
        }
        true
    }
}

// === impl Slot ===

impl Slot {
    fn new(handle: &Handle, number: u32, generation: u32) -> Self {
        let token = Arc::new(Token::new(handle.clone(), number, generation));
        Self {
            task: None,
            waker: Waker::from(Arc::clone(&token)),
            token,
        }
    }

    /// Makes it ready for the next task.
    fn renew(&mut self, handle: &Handle, id: TaskId) {
        // A wake of the old task may still be in the list; after 2^32 tasks in one slot it cannot be.
        let generation = id.generation.wrapping_add(1);
        // Ours are two: the token and the waker made of it.
        if Arc::strong_count(&self.token) == 2 {
            self.token.reuse(generation);
        } else {
            self.token.retire();
            *self = Self::new(handle, id.slot, generation);
        }
    }
}

/// Lossless: usize has at least 32 bits wherever this runs.
const fn index(slot: u32) -> usize {
    slot as usize
}
