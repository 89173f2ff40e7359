//! Both engines say the same of a scenario: goodput within 0.10 of the optimum of each other.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that says what it measured"
)]

use std::thread;

use chaos::{
    Engine, Scenario,
    measure::Outcome,
    policy::{Name, make},
    run::run,
    scenario::{Folder, capacity},
};

/// Tasks of two calls at twice the capacity of 100 calls a second, the second service over gRPC.
///
/// Long service times, so that what sockets and a debug build take is a small part of them, and constant ones, so that
/// seven seconds are enough.
const SCENARIO: &str = r#"
purpose = "two engines, one scenario"
engines = ["sim", "live"]
duration_s = 7
warm_up_s = 2
deadline_ms = 2000
network_ms = 0.1
measured = "M"

[[service]]
name = "A"
instances = 2
workers = "unlimited"
service_ms = 0

[[service]]
name = "M"
instances = 2
workers = 20
service_ms = 400
distribution = "constant"
cpu_share = 0.001
protocol = "grpc"

[[call]]
from = "A"
to = "M"
calls = 2

[[business]]
name = "task"
entry = "A"

[[load]]
times_capacity = 2.0
"#;

/// How often the live engine is asked, for the machine has others to serve; the sim answers always the same.
const TRIES: u32 = 3;
const SEED: u64 = 11;
const WITHIN: f64 = 0.10;

#[test]
fn the_engines_agree() {
    let scenario = Scenario::parse("parity.toml", SCENARIO, Folder::BuiltIn).unwrap();
    let policies = [Name::None, Name::Tower, Name::Dagor];
    // Each has threads of its own, and together they need a fraction of one core.
    thread::scope(|scope| {
        let runs = policies.into_iter().filter(|name| make(*name).is_ok());
        for name in runs {
            let scenario = &scenario;
            scope.spawn(move || agree(scenario, name));
        }
    });
}

fn agree(scenario: &Scenario, name: Name) {
    let goodput = |engine| share(scenario, &run(scenario, name, SEED, engine).unwrap());
    let sim = goodput(Engine::Sim);
    let mut nearest = f64::INFINITY;
    for attempt in 1..=TRIES {
        let live = goodput(Engine::Live);
        println!("{name}, try {attempt}: sim {sim:.3}, live {live:.3}");
        nearest = nearest.min((live - sim).abs());
        if nearest <= WITHIN {
            return;
        }
    }
    panic!(
        "{name}, seed {SEED}: {nearest:.3} apart at best, {sim:.3} in sim; is the machine busy?"
    );
}

/// Returns the goodput after the warm-up as a share of what can be had.
fn share(scenario: &Scenario, outcome: &Outcome) -> f64 {
    let (from, until) = (scenario.warm_up, scenario.duration);
    let bins = from.as_millis() / 100..until.as_millis() / 100;
    let sum = |counts: &[f64]| -> f64 {
        let counted = counts
            .iter()
            .zip(0_u128..)
            .filter(|(_, bin)| bins.contains(bin));
        counted.map(|(count, _)| count).sum()
    };
    let seconds = (until - from).as_secs_f64();
    let offered: f64 = outcome
        .businesses
        .iter()
        .map(|it| sum(&it.offered_weight))
        .sum();
    let good: f64 = outcome
        .businesses
        .iter()
        .map(|it| sum(&it.good_weight))
        .sum();
    let most = capacity(scenario, scenario.measured.unwrap()) * seconds;
    good / most.min(offered)
}
