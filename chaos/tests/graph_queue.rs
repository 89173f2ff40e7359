//! The queue in front of the workers, against theory.
#![allow(clippy::cast_precision_loss, clippy::unwrap_used, reason = "tests")]

mod graph_support;

use std::time::Duration;

use chaos::scenario::ServiceTime;

use self::graph_support::{SEED, front, good, ms, run, scenario, service, sum};

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
    for (workers, within) in [(1, 0.06), (4, 0.06), (16, 0.10)] {
        let mean = 0.01;
        let rate = 0.7 * f64::from(workers) / mean;
        let times = ServiceTime::Exponential(Duration::from_secs_f64(mean));
        let seconds = if workers == 1 { 2_000 } else { 600 };
        let mut scenario = scenario(vec![service("M", workers, times)], vec![], rate, seconds);
        scenario.deadline = Duration::from_secs(60);
        let outcome = run(&scenario);
        let served = &outcome.services[0];
        let waited: f64 = served.waited_us.iter().sum();
        let wait = waited / 1e6 / sum(&served.started) as f64;
        let theory = erlang_c(workers, rate, mean);
        assert!(
            (wait / theory - 1.0).abs() < within,
            "{workers} workers: {wait} against {theory}, seed {SEED}"
        );
    }
}
