//! What the paper claims of its law: it holds the queue near its threshold and sheds what is too much.

use chaos::{Scenario, measure::Outcome, policy::Name, sim};

/// Goodput by the capacity of 750 calls a second, and the mean wait at M in milliseconds, from the 20th second on.
fn reached(outcome: &Outcome) -> (f64, f64) {
    let bins = 200..600;
    let good: f64 = outcome.businesses[0].good_weight[bins.clone()].iter().sum();
    let m = &outcome.services[1];
    let waited: f64 = m.waited_us[bins.clone()].iter().sum();
    let started: u32 = m.started[bins].iter().sum();
    (good / (750.0 * 40.0), waited / 1e3 / f64::from(started))
}

#[test]
fn the_law_at_the_callee_holds_the_queue_of_single_calls_at_twice_the_capacity() {
    let scenario = Scenario::find("paper-m1-1500").unwrap();
    let (goodput, wait) = reached(&sim::run(&scenario, Name::Paper, scenario.seed).unwrap());
    assert!(goodput > 0.75, "{goodput}");
    assert!(
        (10.0..40.0).contains(&wait),
        "{wait} ms for a threshold of 20"
    );
    let (goodput, wait) = reached(&sim::run(&scenario, Name::None, scenario.seed).unwrap());
    assert!(
        goodput < 0.2 && wait > 200.0,
        "without it: {goodput}, {wait} ms"
    );
}

/// Callers that obey and tell nothing make the law blind: it opens at once whenever nothing is refused.
#[test]
fn callers_that_tell_nothing_undo_it() {
    let scenario = Scenario::find("paper-m1-1500").unwrap();
    let (goodput, wait) = reached(&sim::run(&scenario, Name::PaperBlind, scenario.seed).unwrap());
    assert!(goodput < 0.6 && wait > 100.0, "{goodput}, {wait} ms");
}
