//! What happens, told to whoever listens: one trait, no default listener.
//!
//! Every method has an empty body, so an observer implements what it wants. They are called from the
//! request's own thread, outside of all locks: keep them short and do not block.

use std::{sync::Arc, time::Duration};

use crate::{
    control::Verdict,
    error::Reason,
    priority::{Business, Level, Priority},
};

/// A listener to one [`Admission`](crate::Admission) or one [`Callee`](crate::client::Callee).
pub trait Observer: Send + Sync + 'static {
    /// A window was closed and the level computed.
    fn window_closed(&self, _service: &str, _window: &WindowClosed) {}

    /// A request started after `waited`, before the layer and at the gate.
    fn started(&self, _service: &str, _priority: Priority, _waited: Duration) {}

    /// The level left or reached [`Level::OPEN`]: the edge, not every move.
    fn overload_edge(&self, _service: &str, _level: Level) {}

    /// A request was refused (in mode `observe`: would have been).
    fn shed(&self, _service: &str, _priority: Priority, _reason: Reason) {}

    /// A call to `instance` was not sent.
    fn withheld(&self, _callee: &str, _instance: &str, _priority: Priority) {}

    /// A response of `instance` carried another level than the last one.
    fn level_heard(&self, _callee: &str, _instance: &str, _level: Level) {}

    /// A field from a peer was not used.
    fn field_ignored(&self, _service: &str, _fault: FieldFault) {}

    /// Something an operator should know: each kind once, a pause at most every five seconds.
    fn advice(&self, _service: &str, _advice: &Advice) {}
}

/// A shared observer hears what each of those it was given to hears.
impl<O: Observer + ?Sized> Observer for Arc<O> {
    fn window_closed(&self, service: &str, window: &WindowClosed) {
        (**self).window_closed(service, window);
    }

    fn started(&self, service: &str, priority: Priority, waited: Duration) {
        (**self).started(service, priority, waited);
    }

    fn overload_edge(&self, service: &str, level: Level) {
        (**self).overload_edge(service, level);
    }

    fn shed(&self, service: &str, priority: Priority, reason: Reason) {
        (**self).shed(service, priority, reason);
    }

    fn withheld(&self, callee: &str, instance: &str, priority: Priority) {
        (**self).withheld(callee, instance, priority);
    }

    fn level_heard(&self, callee: &str, instance: &str, level: Level) {
        (**self).level_heard(callee, instance, level);
    }

    fn field_ignored(&self, service: &str, fault: FieldFault) {
        (**self).field_ignored(service, fault);
    }

    fn advice(&self, service: &str, advice: &Advice) {
        (**self).advice(service, advice);
    }
}

/// What one window saw and what followed from it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WindowClosed {
    /// What the window was judged to be.
    pub verdict: Verdict,
    /// The level from now on.
    pub level: Level,
    /// The mean queuing time of the window.
    pub queuing_time: Duration,
    /// Requests that wanted the service: arrived and withheld, not smoothed.
    pub demand: u64,
    /// Requests that arrived.
    pub arrived: u64,
    /// Requests waiting in the gate when the window closed.
    pub waiting: usize,
    /// Requests holding a permit when the window closed.
    pub running: usize,
    /// Permits; `None` without a limit.
    pub permits: Option<usize>,
    /// Demand of the window per business, refusals not counted.
    pub businesses: Vec<BusinessDemand>,
}

/// What one business wanted in a window.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct BusinessDemand {
    /// Requests that arrived.
    pub arrived: u64,
    /// Requests that callers reported as withheld.
    pub withheld: u64,
}

/// Why a field from a peer was not used.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum FieldFault {
    /// It does not parse, or a number in it is out of range.
    Malformed,
    /// It came more than once.
    Repeated,
    /// It is longer than any valid one.
    TooLong,
    /// It came from a peer that is not trusted to send it.
    Untrusted,
}

