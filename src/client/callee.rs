//! The handle of one callee: its settings and what is known of its instances.

use std::{fmt, sync::Arc, time::Duration};

use super::{
    Builder, Snapshot,
    inference::Inference,
    layer::ClientLayer,
    levels::{Decision, Instance},
    table::Table,
};
use crate::{
    clock::Clock,
    control::Constants,
    error::Withheld,
    observe::Observers,
    priority::{Business, Level, Priority, Progress},
    unknown::spread,
    wire::Names,
};

/// A service that is called, and what is known of each of its instances.
///
/// Made once for each callee, by [`new`](Self::new) with the defaults or by [`builder`](Self::builder).
/// Cheap to clone: clones, and all layers and services made from them, share the table of instances.
#[derive(Clone)]
pub struct Callee(pub(super) Arc<Shared>);

/// What all clones of a callee share; made by the [`Builder`].
pub(super) struct Shared {
    pub(super) name: Arc<str>,
    pub(super) ttl: Duration,
    pub(super) last_business: Business,
    pub(super) default_priority: Option<Priority>,
    pub(super) names: Names,
    pub(super) clock: Clock,
    pub(super) observers: Observers,
    pub(super) constants: Constants,
    pub(super) longest_hold: Duration,
    pub(super) table: Table,
}

// === impl Callee ===

impl Callee {
    /// Returns the callee of this name with the default settings; see [`Builder`] for them.
    ///
    /// The name is that of the service, the same in all its instances and stable: it is what a task
    /// remembers of who served it, and a label of metrics.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self::builder(name).make()
    }

    /// Returns the settings of a callee of this name, all at their defaults.
    pub fn builder(name: &str) -> Builder {
        Builder::new(name)
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns a layer that takes the instance of each call from the authority of its URI.
    ///
    /// `http://10.0.0.7:80/pay` goes to instance `10.0.0.7:80`. A URI without authority (a channel that
    /// adds it later) counts as the one instance named like the callee.
    #[must_use]
    pub fn layer(&self) -> ClientLayer {
        ClientLayer::by_authority(self.clone())
    }

    /// Returns a layer for the service that leads to one instance, as under a balancer.
    ///
    /// `name` is its address or whatever else tells it from the others; above 255 bytes it is cut and
    /// ends in a hash of the whole.
    #[must_use]
    pub fn instance(&self, name: &str) -> ClientLayer {
        ClientLayer::bound(self.clone(), self.find(name, self.now()))
    }

    /// Returns what is known of each instance now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::of(&self.0.table)
    }

    pub(crate) fn find(&self, name: &str, now: Duration) -> Arc<Instance> {
        self.0.table.find(name, now)
    }

    pub(crate) fn now(&self) -> Duration {
        self.0.clock.now()
    }

    pub(crate) fn ttl(&self) -> Duration {
        self.0.ttl
    }

    pub(crate) fn shared_name(&self) -> &Arc<str> {
        &self.0.name
    }

    /// Returns the priority of a call that belongs to no task.
    pub(crate) fn default_priority(&self) -> Priority {
        let unknown = || Priority::new(Business::LEAST_IMPORTANT, spread());
        self.0.default_priority.unwrap_or_else(unknown)
    }

    pub(crate) fn names(&self) -> &Names {
        &self.0.names
    }

    pub(crate) fn observers(&self) -> &Observers {
        &self.0.observers
    }

    pub(crate) fn longest_hold(&self) -> Duration {
        self.0.longest_hold
    }

    pub(crate) fn inference<'a>(&self, instance: &'a Instance, now: Duration) -> &'a Inference {
        let businesses = u16::from(self.0.last_business.get()) + 1;
        instance.inference(|| Inference::new(self.0.constants.clone(), businesses, now))
    }

    /// Decides on a call by the level known of the instance.
    ///
    /// # Errors
    ///
    /// If it is to be withheld; that is counted and told.
    pub(crate) fn judge(
        &self,
        instance: &Instance,
        (priority, progress): (Priority, Progress),
        now: Duration,
    ) -> Result<(), Withheld> {
        let counted = self.counted(priority);
        match instance.decide(counted, progress, now, self.0.ttl) {
            Decision::Send | Decision::Probe => Ok(()),
            Decision::Withhold => {
                let observers = self.observers();
                observers.tell(|o| o.withheld(self.name(), instance.name(), priority));
                Err(self.withheld(instance, None))
            }
        }
    }

    /// Decides on a call by the level that the caller infers, counting it as demand.
    ///
    /// # Errors
    ///
    /// If it is to be withheld; that is counted and told.
    pub(crate) fn judge_by_inference(
        &self,
        instance: &Instance,
        (priority, progress): (Priority, Progress),
        now: Duration,
    ) -> Result<(), Withheld> {
        let inference = self.inference(instance, now);
        let counted = self.counted(priority);
        let level = inference.arrive(counted, instance.outstanding(), now);
        self.level_moved(instance, level);
        self.judge(instance, (priority, progress), now)
            .map_err(|withheld| Withheld {
                retry_after: inference.held(now),
                ..withheld
            })
    }

    /// Returns a priority as it is counted and judged.
    pub(crate) fn counted(&self, priority: Priority) -> Priority {
        priority.clamped(self.0.last_business)
    }

    /// Returns the error of a call that is withheld from `instance`.
    pub(crate) fn withheld(&self, instance: &Instance, retry_after: Option<Duration>) -> Withheld {
        Withheld {
            callee: Arc::clone(&self.0.name),
            instance: Arc::clone(instance.name()),
            level: instance.level(),
            retry_after,
        }
    }

    /// Publishes a level of `instance` and tells it if it is another than before.
    pub(crate) fn level_moved(&self, instance: &Instance, level: Level) {
        if instance.set_level(level) {
            self.tell_level(instance, level);
        }
    }

    pub(crate) fn tell_level(&self, instance: &Instance, level: Level) {
        let observers = self.observers();
        observers.tell(|o| o.level_heard(self.name(), instance.name(), level));
    }
}

impl fmt::Debug for Callee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callee")
            .field("name", &self.0.name)
            .finish_non_exhaustive()
    }
}
