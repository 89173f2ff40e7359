//! The cells that the law was designed on, through the real layers: none may fall below its bar.
//!
//! The bars are those of the study of the law: the lowest of 12 seeds, less 0.01, of runs of 24 s. Up to three times
//! the capacity, since a debug build takes long for more; `chaos table` has all of them.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use chaos::{
    Engine,
    policy::Name,
    scenario::Balance,
    sim,
    table::{Cell, Options, TaskCalls},
};

const SEED: u64 = 1;

/// Goodput by what was offered or could be served, whichever is less, after the warm-up.
fn goodput(cell: &Cell, options: &Options) -> f64 {
    let scenario = cell.scenario(options);
    let outcome = sim::run(&scenario, cell.policy, SEED).unwrap();
    let bin = |span: std::time::Duration| usize::try_from(span.as_millis() / 100).unwrap();
    let bins = bin(scenario.warm_up)..bin(scenario.duration);
    let (mut offered, mut good) = (0.0, 0.0);
    for business in &outcome.businesses {
        offered += business.offered_weight[bins.clone()].iter().sum::<f64>();
        good += business.good_weight[bins.clone()].iter().sum::<f64>();
    }
    let seconds = (scenario.duration - scenario.warm_up).as_secs_f64();
    good / offered.min(cell.capacity(options) * seconds)
}

fn options(balance: Balance) -> Options {
    Options {
        policies: vec![Name::Dagor],
        quick: true,
        balance,
        ..Options::new(Engine::Sim)
    }
}

/// For each number of calls, the bars at these loads.
fn hold(options: &Options, loads: &[f64], bars: &[(TaskCalls, &[f64])]) {
    let mut low = Vec::new();
    for (calls, bars) in bars {
        for (&load, &bar) in loads.iter().zip(*bars) {
            let cell = Cell {
                policy: Name::Dagor,
                load,
                calls: *calls,
            };
            let reached = goodput(&cell, options);
            if reached < bar {
                low.push(format!("{calls:?} at {load}: {reached:.3} < {bar}"));
            }
        }
    }
    assert!(low.is_empty(), "seed {SEED}: {low:#?}");
}

#[test]
fn random_routing_reaches_the_bars_of_the_study() {
    let bars: [(TaskCalls, &[f64]); 5] = [
        (TaskCalls::Fixed(1), &[0.98, 0.88, 0.92, 0.92, 0.92]),
        (TaskCalls::Fixed(2), &[0.98, 0.87, 0.92, 0.92, 0.92]),
        (TaskCalls::Fixed(3), &[0.98, 0.865, 0.90, 0.92, 0.92]),
        (TaskCalls::Fixed(4), &[0.98, 0.85, 0.90, 0.91, 0.91]),
        (TaskCalls::Mix, &[0.98, 0.87, 0.91, 0.93, 0.93]),
    ];
    hold(
        &options(Balance::Random),
        &[0.67, 1.0, 1.33, 2.0, 3.0],
        &bars,
    );
}

#[test]
fn two_choices_reach_more() {
    let bars: [(TaskCalls, &[f64]); 3] = [
        (TaskCalls::Fixed(1), &[0.931, 0.952]),
        (TaskCalls::Fixed(4), &[0.928, 0.946]),
        (TaskCalls::Mix, &[0.926, 0.956]),
    ];
    hold(&options(Balance::TwoChoices), &[1.0, 2.0], &bars);
}

/// Nine of ten calls are withheld everywhere: the load that balances must not be what was withheld.
#[test]
fn two_choices_hold_at_ten_times_the_capacity() {
    hold(
        &options(Balance::TwoChoices),
        &[10.0],
        &[(TaskCalls::Fixed(1), &[0.963])],
    );
}
