//! What the layers of a protocol need of an admission beside its decision.

use std::{
    cell::Cell,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use super::Shared;
use crate::{
    clock::Clock,
    config::Settings,
    observe::FieldFault,
    priority::{Business, Priority, User},
    wire::Names,
};

impl Shared {
    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    pub(crate) const fn names(&self) -> &Names {
        &self.names
    }

    pub(crate) fn settings(&self) -> arc_swap::Guard<Arc<Settings>> {
        self.settings.load()
    }

    /// Returns the priority of a request that brought none: the last business, spread over its users so
    /// that a level can cut anywhere inside.
    pub(crate) fn unknown(&self, default: Option<Business>) -> Priority {
        let user = spread();
        Priority::new(default.unwrap_or_else(|| self.door.demand.last()), user)
    }

    /// Returns the estimate for a request that brought no stamp of its own.
    pub(crate) fn outside_wait(&self) -> Option<Duration> {
        self.outside.wait()
    }

    pub(crate) fn note_exempt(&self) {
        self.counts.exempt.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn note_fault(&self, fault: FieldFault) {
        self.counts.fault(fault);
        self.observers
            .tell(|observer| observer.field_ignored(&self.name, fault));
    }

    /// Returns a time in `bounds`, spread evenly over calls, so that those told to come back do not come
    /// back together.
    pub(crate) fn jitter(&self, (low, high): (Duration, Duration)) -> Duration {
        let user = spread();
        let share = f64::from(user.level()) / f64::from(User::LEVELS);
        low + high.saturating_sub(low).mul_f64(share)
    }
}

/// Returns a user for a request of nobody: anywhere, the same often.
fn spread() -> User {
    thread_local!(static NEXT: Cell<u64> = const { Cell::new(0) });
    // The golden ratio's multiples spread evenly over the whole range.
    let next = NEXT.get().wrapping_add(0x9E37_79B9_7F4A_7C15);
    NEXT.set(next);
    User::from_hash(next)
}
