//! What tests of peers need: a scenario, an instance in it, work that takes its time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use http::StatusCode;

use crate::{
    policy::{Place, Waits},
    scenario::{
        Balance, Business, Calls, Edge, Protocol, Quick, Retries, Scenario, Service, ServiceTime,
    },
    wire::{self, Answering, Body, Call, Exchange, Link, Request},
    world::{Real, World},
};

/// A scenario in a world.
pub(crate) struct Bench {
    pub(crate) scenario: Scenario,
    pub(crate) world: World,
    waits: Waits,
}

/// Work of a fixed time on as many workers as come; answers with the status, counts the most at once.
pub(crate) struct Work {
    world: World,
    time: Duration,
    status: StatusCode,
    at_once: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Bench {
    /// A bench in tokio's paused time, which moves on a little first: the process's clock counts from its first use, which
    /// may be after the moment at which time was stopped, and stands still until then.
    pub(crate) async fn new(scenario: Scenario) -> Self {
        tokio::time::advance(Duration::from_secs(1)).await;
        Self::of(scenario, Real::start())
    }

    /// A bench where nothing happens.
    pub(crate) fn still(scenario: Scenario) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        Self::of(scenario, runtime.block_on(async { Real::start() }))
    }

    fn of(scenario: Scenario, world: Real) -> Self {
        Self {
            scenario,
            world: World::Real(world),
            waits: Waits::default(),
        }
    }

    /// The first instance of a service.
    pub(crate) fn place(&self, service: usize) -> Place<'_> {
        Place {
            world: &self.world,
            seed: 1,
            scenario: &self.scenario,
            service,
            instance: 0,
            start: 0,
            waits: &self.waits,
            clock: self.world.clock(),
        }
    }

    /// Work that takes this many milliseconds.
    pub(crate) fn work(&self, ms: u64, status: StatusCode) -> Arc<Work> {
        Arc::new(Work {
            world: self.world.clone(),
            time: Duration::from_millis(ms),
            status,
            at_once: Arc::default(),
            most: Arc::default(),
        })
    }
}

impl Work {
    /// How many were worked on at once, at most.
    pub(crate) fn most(&self) -> usize {
        self.most.load(Ordering::Relaxed)
    }
}

impl Exchange for Work {
    fn send(&self, _: Request) -> Answering {
        let (world, time, status) = (self.world.clone(), self.time, self.status);
        let (at_once, most) = (Arc::clone(&self.at_once), Arc::clone(&self.most));
        Box::pin(async move {
            most.fetch_max(
                1 + at_once.fetch_add(1, Ordering::Relaxed),
                Ordering::Relaxed,
            );
            world.sleep(time).await;
            at_once.fetch_sub(1, Ordering::Relaxed);
            Ok(wire::respond(status))
        })
    }
}

/// A link of it.
pub(crate) fn link(work: &Arc<Work>) -> Link {
    Arc::<Work>::clone(work)
}

/// A scenario of these services without calls between them, and one business.
pub(crate) fn scenario(services: Vec<Service>) -> Scenario {
    Scenario {
        name: "bench".into(),
        purpose: "for tests".into(),
        source: None,
        seed: 1,
        duration: Duration::from_secs(1),
        warm_up: Duration::ZERO,
        engines: Vec::new(),
        policies: Vec::new(),
        deadline: Duration::from_millis(500),
        network: Duration::ZERO,
        refusal_cost: 0.0,
        hang_up: true,
        threshold: Duration::from_millis(20),
        measured: None,
        services,
        edges: Vec::new(),
        businesses: vec![Business {
            name: "only".into(),
            number: 0,
            share: 1.0,
            entry: 0,
            users: 1,
            forged: 0.0,
        }],
        loads: Vec::new(),
        faults: Vec::new(),
        criteria: Vec::new(),
        published: Vec::new(),
        quick: Quick::default(),
        calendar: Duration::ZERO,
    }
}

/// A service of one instance.
pub(crate) fn service(workers: Option<u32>, ms: u64) -> Service {
    Service {
        name: "service".into(),
        instances: 1,
        workers,
        service_time: ServiceTime::Constant(Duration::from_millis(ms)),
        queue: None,
        protected: true,
        speeds: Vec::new(),
        cpu_share: 0.0,
        protocol: Protocol::Http,
        quota: None,
    }
}

/// One required call.
pub(crate) fn edge(from: usize, to: usize) -> Edge {
    Edge {
        from,
        to,
        calls: Calls::Fixed(1),
        parallel: false,
        cancel: false,
        required: true,
        probability: 1.0,
        timeout: None,
        retries: Retries::default(),
        balance: Balance::Random,
        businesses: Vec::new(),
    }
}

/// A call with this deadline.
pub(crate) fn call(number: u8, deadline: Duration) -> Call {
    Call {
        task: 0,
        business: 0,
        number,
        user: 0,
        place: 0,
        deadline,
        draw: 0,
    }
}

/// A request of this call.
pub(crate) fn request(call: Call) -> Request {
    let mut request = Request::new(Body::empty());
    request.extensions_mut().insert(call);
    request
}
