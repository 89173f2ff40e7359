//! Old callbacks that are sent once more, by WeCom or by somebody who recorded one.
//!
//! Two means, for two things. The *window*: a query is signed with its timestamp, so whoever repeats a recorded
//! callback repeats its time, and after ten minutes it is refused. WeCom signs each of its own retries anew,
//! and makes the last about 20 s after the event, so ten minutes lose nothing; a clock of ours that is wrong by
//! more would lose everything, which is why a stale one is told apart in the metrics.
//!
//! The *memory* of the identities that were made durable marks what comes again, and nothing more: it is not
//! dropped, since the sender waits for a 200 and only the handler can say that the first copy is safe. An
//! identity is remembered once its handler has succeeded and not before: else a retry of what failed would be
//! taken for done. So of two copies in flight at once neither is marked; the router lets the second wait for what
//! becomes of the first. Handlers must bear a duplicate anyway, for memories end at restarts and other
//! processes have their own.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use super::identity::Identity;

/// How far the timestamp of a callback may be from our calendar.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) past: Duration,
    pub(super) ahead: Duration,
}

/// The last identities that were made durable.
pub(super) struct Memory {
    capacity: usize,
    known: Mutex<Known>,
}

/// Both hold the same identities. Entries are put in by handlers that succeed, and looked up by each delivery.
#[derive(Default)]
struct Known {
    set: HashSet<Identity>,
    /// The oldest first.
    order: VecDeque<Identity>,
}

// === impl Window ===

impl Window {
    pub(super) fn contains(&self, sent: Duration, now: Duration) -> bool {
        let age = now.saturating_sub(sent);
        let lead = sent.saturating_sub(now);
        age <= self.past && lead <= self.ahead
    }
}

impl Default for Window {
    fn default() -> Self {
        Self {
            past: Duration::from_secs(600),
            ahead: Duration::from_secs(60),
        }
    }
}

// === impl Memory ===

impl Memory {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            known: Mutex::default(),
        }
    }

    pub(super) fn knows(&self, identity: &Identity) -> bool {
        self.capacity > 0 && self.with(|known| known.set.contains(identity))
    }

    pub(super) fn remember(&self, identity: Identity) {
        if self.capacity == 0 {
            return;
        }
        self.with(|known| {
            if !known.set.insert(identity) {
                return;
            }
            if known.order.len() >= self.capacity
                && let Some(oldest) = known.order.pop_front()
            {
                known.set.remove(&oldest);
            }
            known.order.push_back(identity);
        });
    }

    fn with<T>(&self, run: impl FnOnce(&mut Known) -> T) -> T {
        // Nothing in `run` panics, and if it did, a set and its order that differ do no harm.
        run(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::fields::Fields, *};

    fn identity(number: u32) -> Identity {
        let text = format!("<xml><N>{number}</N></xml>");
        Identity::of(&Fields::parse(&text).unwrap())
    }

    #[test]
    fn the_window_reaches_to_both_its_edges() {
        let window = Window::default();
        let at = |seconds| Duration::from_secs(seconds);
        for (sent, inside) in [
            (399, false),
            (400, true),
            (1000, true),
            (1060, true),
            (1061, false),
        ] {
            assert_eq!(window.contains(at(sent), at(1000)), inside, "{sent}");
        }
        assert!(!window.contains(at(u64::MAX), at(1000)));
        assert!(!window.contains(at(0), at(u64::MAX)));
    }

    #[test]
    fn remembers_the_last_ones_and_no_more_than_its_capacity() {
        let memory = Memory::new(3);
        for number in [0, 1, 1, 1, 2, 3] {
            memory.remember(identity(number));
        }
        let known: Vec<_> = (0..5).filter(|n| memory.knows(&identity(*n))).collect();
        assert_eq!(known, [1, 2, 3]);
        memory.with(|known| assert_eq!((known.set.len(), known.order.len()), (3, 3)));
    }

    #[test]
    fn without_capacity_nothing_is_known() {
        let memory = Memory::new(0);
        memory.remember(identity(1));
        assert!(!memory.knows(&identity(1)));
    }
}
