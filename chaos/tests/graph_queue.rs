//! An instance: its workers, its queue, its quota, what refusals cost.

mod graph_support;

use std::time::Duration;

use chaos::scenario::ServiceTime;

use self::graph_support::{
    SEED, edge, front, good, ms, run, run_at, scenario, service, sum, took, total,
};

/// The mean wait of M/M/c (Erlang C).
fn erlang_c(workers: u32, arrivals: f64, mean: f64) -> f64 {
    let load = arrivals * mean;
    let mut term = 1.0;
    let mut terms = 1.0;
    for k in 1..workers {
        term *= load / f64::from(k);
        terms += term;
    }
    let c = f64::from(workers);
    let last = term * load / c * c / (c - load);
    let waits = last / (terms + last);
    waits * mean / (c - load)
}

#[test]
fn waits_are_those_of_erlang() {
    let mean = 0.01;
    for (workers, seconds, within) in [(1, 1_000, 0.05), (2, 500, 0.05), (4, 300, 0.05)] {
        let rate = 0.7 * f64::from(workers) / mean;
        let times = ServiceTime::Exponential(Duration::from_secs_f64(mean));
        let mut scenario = scenario(vec![service("M", workers, times)], vec![], rate, seconds);
        scenario.deadline = Duration::from_secs(60);
        let outcome = run(&scenario);
        let seen = &outcome.services[0];
        let waited = total(&seen.waited_us);
        let wait = waited.as_secs_f64() / f64::from(sum(&seen.started));
        let theory = erlang_c(workers, rate, mean);
        assert!(
            (wait / theory - 1.0).abs() < within,
            "{workers} workers: {wait} against {theory}, seed {SEED}"
        );
    }
}

#[test]
fn a_short_queue_serves_what_a_server_can() {
    let mut single = service("M", 1, ServiceTime::Constant(ms(10)));
    single.queue = Some(1);
    let outcome = run(&scenario(vec![single], vec![], 300.0, 60));
    let seen = &outcome.services[0];
    // A worker idles from the moment when nobody waits to the next arrival. With one place that happens after a
    // service in which nobody came: of 3 expected, exp(-3), and then for a third of the service on average.
    let idle = (-3.0_f64).exp() / 3.0;
    let served = f64::from(sum(&seen.served)) / 6_000.0;
    assert!(
        (served - 1.0 / (1.0 + idle)).abs() < 0.005,
        "{served}, seed {SEED}"
    );
    let good = good(&outcome, 0..600);
    assert!(
        (good - served / 3.0).abs() < 0.01,
        "{good}: all that is served is in time"
    );
}

#[test]
fn every_arrival_is_refused_or_started() {
    let mut bounded = service("M", 3, ServiceTime::Exponential(ms(10)));
    bounded.instances = 2;
    bounded.queue = Some(2);
    let mut scenario = scenario(vec![front(), bounded], vec![edge(0, 1)], 900.0, 20);
    // Nobody gives up, and the run goes on until all is served.
    scenario.deadline = Duration::from_secs(10);
    let outcome = run(&scenario);
    let seen = &outcome.services[1];
    let (arrived, started) = (sum(&seen.arrived), sum(&seen.started));
    assert_eq!(arrived, started + sum(&seen.refused), "seed {SEED}");
    assert_eq!(started, sum(&seen.served));
    assert!(sum(&seen.refused) > arrived / 5, "there was an overload");
    assert_eq!(arrived, sum(&outcome.services[0].started));
    let entered = sum(&outcome.services[0].arrived);
    assert_eq!(outcome.requests, u64::from(arrived + entered));
    let wanted = u64::from(arrived);
    assert_eq!((outcome.wanted, outcome.sent), (wanted, wanted));
    let good = sum(&outcome.businesses[0].good);
    assert_eq!(good, started, "a task for each");
}

#[test]
fn waits_in_the_order_of_arrival() {
    let scenario = scenario(
        vec![service("M", 1, ServiceTime::Constant(ms(30)))],
        vec![],
        1.0,
        1,
    );
    let outcome = run_at(&scenario, &[0, 100, 110, 120]);
    assert_eq!(
        took(&outcome),
        [(0, 30.0), (100, 30.0), (100, 50.0), (100, 70.0)]
    );
    assert_eq!(total(&outcome.services[0].waited_us), ms(60));
}

#[test]
fn a_worker_is_held_during_its_calls() {
    let caller = service("A", 1, ServiceTime::Constant(ms(10)));
    let callee = service("B", 0, ServiceTime::Constant(ms(40)));
    let outcome = run_at(
        &scenario(vec![caller, callee], vec![edge(0, 1)], 1.0, 1),
        &[0, 0],
    );
    assert_eq!(took(&outcome), [(0, 50.0), (0, 100.0)]);
    let worked = total(&outcome.services[0].worked_us);
    assert_eq!(worked, ms(20), "its own work only");
}

#[test]
fn both_ways_over_the_network_take_time() {
    let callee = service("B", 0, ServiceTime::Constant(ms(40)));
    let mut scenario = scenario(vec![front(), callee], vec![edge(0, 1)], 1.0, 1);
    scenario.network = ms(3);
    assert_eq!(
        took(&run_at(&scenario, &[0])),
        [(0, 46.0)],
        "clients are where the entry is"
    );
}

#[test]
fn instances_have_their_own_speed() {
    let mut mixed = service("B", 1, ServiceTime::Constant(ms(40)));
    mixed.instances = 2;
    mixed.speeds = vec![2.0, 0.5];
    let mut edge = edge(0, 1);
    edge.balance = chaos::scenario::Balance::RoundRobin;
    let outcome = run_at(
        &scenario(vec![front(), mixed], vec![edge], 1.0, 1),
        &[0, 100],
    );
    assert_eq!(took(&outcome), [(0, 20.0), (100, 80.0)]);
}

#[test]
fn refusals_cost_the_next_to_be_served() {
    let mut busy = service("M", 1, ServiceTime::Constant(ms(40)));
    busy.queue = Some(0);
    let mut scenario = scenario(vec![busy], vec![], 1.0, 1);
    scenario.refusal_cost = 0.05;
    let outcome = run_at(&scenario, &[0, 10, 20, 30, 200, 300]);
    assert_eq!(sum(&outcome.services[0].refused), 3);
    assert_eq!(
        took(&outcome),
        [(0, 40.0), (200, 46.0), (300, 40.0)],
        "three refusals of 2 ms, paid once"
    );
}

#[test]
fn a_third_party_answers_429_over_its_quota() {
    let mut party = service("P", 0, ServiceTime::Constant(ms(1)));
    party.protected = false;
    party.quota = Some(100.0);
    party.instances = 2;
    let mut edge = edge(0, 1);
    edge.balance = chaos::scenario::Balance::RoundRobin;
    let outcome = run(&scenario(vec![front(), party], vec![edge], 500.0, 20));
    let seen = &outcome.services[1];
    let served = f64::from(sum(&seen.served)) / 20.0;
    assert!(
        (199.0..=201.0).contains(&served),
        "{served} a second of two instances, seed {SEED}"
    );
    assert_eq!(sum(&seen.arrived), sum(&seen.refused) + sum(&seen.started));
}
