//! How a request becomes a task.

use std::{fmt, time::Duration};

use arc_swap::ArcSwap;
use http::request::Parts;

use super::{
    patterns::Patterns,
    table::Table,
    user::{Host, UserHash},
};
use crate::{
    clock::Clock,
    observe::{FieldFault, Observers},
    priority::{Priority, User},
    task::Task,
    wire::{Names, PriorityField, Reading, read_priority},
};

/// Whether a peer may say which priority its requests have.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Trust {
    /// It is one of ours: its `dagor-*` fields are honoured, and it hears the level.
    Trusted,
    /// It is anybody: its `dagor-*` fields are removed, and so is the level from its responses. Ranked anew
    /// here, it would withhold by another priority than it has.
    Untrusted,
}

pub(super) type TrustHook = dyn Fn(&Parts) -> Trust + Send + Sync;
/// Finds the identity of the user and puts it through the hash it is given.
pub(super) type UserHook =
    dyn Fn(&Parts, &dyn Fn(&[u8]) -> Option<User>) -> Option<User> + Send + Sync;

/// Everything that an entry goes by; shared by a layer, its clones and its services.
pub(super) struct Rules {
    pub(super) service: Box<str>,
    /// Replaced by whoever reloads the settings, read by every request.
    pub(super) table: ArcSwap<Table>,
    pub(super) exempt: Patterns<()>,
    pub(super) user: Option<Box<UserHook>>,
    pub(super) trust: Option<Box<TrustHook>>,
    pub(super) hash: UserHash,
    pub(super) deadline: Option<Duration>,
    pub(super) names: Names,
    pub(super) clock: Clock,
    pub(super) observers: Observers,
}

impl Rules {
    /// Returns whether the sender of a request may speak of priorities, and hear of levels.
    pub(super) fn trust(&self, parts: &Parts) -> Trust {
        let trust = self.trust.as_ref();
        trust.map_or(Trust::Untrusted, |trust| trust(parts))
    }

    /// Begins the task of a request and removes what its sender may not say; `None` if its path is exempt.
    pub(super) fn begin(&self, trust: Trust, parts: &mut Parts) -> Option<Task> {
        if trust == Trust::Untrusted {
            self.strip(parts);
        }
        if self.exempt.find(&parts.method, parts.uri.path()).is_some() {
            return None;
        }
        let told = match trust {
            Trust::Trusted => self.told(parts),
            Trust::Untrusted => None,
        };
        let priority = told.map_or_else(|| self.priority(parts), |field| field.priority);
        let told_budget = told.and_then(|field| field.budget);
        let budget = match (self.deadline, told_budget) {
            (Some(own), Some(told)) => Some(own.min(told)),
            (own, told) => own.or(told),
        };
        let deadline = budget.map(|budget| self.clock.now().saturating_add(budget));
        Some(Task::new(priority).with_deadline(deadline))
    }

    /// Removes and counts the fields of a peer that may not send them.
    fn strip(&self, parts: &mut Parts) {
        let Names {
            priority,
            level,
            demand,
        } = &self.names;
        for name in [priority, level, demand] {
            if parts.headers.remove(name.header()).is_some() {
                self.ignored(FieldFault::Untrusted);
            }
        }
    }

    /// Returns the priority that a trusted peer sent; one that cannot be used is counted and removed, so
    /// that nobody behind the entry finds it.
    fn told(&self, parts: &mut Parts) -> Option<PriorityField> {
        match read_priority(&parts.headers, &self.names) {
            Reading::Absent => None,
            Reading::Valid(field) => Some(field),
            Reading::Ignored(fault) => {
                parts.headers.remove(self.names.priority.header());
                self.ignored(fault);
                None
            }
        }
    }

    /// Returns the priority by table and hash.
    fn priority(&self, parts: &Parts) -> Priority {
        let business = self.table.load().business(&parts.method, parts.uri.path());
        Priority::new(business, self.user(parts).unwrap_or(User::LEAST_IMPORTANT))
    }

    fn user(&self, parts: &Parts) -> Option<User> {
        let place = |identity: &[u8]| {
            // Nobody: all of them would otherwise share one place, and a good one in some hours.
            let known = !identity.is_empty();
            known.then(|| self.hash.user(self.clock.calendar(), identity))
        };
        let by_hook = self.user.as_ref().and_then(|user| user(parts, &place));
        by_hook.or_else(|| place(Host::of(&parts.extensions)?.as_bytes()))
    }

    fn ignored(&self, fault: FieldFault) {
        self.observers
            .tell(|observer| observer.field_ignored(&self.service, fault));
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules")
            .field("service", &self.service)
            .field("table", &self.table)
            .field("exempt", &self.exempt)
            .field("hash", &self.hash)
            .field("deadline", &self.deadline)
            .field("names", &self.names)
            .field("clock", &self.clock)
            .field("observers", &self.observers)
            .finish_non_exhaustive()
    }
}
