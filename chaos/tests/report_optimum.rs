//! The optimum, against cases worked out by hand.

mod report_support;

use std::time::Duration;

use chaos::{
    Scenario,
    judge::{Window, optimum},
    measure::Outcome,
    scenario::{Balance, Calls, Fault, FaultKind, Shape},
};
use report_support::{business, edge, load, nothing, outcome, scenario, seconds, service, tasks};

fn window(from: f64, until: f64) -> Window {
    Window::new(seconds(from), seconds(until))
}

#[track_caller]
fn assert_optimum(scenario: &Scenario, outcome: &Outcome, window: Window, wanted: f64) {
    let found = optimum(scenario, outcome, window);
    assert!(
        (found - wanted).abs() <= 1e-9 * wanted.max(1.0),
        "{found}, wanted {wanted}"
    );
}

fn fault(service: usize, from: f64, lasts: Option<f64>, kind: FaultKind) -> Fault {
    Fault {
        at: seconds(from),
        lasts: lasts.map(seconds),
        service,
        instances: Vec::new(),
        from: None,
        kind,
    }
}

/// Evenly so many tasks in each of 100 bins.
fn even(scenario: &Scenario, came: u32, weight: f64) -> Outcome {
    outcome(scenario, &[(came, 0); 100], weight)
}

#[test]
fn below_capacity_it_is_what_came() {
    // 0.67 x 750 = 502.5 calls a second: 25 tasks of 2 calls in a bin, and one more in some.
    let scenario = scenario();
    let bins: Vec<(u32, u32)> = (0..100)
        .map(|bin| (25 + u32::from(bin % 8 == 0), 0))
        .collect();
    let outcome = outcome(&scenario, &bins, 2.0);
    assert_optimum(&scenario, &outcome, window(0.0, 10.0), 2.0 * 2513.0);
    assert_optimum(&scenario, &outcome, window(2.0, 4.0), 2.0 * 502.0);
}

#[test]
fn above_capacity_it_is_what_can_be_done() {
    let scenario = scenario();
    let outcome = even(&scenario, 75, 2.0);
    assert_optimum(&scenario, &outcome, window(0.0, 10.0), 7500.0);
    assert_optimum(&scenario, &outcome, window(3.0, 10.0), 5250.0);
}

#[test]
fn a_steady_load_is_held_against_capacity_as_a_whole() {
    // 75 on average, but 50 and 100 in turns: bin by bin only 6250 would be possible.
    let scenario = scenario();
    let bins: Vec<(u32, u32)> = (0..100).map(|bin| (50 + bin % 2 * 50, 0)).collect();
    let outcome = outcome(&scenario, &bins, 1.0);
    assert_optimum(&scenario, &outcome, window(0.0, 10.0), 7500.0);
}

#[test]
fn a_step_is_two_segments() {
    // Room that is left before it does not help after it.
    let mut scenario = scenario();
    scenario.loads = vec![load(
        500.0,
        Shape::Step {
            at: seconds(4.0),
            factor: 3.0,
        },
    )];
    let bins: Vec<(u32, u32)> = (0..100)
        .map(|bin| (if bin < 40 { 50 } else { 150 }, 0))
        .collect();
    let outcome = outcome(&scenario, &bins, 1.0);
    assert_optimum(&scenario, &outcome, window(0.0, 10.0), 2000.0 + 4500.0);
    assert_optimum(&scenario, &outcome, window(3.0, 5.0), 500.0 + 750.0);
}

#[test]
fn a_sinusoid_is_cut_in_bins() {
    let mut scenario = scenario();
    let wave = Shape::Sinusoid {
        amplitude: 0.8,
        period: seconds(4.0),
    };
    scenario.loads = vec![load(750.0, wave)];
    let came = |bin: u32| if bin % 40 < 20 { 120 } else { 30 };
    let bins: Vec<(u32, u32)> = (0..100).map(|bin| (came(bin), 0)).collect();
    let outcome = outcome(&scenario, &bins, 1.0);
    // 60 bins at 75, 40 at 30.
    assert_optimum(&scenario, &outcome, window(0.0, 10.0), 4500.0 + 1200.0);
}

#[test]
fn capacity_halves_and_comes_back() {
    let mut scenario = scenario();
    scenario.faults = vec![fault(1, 4.0, Some(2.0), FaultKind::Speed(0.5))];
    let outcome = even(&scenario, 60, 1.0);
    assert_optimum(&scenario, &outcome, window(0.0, 4.0), 2400.0);
    assert_optimum(&scenario, &outcome, window(4.0, 6.0), 750.0);
    assert_optimum(
        &scenario,
        &outcome,
        window(0.0, 10.0),
        2400.0 + 750.0 + 2400.0,
    );
    // Twice at once is a quarter; a change within a bin counts for its part of it.
    scenario
        .faults
        .push(fault(1, 5.05, None, FaultKind::Speed(0.5)));
    let last = 75.0 / 2.0 * 10.0 + 75.0 / 2.0 * 0.75 + 9.0 * 75.0 / 4.0;
    assert_optimum(&scenario, &outcome, window(4.0, 6.0), last);
}

