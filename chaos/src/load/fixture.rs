//! A scenario with nothing in it, for tests.

use std::time::Duration;

use crate::scenario::{Business, Load, Protocol, Quick, Scenario, Service, ServiceTime, Shape};

/// This many services, one business that begins at the first, no load; 10 s.
pub(crate) fn scenario(services: usize) -> Scenario {
    Scenario {
        name: "fixture".into(),
        purpose: "Tests.".into(),
        source: None,
        seed: 1,
        duration: Duration::from_secs(10),
        warm_up: Duration::ZERO,
        engines: vec![crate::Engine::Sim],
        policies: Vec::new(),
        deadline: Duration::from_millis(500),
        network: Duration::ZERO,
        refusal_cost: 0.0,
        hang_up: true,
        threshold: Duration::from_millis(20),
        measured: None,
        services: (0..services).map(service).collect(),
        edges: Vec::new(),
        businesses: vec![business("only", 1.0)],
        loads: Vec::new(),
        faults: Vec::new(),
        criteria: Vec::new(),
        published: Vec::new(),
        quick: Quick::default(),
        calendar: Duration::from_secs(1_700_000_000),
    }
}

pub(crate) fn business(name: &str, share: f64) -> Business {
    Business {
        name: name.into(),
        number: 10,
        share,
        entry: 0,
        users: 1_000,
        forged: 0.0,
    }
}

/// A load of any business over the first `seconds`.
pub(crate) const fn load(seconds: u64, rate: f64, shape: Shape) -> Load {
    Load {
        business: None,
        from: Duration::ZERO,
        until: Duration::from_secs(seconds),
        rate,
        shape,
    }
}

fn service(number: usize) -> Service {
    Service {
        name: format!("service-{number}"),
        instances: 1,
        workers: Some(1),
        service_time: ServiceTime::Constant(Duration::from_millis(1)),
        queue: None,
        protected: true,
        speeds: vec![1.0],
        cpu_share: 0.0,
        protocol: Protocol::Http,
        quota: None,
    }
}
