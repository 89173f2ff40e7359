//! The policies: what each puts around an instance and around its callers.
//!
//! Every policy is a [`Policy`], one module each. Peers that are an algorithm are written as plain state with
//! the time passed in ([`Gatekeeper`], [`Sender`]), which their own claims are tested on; [`peer`] puts them into
//! a run. What is a real layer (dagor's, tower's) is used as it is.
//!
//! Each module's first paragraph says where the algorithm is from, how it was tuned and which of its own
//! claims the tests check.

pub mod breakwater;
pub mod breakwater_dagor;
pub mod cinnamon;
pub mod codel;
pub mod crates;
pub mod dagor;
pub mod gradient2;
mod make;
mod name;
mod pace;
pub mod paper;
pub mod peer;
pub mod rajomon;
mod ranks;
pub mod seda;
pub mod sre;
mod standing;
pub mod tower;
#[cfg(test)]
mod trial;
#[cfg(test)]
mod two_tiers;
pub mod vegas;

use std::{
    fmt,
    sync::{Arc, OnceLock},
    time::Duration,
};

use ::dagor::Admission;

pub use self::{
    make::make,
    name::{Name, UnknownName},
    peer::{Arrival, Gatekeeper, Reply, Send, Sender, Verdict},
};
use crate::{scenario::Scenario, wire::Link, world::World};

/// A policy in one run; makes what goes around each instance.
pub trait Policy: std::marker::Send + Sync {
    /// Puts the policy in front of the work of one instance.
    fn serve(&self, place: &Place<'_>, work: Link) -> Served;

    /// Puts it in front of the channels from one caller instance (`place`) to all instances of one callee.
    ///
    /// Returns one link for each channel, in their order. `fed` says how busy the caller thinks each is, for the
    /// choice between two; a policy that knows better gives links with a [`load`](crate::wire::Exchange::load) of
    /// their own.
    fn call(&self, place: &Place<'_>, callee: &Callee<'_>, channels: Vec<Link>) -> Vec<Link>;

    /// Whether a larger number in [`TOLD`](crate::wire::TOLD) means more open, as with credits, and not less, as
    /// with a price: a fault that forges it goes by that.
    fn told_opens(&self) -> bool {
        true
    }
}

/// An instance of a service, seen from what is put around it.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The run.
    pub world: &'a World,
    /// The seed, for [`Chance`](crate::world::Chance).
    pub seed: u64,
    /// The scenario.
    pub scenario: &'a Scenario,
    /// The service's place in it.
    pub service: usize,
    /// Which of its instances.
    pub instance: u32,
    /// How often it was started, 0 the first time: an instance that is restarted is built anew.
    pub start: u32,
    /// The service's clock: the world's, unless a fault makes this service's calendar jump.
    pub clock: &'a ::dagor::Clock,
    /// Told of waits that only the work itself sees: for a worker, behind a policy without a queue. It may be set
    /// by the policy and is then called with each such wait, before the work begins.
    pub waits: &'a Waits,
}

/// Who wants to hear how long requests waited where the policy itself cannot see it.
#[derive(Clone, Default)]
pub struct Waits(Arc<Listeners>);

#[derive(Default)]
struct Listeners {
    workers: OnceLock<Box<dyn Fn(Duration) + std::marker::Send + Sync>>,
    sockets: OnceLock<Admission>,
}

/// The callee of a caller.
#[derive(Clone, Copy, Debug)]
pub struct Callee<'a> {
    /// Its place among the services.
    pub service: usize,
    /// The names of its instances, as in the authority of a URI.
    pub instances: &'a [String],
}

/// An instance behind its policy.
pub struct Served {
    /// Where its requests go.
    pub link: Link,
    /// How open it is now, 0 (closed) to 1 (open), if the policy has such a thing; for the charts.
    pub level: Option<Box<dyn Fn() -> f64 + std::marker::Send + Sync>>,
}

impl Waits {
    /// Sets who is told of waits for a worker, once.
    pub fn tell(&self, listener: impl Fn(Duration) + std::marker::Send + Sync + 'static) {
        drop(self.0.workers.set(Box::new(listener)));
    }

    /// Sets who sees the waits in sockets, once; where there are any.
    pub fn watch_sockets(&self, admission: &Admission) {
        drop(self.0.sockets.set(admission.clone()));
    }

    /// Returns who sees the waits in sockets.
    #[must_use]
    pub fn socket_watcher(&self) -> Option<&Admission> {
        self.0.sockets.get()
    }

    /// Tells of one wait for a worker.
    pub fn waited(&self, waited: Duration) {
        if let Some(listener) = self.0.workers.get() {
            listener(waited);
        }
    }
}

impl fmt::Debug for Waits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waits")
            .field("workers", &self.0.workers.get().is_some())
            .field("sockets", &self.0.sockets.get().is_some())
            .finish()
    }
}

impl fmt::Debug for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Place")
            .field("service", &self.spec().name)
            .field("instance", &self.instance)
            .field("start", &self.start)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Served {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Served")
            .field("level", &self.level.as_ref().map(|level| level()))
            .finish_non_exhaustive()
    }
}

impl Place<'_> {
    /// Returns the service.
    #[must_use]
    pub fn spec(&self) -> &crate::scenario::Service {
        &self.scenario.services[self.service]
    }
}