#[test]
fn faults_of_some_instances_leave_the_others() {
    let mut scenario = scenario();
    let outcome = even(&scenario, 200, 1.0);
    scenario.services[1].speeds = vec![2.0, 1.0, 1.0];
    let mut dead = fault(1, 0.0, None, FaultKind::Dead);
    dead.instances = vec![0];
    scenario.faults = vec![dead.clone()];
    assert_optimum(&scenario, &outcome, window(0.0, 10.0), 5000.0);
    dead.instances = vec![1, 2];
    dead.kind = FaultKind::Pause;
    dead.lasts = Some(seconds(1.0));
    scenario.faults = vec![dead];
    assert_optimum(&scenario, &outcome, window(0.0, 10.0), 500.0 + 9000.0);
}

#[test]
fn restarts_take_their_time() {
    let mut scenario = scenario();
    let outcome = even(&scenario, 200, 1.0);
    let cold = FaultKind::ColdRestart {
        cold: 0.2,
        warm: seconds(3.0),
    };
    scenario.faults = vec![fault(1, 1.0, Some(2.0), cold)];
    assert_optimum(&scenario, &outcome, window(1.0, 3.0), 0.0);
    assert_optimum(&scenario, &outcome, window(3.0, 6.0), 450.0);
    assert_optimum(
        &scenario,
        &outcome,
        window(0.0, 10.0),
        750.0 + 450.0 + 3000.0,
    );
    let wave = FaultKind::DeployWave {
        down: seconds(0.5),
        every: seconds(2.0),
    };
    scenario.faults = vec![fault(1, 1.0, None, wave)];
    assert_optimum(&scenario, &outcome, window(0.0, 10.0), 7500.0 - 3.0 * 125.0);
    assert_optimum(&scenario, &outcome, window(3.0, 3.5), 250.0);
}

#[test]
fn faults_that_take_no_capacity_change_nothing() {
    let mut scenario = scenario();
    let outcome = even(&scenario, 200, 1.0);
    let kinds = [
        FaultKind::Delay(seconds(1.0)),
        FaultKind::LevelLost(1.0),
        FaultKind::LevelForged(0.0),
        FaultKind::ClockJump(3600.0),
        FaultKind::HotKey(0.9),
    ];
    scenario.faults = kinds.map(|kind| fault(1, 2.0, Some(5.0), kind)).to_vec();
    assert_optimum(&scenario, &outcome, window(0.0, 10.0), 7500.0);
}

#[test]
fn a_quota_bounds_and_slowness_above_it_costs_nothing() {
    let mut scenario = scenario();
    scenario.services[1].quota = Some(100.0);
    let outcome = even(&scenario, 200, 1.0);
    assert_optimum(&scenario, &outcome, window(0.0, 10.0), 3000.0);
    scenario.faults = vec![fault(1, 0.0, None, FaultKind::Speed(0.5))];
    assert_optimum(&scenario, &outcome, window(0.0, 10.0), 3000.0);
    scenario.faults = vec![fault(1, 0.0, None, FaultKind::Speed(0.2))];
    assert_optimum(&scenario, &outcome, window(0.0, 10.0), 1500.0);
}

#[test]
fn the_narrower_of_two_bottlenecks_counts() {
    // Behind M is a service that can do 750 too and is called twice for each call.
    let mut scenario = scenario();
    scenario.services.push(service("store", Some(10)));
    scenario.edges.push(edge(1, 2));
    scenario.edges[1].calls = Calls::Fixed(2);
    let outcome = even(&scenario, 100, 1.0);
    assert_optimum(&scenario, &outcome, window(0.0, 10.0), 3750.0);
    // Optional calls are what is left out first.
    scenario.edges[1].required = false;
    assert_optimum(&scenario, &outcome, window(0.0, 10.0), 7500.0);
    scenario.services[2].workers = Some(100);
    scenario.edges[1].required = true;
    assert_optimum(&scenario, &outcome, window(0.0, 10.0), 7500.0);
}