/// Something an operator should know about the process around the layer.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Advice {
    /// For half a second requests waited in the sockets while the gate's queue was empty: the gate is blind,
    /// and yields after each grant as well from then on. Usual causes: `event_interval` set below 8, or a
    /// layer that buffers in front.
    GateBlind {
        /// Mean wait of the last window before the layer.
        outside: Duration,
    },
    /// Somebody waited all the time for two seconds, yet there never were too many: the callers hold the
    /// rest back where this process cannot see it. With HTTP/2 the usual cause is a stream limit that is
    /// small against the gate's queue.
    HeldBack {
        /// Requests that waited or ran when this was noticed: about as many as the callers let out.
        inside: usize,
    },
    /// The dispatcher cannot run (no runtime, or it ended, or requests come from another runtime);
    /// the gate yields after each grant instead.
    NoDispatcher {
        /// What was found.
        cause: &'static str,
    },
    /// The process did not run for this long; the waits it caused were not held against the load.
    Paused {
        /// The length of the gap.
        gap: Duration,
    },
}

/// Several observers told one after the other.
#[derive(Clone, Default)]
pub(crate) struct Observers(Arc<[Arc<dyn Observer>]>);

// === impl Advice ===

impl Advice {
    /// Returns the name used in metrics and logs.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::GateBlind { .. } => "gate_blind",
            Self::HeldBack { .. } => "held_back",
            Self::NoDispatcher { .. } => "no_dispatcher",
            Self::Paused { .. } => "paused",
        }
    }
}

impl std::fmt::Display for Advice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::GateBlind { outside } => write!(
                f,
                "requests wait {outside:?} in their sockets while the gate's queue is empty: leave \
                 tokio's event_interval at its default (never below 8), give HTTP/2 peers more \
                 streams, and put no buffer in front of the layer"
            ),
            Self::HeldBack { inside } => write!(
                f,
                "{inside} requests are here all the time and never too many: the callers hold \
                 the rest back, unseen and unordered; with HTTP/2 let the stream limit times the \
                 connections be well above the gate's queue and permits"
            ),
            Self::NoDispatcher { cause } => write!(
                f,
                "no dispatcher for the gate ({cause}): until there is one it yields after each \
                 grant, which orders requests less well"
            ),
            Self::Paused { gap } => write!(
                f,
                "the process did not run for {gap:?}; the waits this caused are not held against \
                 the load"
            ),
        }
    }
}

// === impl FieldFault ===

impl FieldFault {
    /// Every fault, in the order of [`index`](Self::index).
    pub const ALL: [Self; 4] = [
        Self::Malformed,
        Self::Repeated,
        Self::TooLong,
        Self::Untrusted,
    ];

    /// Returns the name used in metrics and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Repeated => "repeated",
            Self::TooLong => "too_long",
            Self::Untrusted => "untrusted",
        }
    }

    /// Returns the position in [`ALL`](Self::ALL).
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

// === impl Observers ===

impl Observers {
    pub(crate) fn new(observers: Vec<Arc<dyn Observer>>) -> Self {
        Self(observers.into())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn tell(&self, tell: impl Fn(&dyn Observer)) {
        for observer in self.0.iter() {
            tell(&**observer);
        }
    }
}

impl std::fmt::Debug for Observers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Observers({})", self.0.len())
    }
}

/// Demand and what became of it, for one business since the start.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct BusinessCounts {
    /// Which business.
    pub business: u8,
    /// Requests that arrived.
    pub arrived: u64,
    /// Requests that callers reported as withheld.
    pub withheld: u64,
    /// Requests refused, by [`Reason::index`].
    pub shed: [u64; Reason::ALL.len()],
}

impl BusinessCounts {
    /// Returns the requests that wanted the service: arrived and withheld.
    #[must_use]
    pub const fn demand(&self) -> u64 {
        self.arrived + self.withheld
    }

    /// Returns the requests refused for any reason.
    #[must_use]
    pub fn shed_total(&self) -> u64 {
        self.shed.iter().sum()
    }

    /// Returns the requests that were not refused (some may still be waiting).
    #[must_use]
    pub fn admitted(&self) -> u64 {
        self.arrived.saturating_sub(self.shed_total())
    }

    /// Returns which business.
    #[must_use]
    pub const fn business(&self) -> Business {
        Business::new(self.business)
    }
}
