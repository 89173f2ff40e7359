//! All instances and callers of a scenario, put together.

use std::{fmt, sync::Arc};

use http::Uri;

use super::{
    At, Clocks, Run, Slot,
    instance::Instance,
    timeline::concerns_instances,
    trouble::Trouble,
    work::{Desk, Work},
};
use crate::{
    policy::{Place, Policy, Served, Waits},
    wire::Link,
};

/// How requests travel in an engine.
pub trait Network: Send + Sync {
    /// Returns where an instance is, as in the authority of a URI.
    fn address(&self, at: At) -> String;

    /// Returns a channel from an instance (`None` for a client outside) to the one that is at `slot`.
    fn channel(&self, from: Option<At>, slot: &Arc<Slot>) -> Link;

    /// An instance started at its place, whose policy set `waits`; whoever has a port for it opens it.
    fn started(&self, slot: &Arc<Slot>, waits: &Waits) {
        let _ = (slot, waits);
    }

    /// The instance that was there died.
    fn died(&self, slot: &Arc<Slot>) {
        let _ = slot;
    }
}

/// The services of a run.
pub struct Fabric {
    pub(super) run: Run,
    pub(super) policy: Box<dyn Policy>,
    pub(super) network: Box<dyn Network>,
    pub(super) clocks: Clocks,
    /// By service, then by instance.
    pub(super) slots: Vec<Vec<Arc<Slot>>>,
    pub(super) addresses: Vec<Vec<String>>,
    pub(super) uris: Vec<Arc<[Uri]>>,
    /// The edges from each service, by their places.
    pub(super) edges: Vec<Vec<usize>>,
}

impl Fabric {
    /// Builds all services of the scenario and starts their instances.
    #[must_use]
    pub fn new(run: Run, policy: Box<dyn Policy>, network: Box<dyn Network>) -> Arc<Self> {
        let scenario = Arc::clone(&run.scenario);
        let services = 0..scenario.services.len();
        let each = |service: usize| {
            (0..scenario.services[service].instances).map(move |instance| At { service, instance })
        };
        let mut edges = vec![Vec::new(); scenario.services.len()];
        for (place, edge) in scenario.edges.iter().enumerate() {
            edges[edge.from].push(place);
        }
        let addresses: Vec<Vec<String>> = services
            .clone()
            .map(|service| each(service).map(|at| network.address(at)).collect())
            .collect();
        let fabric = Arc::new(Self {
            slots: services
                .clone()
                .map(|service| each(service).map(|at| slot(&run, at)).collect())
                .collect(),
            uris: addresses
                .iter()
                .map(|all| all.iter().map(|one| uri(one)).collect())
                .collect(),
            addresses,
            edges,
            clocks: Clocks::new(&run),
            run,
            policy,
            network,
        });
        for at in services.flat_map(each) {
            fabric.start(at);
        }
        fabric
    }

    /// Returns the place of an instance, which must be one of the scenario's.
    #[must_use]
    pub fn slot(&self, at: At) -> &Arc<Slot> {
        // Lossless: the scenario's instances are all in memory.
        &self.slots[at.service][at.instance as usize]
    }

    /// Returns the places of all instances of a service.
    #[must_use]
    pub fn slots(&self, service: usize) -> &[Arc<Slot>] {
        &self.slots[service]
    }

    /// Returns the clocks of services whose calendars jump.
    #[must_use]
    pub const fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    /// Returns where an instance is, as in the authority of a URI.
    #[must_use]
    pub fn address(&self, at: At) -> &str {
        &self.addresses[at.service][at.instance as usize]
    }

    /// Starts an instance in its place, the first time or anew.
    pub(super) fn start(&self, at: At) {
        let slot = self.slot(at);
        let waits = Waits::default();
        let clock = self
            .clocks
            .of(at.service)
            .unwrap_or_else(|| self.run.world.clock());
        let place = Place {
            world: &self.run.world,
            seed: self.run.seed,
            scenario: &self.run.scenario,
            service: at.service,
            instance: at.instance,
            start: slot.starts(),
            clock,
            waits: &waits,
        };
        let callers = self.callers(at, &place);
        let trouble = slot.trouble().map(Arc::clone);
        let desk = Desk::new(
            &self.run,
            (at, place.start),
            callers,
            (waits.clone(), trouble),
        );
        let desk = Arc::new(desk);
        let work: Link = Arc::new(Work(Arc::clone(&desk)));
        let served = if place.spec().protected {
            self.policy.serve(&place, work)
        } else {
            Served {
                link: work,
                level: None,
            }
        };
        slot.start(Instance::new(&self.run, desk, served));
        self.network.started(slot, &waits);
    }

    /// Kills the instance in its place.
    pub(super) fn kill(&self, at: At) {
        let slot = self.slot(at);
        slot.kill();
        self.network.died(slot);
    }
}

fn slot(run: &Run, at: At) -> Arc<Slot> {
    let faults = run.scenario.faults.iter();
    let mut faults =
        faults.filter(|fault| concerns_instances(fault) && fault.service == at.service);
    let hit =
        faults.any(|fault| fault.instances.is_empty() || fault.instances.contains(&at.instance));
    let trouble = hit.then(|| Arc::new(Trouble::new()));
    Arc::new(Slot::new(
        at,
        run.world.clone(),
        run.scenario.hang_up,
        trouble,
    ))
}

/// Returns the URI of inner calls to this address; without it if it is none.
fn uri(address: &str) -> Uri {
    let uri = Uri::builder()
        .scheme("http")
        .authority(address)
        .path_and_query("/")
        .build();
    uri.unwrap_or_else(|_| Uri::from_static("/"))
}

impl fmt::Debug for Fabric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let services = self.slots.len();
        let instances: usize = self.slots.iter().map(Vec::len).sum();
        let mut debug = f.debug_struct("Fabric");
        debug
            .field("run", &self.run)
            .field("services", &services)
            .field("instances", &instances);
        debug.finish_non_exhaustive()
    }
}
