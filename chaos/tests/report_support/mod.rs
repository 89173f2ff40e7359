//! Scenarios and outcomes made by hand, for the tests of what is made of them.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod judging;
pub(crate) mod story;

use std::time::Duration;

use chaos::{
    Engine, Scenario,
    measure::{Outcome, ServiceCounts, TaskCounts},
    policy::Name,
    scenario::{
        Balance, Business, Calls, Criterion, CriterionKind, Edge, Load, Protocol, Quick, Retries,
        Service, ServiceTime, Shape,
    },
};

pub(crate) fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// The paper's: an entry without bound that calls M, which can do 750 a second; tasks of one business, for ten
/// seconds.
pub(crate) fn scenario() -> Scenario {
    Scenario {
        name: "paper".into(),
        purpose: "A for test".into(),
        source: None,
        seed: 1,
        duration: seconds(10.0),
        warm_up: Duration::ZERO,
        engines: vec![Engine::Sim],
        policies: vec![Name::None, Name::Dagor],
        deadline: seconds(0.5),
        network: Duration::ZERO,
        refusal_cost: 0.05,
        hang_up: true,
        threshold: seconds(0.02),
        measured: Some(1),
        services: vec![service("entry", None), service("M", Some(10))],
        edges: vec![edge(0, 1)],
        businesses: vec![business("orders", 0)],
        loads: vec![load(1000.0, Shape::Steady)],
        faults: Vec::new(),
        criteria: Vec::new(),
        published: Vec::new(),
        quick: Quick::default(),
        calendar: Duration::ZERO,
    }
}

/// Three instances; with ten workers, 750 requests a second.
pub(crate) fn service(name: &str, workers: Option<u32>) -> Service {
    Service {
        name: name.into(),
        instances: 3,
        workers,
        service_time: ServiceTime::Exponential(seconds(0.04)),
        queue: None,
        protected: true,
        speeds: Vec::new(),
        cpu_share: 0.0,
        protocol: Protocol::Http,
        quota: None,
    }
}

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

pub(crate) fn business(name: &str, number: u8) -> Business {
    Business {
        name: name.into(),
        number,
        share: 1.0,
        entry: 0,
        users: 1000,
        forged: 0.0,
    }
}

pub(crate) fn load(rate: f64, shape: Shape) -> Load {
    Load {
        business: None,
        from: Duration::ZERO,
        until: seconds(10.0),
        rate,
        shape,
    }
}

pub(crate) fn criterion(kind: CriterionKind, from: f64, until: f64) -> Criterion {
    Criterion {
        name: "it holds".into(),
        from: seconds(from),
        until: seconds(until),
        policies: vec![Name::Dagor],
        kind,
    }
}

/// An outcome of so many bins in which nothing happened.
pub(crate) fn nothing(scenario: &Scenario, bins: usize) -> Outcome {
    let tasks = TaskCounts {
        offered: vec![0; bins],
        good: vec![0; bins],
        offered_weight: vec![0.0; bins],
        good_weight: vec![0.0; bins],
    };
    let service = ServiceCounts {
        arrived: vec![0; bins],
        refused: vec![0; bins],
        withheld: vec![0; bins],
        started: vec![0; bins],
        served: vec![0; bins],
        waited_us: vec![0.0; bins],
        worked_us: vec![0.0; bins],
        wasted_us: vec![0.0; bins],
        level: vec![1.0; bins],
    };
    Outcome {
        businesses: vec![tasks; scenario.businesses.len()],
        services: vec![service; scenario.services.len()],
        ..Outcome::default()
    }
}

/// Tasks of one business, by bin: (came, succeeded), each of this weight.
pub(crate) fn tasks(bins: &[(u32, u32)], weight: f64) -> TaskCounts {
    let weigh = |count: &u32| f64::from(*count) * weight;
    let (offered, good): (Vec<u32>, Vec<u32>) = bins.iter().copied().unzip();
    TaskCounts {
        offered_weight: offered.iter().map(weigh).collect(),
        good_weight: good.iter().map(weigh).collect(),
        offered,
        good,
    }
}

/// An outcome of one business: (came, succeeded) by bin.
pub(crate) fn outcome(scenario: &Scenario, bins: &[(u32, u32)], weight: f64) -> Outcome {
    let mut outcome = nothing(scenario, bins.len());
    outcome.businesses[0] = tasks(bins, weight);
    outcome
}