#[test]
fn calls_around_all_instances_wait_for_the_slowest() {
    // Six calls in turn to three instances are two to each: 250 calls a second each, 50 by the slow one.
    let mut scenario = scenario();
    scenario.edges[0].calls = Calls::Fixed(6);
    scenario.edges[0].balance = Balance::RoundRobin;
    let mut slow = fault(1, 0.0, Some(5.0), FaultKind::Speed(0.2));
    slow.instances = vec![2];
    scenario.faults = vec![slow];
    let outcome = even(&scenario, 20, 6.0);
    assert_optimum(&scenario, &outcome, window(0.0, 5.0), 750.0);
    assert_optimum(&scenario, &outcome, window(5.0, 10.0), 3750.0);
    // Five calls leave one out, and the choice of two can go around it.
    scenario.edges[0].calls = Calls::Fixed(5);
    assert_optimum(&scenario, &outcome, window(0.0, 5.0), 2750.0);
    scenario.edges[0].calls = Calls::Fixed(6);
    scenario.edges[0].balance = Balance::TwoChoices;
    assert_optimum(&scenario, &outcome, window(0.0, 5.0), 2750.0);
    // An instance that is not there is gone around too.
    scenario.edges[0].balance = Balance::RoundRobin;
    scenario.faults[0].kind = FaultKind::Dead;
    assert_optimum(&scenario, &outcome, window(0.0, 5.0), 2500.0);
}

#[test]
fn two_overloads_at_once_share_what_is_left() {
    // Both businesses call M; only the second calls the store behind it, which can do a tenth of what it asks.
    let mut scenario = scenario();
    scenario.measured = None;
    scenario.businesses.push(business("reports", 1));
    scenario.services.push(service("store", Some(1)));
    scenario.edges.push(edge(1, 2));
    scenario.edges[1].businesses = vec![1];
    let mut outcome = nothing(&scenario, 100);
    outcome.businesses = vec![tasks(&[(100, 0); 100], 1.0), tasks(&[(75, 0); 100], 1.0)];
    // Reports: 75 a second of 750. Orders: the other 675 of M.
    assert_optimum(&scenario, &outcome, window(0.0, 10.0), 750.0 + 6750.0);
}

#[test]
fn a_partition_from_one_caller_severs_what_needs_it() {
    let mut scenario = scenario();
    let outcome = even(&scenario, 50, 1.0);
    let mut cut = fault(1, 2.0, Some(4.0), FaultKind::Partition);
    scenario.faults = vec![cut.clone()];
    assert_optimum(&scenario, &outcome, window(0.0, 10.0), 3000.0);
    cut.from = Some(0);
    scenario.faults = vec![cut.clone()];
    assert_optimum(&scenario, &outcome, window(0.0, 10.0), 3000.0);
    assert_optimum(&scenario, &outcome, window(2.0, 6.0), 0.0);
    // The other instances can still be reached.
    cut.instances = vec![2];
    scenario.faults = vec![cut];
    assert_optimum(&scenario, &outcome, window(0.0, 10.0), 5000.0);
}

#[test]
fn calls_by_chance_cost_their_chance() {
    // Three tasks in ten need a side service that is dead; without a measured service each task weighs 1.
    let mut scenario = scenario();
    scenario.measured = None;
    scenario.services.push(service("side", Some(10)));
    scenario.edges.push(edge(0, 2));
    scenario.edges[1].probability = 0.3;
    scenario.faults = vec![fault(2, 0.0, None, FaultKind::Dead)];
    let outcome = even(&scenario, 50, 1.0);
    assert_optimum(&scenario, &outcome, window(0.0, 10.0), 3500.0);
    // Where M is reached by chance, what does not go there weighs nothing.
    let mut scenario = report_support::scenario();
    scenario.edges[0].probability = 0.5;
    let outcome = even(&scenario, 100, 1.0);
    assert_optimum(&scenario, &outcome, window(0.0, 10.0), 7500.0);
}

#[test]
fn what_came_weighs_as_it_was_drawn() {
    // Half of the tasks make four calls, half none: what counts is what really came.
    let mut scenario = scenario();
    scenario.edges[0].calls = Calls::OneOf(vec![1, 2, 3, 4]);
    let mut outcome = even(&scenario, 20, 1.0);
    outcome.businesses[0].offered_weight = vec![74.0; 100];
    assert_optimum(&scenario, &outcome, window(0.0, 10.0), 7400.0);
    outcome.businesses[0].offered_weight = vec![76.0; 100];
    assert_optimum(&scenario, &outcome, window(0.0, 10.0), 7500.0);
}

#[test]
fn nothing_comes_of_nothing() {
    let scenario = scenario();
    assert_optimum(&scenario, &nothing(&scenario, 100), window(0.0, 10.0), 0.0);
    assert_optimum(&scenario, &Outcome::default(), window(0.0, 10.0), 0.0);
    let past = Window::new(Duration::from_secs(20), Duration::from_secs(30));
    assert_optimum(&scenario, &even(&scenario, 10, 1.0), past, 0.0);
}
