//! What the layers of a protocol need of an admission beside its decision.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use super::Shared;
use crate::{
    clock::Clock,
    config::Settings,
    observe::FieldFault,
    priority::{Business, Priority, User},
    unknown::spread,
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

    /// Counts what the stamps of a request's connection saw of its wait.
    pub(crate) fn note_stamped(&self, waited: Duration) {
        self.counts.note_stamped(waited);
    }

    pub(crate) fn note_exempt(&self) {
        self.counts.exempt.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn note_fault(&self, fault: FieldFault) {
        self.counts.fault(fault);
        self.observers
            .tell(|observer| observer.field_ignored(&self.name, fault));
    }

    /// Returns whole seconds in `bounds` (at least the lower one), spread like [`jitter`](Self::jitter).
    pub(crate) fn jitter_seconds(&self, (low, high): (Duration, Duration)) -> u64 {
        let low = low.as_secs() + u64::from(low.subsec_nanos() > 0);
        let choices = high.as_secs().saturating_sub(low) + 1;
        low + u64::from(spread().level()) * choices / u64::from(User::LEVELS)
    }

    /// Returns a time in `bounds`, spread evenly over calls, so that those told to come back do not come
    /// back together.
    #[cfg(feature = "grpc")]
    pub(crate) fn jitter(&self, (low, high): (Duration, Duration)) -> Duration {
        let user = spread();
        let share = f64::from(user.level()) / f64::from(User::LEVELS);
        low + high.saturating_sub(low).mul_f64(share)
    }
}
