//! What is done when everything at an instant has had its turn.

use std::collections::VecDeque;

/// A callback, once it is known.
pub(super) type Callback = Box<dyn Fn() + Send + Sync>;

/// A callback that was [registered](super::Handle::register).
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct SettleId(usize);

/// Who asked.
#[derive(Default)]
pub(super) struct Settling {
    /// Registered since the executor last looked.
    fresh: Vec<Callback>,
    /// By number: whether it is asked for.
    asked: Vec<bool>,
    /// Those that are, in order.
    order: VecDeque<SettleId>,
    closed: bool,
}

/// The executor's side: the callbacks, called without a lock.
#[derive(Default)]
pub(super) struct Callbacks(Vec<Callback>);

// === impl Settling ===

impl Settling {
    /// Numbers a callback; gives it back if the executor is gone.
    #[must_use]
    pub(super) fn register(&mut self, callback: Callback) -> (SettleId, Option<Callback>) {
        let id = SettleId(self.asked.len());
        self.asked.push(false);
        if self.closed {
            return (id, Some(callback));
        }
        self.fresh.push(callback);
        (id, None)
    }

    pub(super) fn ask(&mut self, id: SettleId) {
        if self.closed || std::mem::replace(&mut self.asked[id.0], true) {
            return;
        }
        self.order.push_back(id);
    }

    /// Gives the next that was asked for, which may be asked for again from now on.
    pub(super) fn next(&mut self, callbacks: &mut Callbacks) -> Option<SettleId> {
        let id = self.order.pop_front()?;
        self.asked[id.0] = false;
        callbacks.0.append(&mut self.fresh);
        Some(id)
    }

    /// Asks nobody from now on; gives the callbacks that the executor does not have.
    #[must_use]
    pub(super) fn close(&mut self) -> Vec<Callback> {
        self.closed = true;
        self.order.clear();
        std::mem::take(&mut self.fresh)
    }
}

// === impl Callbacks ===

impl Callbacks {
    pub(super) fn call(&self, id: SettleId) {
        self.0[id.0]();
    }
}
