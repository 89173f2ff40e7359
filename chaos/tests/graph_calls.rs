//! Calls: how many, to whom, how long, how often again.

mod graph_support;

use std::time::Duration;

use chaos::{
    measure::Outcome,
    scenario::{Balance, Calls, Edge, FaultKind, Retries, Scenario, ServiceTime},
};

use self::graph_support::{
    SEED, edge, fault, front, lasts, ms, run, run_at, scenario, service, sum, took, total,
};

/// A front and one callee of `instances`, each request 40 ms.
fn pair(edge: Edge, instances: u32) -> Scenario {
    let mut callee = service("B", 0, ServiceTime::Constant(ms(40)));
    callee.instances = instances;
    scenario(vec![front(), callee], vec![edge], 1.0, 1)
}

fn dead(scenario: &mut Scenario, instances: Vec<u32>) {
    let mut fault = fault(1, Duration::ZERO, Duration::from_secs(100), FaultKind::Dead);
    fault.instances = instances;
    scenario.faults.push(fault);
}

fn failed(outcome: &Outcome) -> bool {
    sum(&outcome.businesses[0].good) == 0
}

#[test]
fn in_turn_or_at_once() {
    let mut calls = Edge {
        calls: Calls::Fixed(4),
        ..edge(0, 1)
    };
    assert_eq!(took(&run_at(&pair(calls.clone(), 1), &[0])), [(0, 160.0)]);
    calls.parallel = true;
    let outcome = run_at(&pair(calls, 1), &[0]);
    assert_eq!(took(&outcome), [(0, 40.0)]);
    assert_eq!((outcome.wanted, outcome.sent), (4, 4));
}

#[test]
fn a_failure_stops_required_calls_in_turn() {
    let calls = Edge {
        calls: Calls::Fixed(4),
        balance: Balance::RoundRobin,
        ..edge(0, 1)
    };
    let mut scenario = pair(calls, 4);
    dead(&mut scenario, vec![1]);
    let outcome = run_at(&scenario, &[0]);
    assert!(failed(&outcome));
    assert_eq!((outcome.wanted, sum(&outcome.services[1].arrived)), (2, 1));
}

#[test]
fn optional_calls_fail_no_task() {
    let mut calls = Edge {
        calls: Calls::Fixed(4),
        balance: Balance::RoundRobin,
        ..edge(0, 1)
    };
    calls.required = false;
    let mut scenario = pair(calls, 4);
    dead(&mut scenario, vec![1]);
    let outcome = run_at(&scenario, &[0]);
    assert_eq!(took(&outcome), [(0, 120.0)], "the other three are made");
    assert_eq!(outcome.wanted, 4);
}

#[test]
fn siblings_of_a_failed_call_are_dropped_if_told_so() {
    let mut calls = Edge {
        calls: Calls::Fixed(4),
        balance: Balance::RoundRobin,
        ..edge(0, 1)
    };
    (calls.parallel, calls.required) = (true, false);
    for (cancel, expected) in [(false, 40.0), (true, 0.0)] {
        calls.cancel = cancel;
        let mut scenario = pair(calls.clone(), 4);
        dead(&mut scenario, vec![3]);
        let outcome = run_at(&scenario, &[0]);
        assert_eq!(took(&outcome), [(0, expected)], "cancel = {cancel}");
        let seen = &outcome.services[1];
        assert_eq!(sum(&seen.started), 3);
        assert_eq!(sum(&seen.served), 3, "what was begun is finished");
    }
}

#[test]
fn a_dropped_sibling_leaves_the_queue() {
    let mut calls = Edge {
        calls: Calls::Fixed(4),
        balance: Balance::RoundRobin,
        ..edge(0, 1)
    };
    (calls.parallel, calls.cancel) = (true, true);
    let mut scenario = pair(calls, 2);
    scenario.services[1].workers = Some(1);
    scenario.network = ms(1);
    dead(&mut scenario, vec![1]);
    let outcome = run_at(&scenario, &[0]);
    let seen = &outcome.services[1];
    assert_eq!(
        (sum(&seen.arrived), sum(&seen.started)),
        (2, 1),
        "the second waited"
    );
}

#[test]
fn waits_no_longer_than_the_timeout() {
    let mut calls = edge(0, 1);
    (calls.timeout, calls.required) = (Some(ms(15)), false);
    let outcome = run_at(&pair(calls, 1), &[0]);
    assert_eq!(took(&outcome), [(0, 15.0)]);
}

