//! Scenarios for the tests of the graph, written in code.
#![allow(dead_code, unreachable_pub, reason = "each test file uses some of it")]
#![allow(clippy::unwrap_used, reason = "a helper that fails fails its test")]

pub mod spy;

use std::time::Duration;

use chaos::{
    Engine,
    measure::Outcome,
    policy::Name,
    scenario::{
        Balance, Business, Calls, Edge, Fault, FaultKind, Load, Protocol, Quick, Retries, Scenario,
        Service, ServiceTime, Shape,
    },
    wire::Call,
};

/// The seed of all tests here.
pub const SEED: u64 = 7;

pub const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// `services`, the first of which is where all tasks begin, `rate` a second.
pub fn scenario(services: Vec<Service>, edges: Vec<Edge>, rate: f64, seconds: u64) -> Scenario {
    let duration = Duration::from_secs(seconds);
    Scenario {
        name: "test".into(),
        purpose: "tests".into(),
        source: None,
        seed: SEED,
        duration,
        warm_up: Duration::ZERO,
        engines: vec![Engine::Sim],
        policies: vec![Name::None],
        deadline: ms(500),
        network: Duration::ZERO,
        refusal_cost: 0.0,
        hang_up: true,
        threshold: ms(20),
        measured: None,
        services,
        edges,
        businesses: vec![business()],
        loads: vec![Load {
            business: None,
            from: Duration::ZERO,
            until: duration,
            rate,
            shape: Shape::Steady,
        }],
        faults: Vec::new(),
        criteria: Vec::new(),
        published: Vec::new(),
        quick: Quick::default(),
        calendar: Duration::ZERO,
    }
}

pub fn business() -> Business {
    Business {
        name: "any".into(),
        number: 0,
        share: 1.0,
        entry: 0,
        users: 1_000,
        forged: 0.0,
    }
}

/// A service with one instance and `workers` (0 for no bound) of this service time.
pub fn service(name: &str, workers: u32, service_time: ServiceTime) -> Service {
    Service {
        name: name.into(),
        instances: 1,
        workers: (workers > 0).then_some(workers),
        service_time,
        queue: None,
        protected: true,
        speeds: Vec::new(),
        cpu_share: 0.0,
        protocol: Protocol::Http,
        quota: None,
    }
}

/// A service that does nothing but call.
pub fn front() -> Service {
    service("front", 0, ServiceTime::Constant(Duration::ZERO))
}

/// One required call from the service at one place to that at the other.
pub fn edge(from: usize, to: usize) -> Edge {
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

pub fn fault(service: usize, at: Duration, lasts: Duration, kind: FaultKind) -> Fault {
    Fault {
        at,
        lasts: Some(lasts),
        service,
        instances: Vec::new(),
        from: None,
        kind,
    }
}

pub fn run(scenario: &Scenario) -> Outcome {
    chaos::sim::run(scenario, Name::None, SEED).unwrap()
}

pub fn sum(bins: &[u32]) -> u32 {
    bins.iter().sum()
}

/// Adds up microseconds.
pub fn total(bins: &[f64]) -> Duration {
    Duration::from_secs_f64(bins.iter().sum::<f64>() / 1e6)
}

/// The share of tasks that came in these bins and succeeded.
pub fn good(outcome: &Outcome, bins: std::ops::Range<usize>) -> f64 {
    let tasks = &outcome.businesses[0];
    let (good, all) = (sum(&tasks.good[bins.clone()]), sum(&tasks.offered[bins]));
    assert!(all > 0, "nobody came");
    f64::from(good) / f64::from(all)
}

/// A task at each of these milliseconds, of a user of its own, numbered from 0.
pub fn at(moments: &[u64], scenario: &Scenario) -> Vec<(Duration, Call)> {
    let task = |(task, moment): (u64, &u64)| {
        let call = Call {
            task,
            business: 0,
            number: 0,
            user: u32::try_from(task).unwrap(),
            place: 0,
            deadline: ms(*moment) + scenario.deadline,
            draw: task.wrapping_mul(0x9E37_79B9_7F4A_7C15),
        };
        (ms(*moment), call)
    };
    (0..).zip(moments).map(task).collect()
}

/// Runs just these tasks without a policy.
pub fn run_at(scenario: &Scenario, moments: &[u64]) -> Outcome {
    let policy = chaos::policy::make(Name::None).unwrap();
    chaos::sim::run_tasks(scenario, policy, SEED, at(moments, scenario))
}

/// When the tasks that succeeded did so: (milliseconds of the bin they came in, milliseconds they took).
pub fn took(outcome: &Outcome) -> Vec<(u64, f64)> {
    let mut took: Vec<_> = outcome.took.iter().collect();
    took.sort_unstable();
    let each = |&&(bin, _, us): &&(u32, u8, u32)| (u64::from(bin) * 100, f64::from(us) / 1e3);
    took.iter().map(each).collect()
}

/// Makes load come for so many seconds.
pub fn lasts(scenario: &mut Scenario, seconds: u64) {
    scenario.duration = Duration::from_secs(seconds);
    scenario.loads[0].until = scenario.duration;
}

/// A front, and M that takes 40 ms with one worker.
pub fn pair() -> Scenario {
    let callee = service("M", 1, ServiceTime::Constant(ms(40)));
    let mut scenario = scenario(vec![front(), callee], vec![edge(0, 1)], 1.0, 2);
    scenario.deadline = Duration::from_secs(1);
    scenario
}

/// The same with something wrong at M from 100 to 300 ms.
pub fn wrong(kind: FaultKind) -> Scenario {
    let mut scenario = pair();
    scenario.faults.push(fault(1, ms(100), ms(200), kind));
    scenario
}
