//! What became of the callbacks of an enterprise.

use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

/// What became of the callbacks of an enterprise, or of several.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Counts {
    /// Events that happened.
    pub events: u64,
    /// Events without an address to be sent to.
    pub unaddressed: u64,
    /// Events that were not sent on purpose.
    pub lost: u64,
    /// Events that were not sent because too many waited.
    pub dropped: u64,
    /// Events that were sent twice on purpose.
    pub duplicated: u64,
    /// Events that were sent after their successor on purpose.
    pub reordered: u64,
    /// Requests sent, of all tries.
    pub sent: u64,
    /// Requests answered with 200.
    pub answered: u64,
    /// Requests that were not the first of their callback.
    pub retried: u64,
    /// Requests without an answer in time.
    pub timed_out: u64,
    /// Requests that did not get there, or whose connection broke.
    pub unreached: u64,
    /// Requests answered with anything but 200.
    pub refused: u64,
    /// Callbacks given up after the last retry.
    pub given_up: u64,
}

/// The same while it is counted.
#[derive(Debug, Default)]
pub(super) struct Counting {
    pub(super) events: Count,
    pub(super) unaddressed: Count,
    pub(super) lost: Count,
    pub(super) dropped: Count,
    pub(super) duplicated: Count,
    pub(super) reordered: Count,
    pub(super) sent: Count,
    pub(super) answered: Count,
    pub(super) retried: Count,
    pub(super) timed_out: Count,
    pub(super) unreached: Count,
    pub(super) refused: Count,
    pub(super) given_up: Count,
}

#[derive(Debug, Default)]
pub(super) struct Count(AtomicU64);

// === impl Counts ===

impl Counts {
    /// Returns the sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            events: self.events + other.events,
            unaddressed: self.unaddressed + other.unaddressed,
            lost: self.lost + other.lost,
            dropped: self.dropped + other.dropped,
            duplicated: self.duplicated + other.duplicated,
            reordered: self.reordered + other.reordered,
            sent: self.sent + other.sent,
            answered: self.answered + other.answered,
            retried: self.retried + other.retried,
            timed_out: self.timed_out + other.timed_out,
            unreached: self.unreached + other.unreached,
            refused: self.refused + other.refused,
            given_up: self.given_up + other.given_up,
        }
    }
}

// === impl Counting ===

impl Counting {
    /// Returns the counts, and begins anew if `read` takes them away.
    pub(super) fn read(&self, read: fn(&Count) -> u64) -> Counts {
        Counts {
            events: read(&self.events),
            unaddressed: read(&self.unaddressed),
            lost: read(&self.lost),
            dropped: read(&self.dropped),
            duplicated: read(&self.duplicated),
            reordered: read(&self.reordered),
            sent: read(&self.sent),
            answered: read(&self.answered),
            retried: read(&self.retried),
            timed_out: read(&self.timed_out),
            unreached: read(&self.unreached),
            refused: read(&self.refused),
            given_up: read(&self.given_up),
        }
    }
}

// === impl Count ===

impl Count {
    pub(super) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn taken(&self) -> u64 {
        self.0.swap(0, Ordering::Relaxed)
    }
}