#[test]
fn naive_retries_multiply_exactly() {
    let mut calls = edge(0, 1);
    calls.retries = Retries {
        most: 3,
        ..Retries::default()
    };
    let mut scenario = pair(calls, 2);
    dead(&mut scenario, vec![]);
    let outcome = run_at(&scenario, &[0, 5, 10]);
    assert_eq!((outcome.wanted, outcome.sent), (3, 12));
}

#[test]
fn a_budget_bounds_retries_exactly() {
    let mut calls = edge(0, 1);
    calls.retries = Retries {
        most: 3,
        budget: Some(0.1),
        ..Retries::default()
    };
    let mut scenario = pair(calls, 2);
    lasts(&mut scenario, 5);
    scenario.loads[0].rate = 200.0;
    dead(&mut scenario, vec![]);
    let outcome = run(&scenario);
    assert!(outcome.wanted > 800);
    let retries = outcome.sent - outcome.wanted;
    assert_eq!(
        retries,
        outcome.wanted / 10,
        "of {}, seed {SEED}",
        outcome.wanted
    );
}

#[test]
fn waits_before_a_retry_and_makes_none_after_the_deadline() {
    let mut calls = edge(0, 1);
    calls.retries = Retries {
        most: 100,
        backoff: ms(90),
        ..Retries::default()
    };
    let mut scenario = pair(calls, 1);
    dead(&mut scenario, vec![]);
    scenario.faults[0].lasts = Some(ms(200));
    assert_eq!(
        took(&run_at(&scenario, &[0])),
        [(0, 310.0)],
        "at 270 ms it is back"
    );
    scenario.faults[0].lasts = None;
    let outcome = run_at(&scenario, &[0]);
    assert!(failed(&outcome));
    assert_eq!(
        outcome.sent, 6,
        "at 0, 90, ... 450 ms; the deadline is at 500"
    );
}

#[test]
fn refusals_are_repeated_by_the_naive_only() {
    for (refused, sent) in [(false, 2), (true, 5)] {
        let mut calls = edge(0, 1);
        calls.retries = Retries {
            most: 3,
            refused,
            ..Retries::default()
        };
        let mut scenario = pair(calls, 1);
        (scenario.services[1].workers, scenario.services[1].queue) = (Some(1), Some(0));
        let outcome = run_at(&scenario, &[0, 10]);
        assert_eq!(outcome.sent, sent, "refused = {refused}");
        assert_eq!(u64::from(sum(&outcome.services[1].refused)), sent - 1);
    }
}

#[test]
fn goes_to_the_instance_of_the_user() {
    let calls = Edge {
        calls: Calls::Fixed(5),
        balance: Balance::ByUser,
        ..edge(0, 1)
    };
    let mut scenario = pair(calls, 7);
    dead(&mut scenario, vec![0, 1, 2]);
    let moments: Vec<u64> = (0..700).collect();
    let outcome = run_at(&scenario, &moments);
    // A user whose first call gets through gets all five through.
    let (good, arrived) = (
        sum(&outcome.businesses[0].good),
        sum(&outcome.services[1].arrived),
    );
    assert_eq!(arrived, good * 5);
    assert!(
        (340..=460).contains(&good),
        "{good} of 700, four sevenths expected"
    );
}

#[test]
fn two_choices_go_to_the_less_loaded() {
    let mut waits = Vec::new();
    for balance in [Balance::Random, Balance::TwoChoices] {
        let calls = Edge {
            balance,
            ..edge(0, 1)
        };
        let mut scenario = pair(calls, 10);
        scenario.services[1].workers = Some(1);
        scenario.services[1].service_time = ServiceTime::Exponential(ms(10));
        lasts(&mut scenario, 30);
        scenario.loads[0].rate = 800.0;
        let outcome = run(&scenario);
        let seen = &outcome.services[1];
        waits.push(total(&seen.waited_us) / sum(&seen.started));
    }
    // M/M/1 at 0.8 waits 40 ms; the power of two choices leaves some 13 ms (Mitzenmacher's fixed point: 11.9).
    assert!(waits[0] > ms(30), "{waits:?}, seed {SEED}");
    assert!(
        (ms(8)..ms(16)).contains(&waits[1]),
        "{waits:?}, seed {SEED}"
    );
}

#[test]
fn makes_the_calls_of_its_business_only() {
    let mut other = edge(0, 1);
    other.businesses = vec![1];
    let mut scenario = pair(other, 1);
    scenario.businesses.push(graph_support::business());
    let outcome = run_at(&scenario, &[0]);
    assert_eq!(took(&outcome), [(0, 0.0)]);
    assert_eq!(outcome.wanted, 0);
}
