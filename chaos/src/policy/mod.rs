//! The policies: what each puts around an instance and around its callers.
//!
//! Every policy is a [`Policy`], one module each. Peers that are an algorithm are written as plain state with
//! the time passed in ([`Gatekeeper`], [`Sender`]), which their own claims are tested on; [`peer`] puts them into
//! a run. What is a real layer (dagor's, tower's) is used as it is.
//!
//! Each module's first paragraph says where the algorithm is from, how it was tuned and which of its own
//! claims the tests check.

pub mod codel;
pub mod gradient2;
mod name;
pub mod peer;
pub mod seda;
pub mod tower;
pub mod vegas;

use std::{sync::Arc, time::Duration};

pub use self::{
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
    /// Told of waits that only the work itself sees: for a worker, behind a policy without a queue. It may be set
    /// by the policy and is then called with each such wait, before the work begins.
    pub waits: &'a Waits,
}

/// Who wants to hear how long requests waited for a worker behind the policy.
#[derive(Clone, Default)]
pub struct Waits(Arc<std::sync::OnceLock<Box<dyn Fn(Duration) + std::marker::Send + Sync>>>);

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
    /// Sets who is told, once.
    pub fn tell(&self, listener: impl Fn(Duration) + std::marker::Send + Sync + 'static) {
        drop(self.0.set(Box::new(listener)));
    }

    /// Tells of one wait.
    pub fn waited(&self, waited: Duration) {
        if let Some(listener) = self.0.get() {
            listener(waited);
        }
    }
}

impl Place<'_> {
    /// Returns the service.
    #[must_use]
    pub fn spec(&self) -> &crate::scenario::Service {
        &self.scenario.services[self.service]
    }
}
