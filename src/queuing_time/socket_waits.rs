//! The waits of all sockets of a service together, for a look at the mean.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use crate::clock::{Clock, nanos};

/// The waits of all reads of the connections wrapped with it or a clone of it, until they are taken.
///
/// One per listener or per service. It also carries the clock that the connections read.
#[derive(Clone, Debug, Default)]
pub struct SocketWaits {
    totals: Arc<Totals>,
    clock: Clock,
}

/// What [`SocketWaits::take`] found.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct SocketWait {
    /// The sum of the waits.
    pub sum: Duration,
    /// How many reads woke up for their bytes; reads that did not have to wait are not among them.
    pub reads: u64,
}

#[derive(Debug, Default)]
struct Totals {
    /// Sum of the waits, in nanoseconds.
    sum: AtomicU64,
    reads: AtomicU64,
}

// === impl SocketWaits ===

impl SocketWaits {
    /// Returns an empty one whose connections read `clock`. Default: the system's clock.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self {
            totals: Arc::default(),
            clock,
        }
    }

    /// Returns the clock that the connections read.
    pub(super) const fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Counts a read that woke up for its bytes.
    pub(super) fn add(&self, wait: Duration) {
        self.totals.sum.fetch_add(nanos(wait), Ordering::Relaxed);
        self.totals.reads.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the waits since the last time, and starts again from zero.
    ///
    /// For the mean of a window: where the gate is empty and this is long, requests wait where the gate
    /// cannot see them.
    #[must_use]
    pub fn take(&self) -> SocketWait {
        // Two words, not one: a read that comes between them is counted in two windows, which moves a
        // mean by less than one read.
        SocketWait {
            sum: Duration::from_nanos(self.totals.sum.swap(0, Ordering::Relaxed)),
            reads: self.totals.reads.swap(0, Ordering::Relaxed),
        }
    }
}

// === impl SocketWait ===

impl SocketWait {
    /// Returns the mean wait of a read, or `None` without reads.
    #[must_use]
    pub fn mean(&self) -> Option<Duration> {
        let nanos = nanos(self.sum).checked_div(self.reads)?;
        Some(Duration::from_nanos(nanos))
    }
}
