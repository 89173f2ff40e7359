//! The demo's own arithmetic; run by `tests/demo.rs`, which the demo is compiled into.

use std::time::Duration;

use dagor::Business;

use super::{
    args::Options,
    plan::{LOADS, Plan, Run},
    policy::Policy,
    profile::{Phase, Profile},
    rng::Rng,
    row::Case,
    tally::BIN,
    transient::{Bin, settled},
    workload::{WEIGHTS, priority},
};

#[test]
fn phases_follow_each_other_and_end() {
    let phase = |seconds, load| Phase {
        lasts: Duration::from_secs(seconds),
        load,
    };
    let profile = Profile::changing(&[phase(2, 1.0), phase(1, 10.0)]);
    let loads = [0.0, 1.9, 2.0, 2.9, 3.0].map(Duration::from_secs_f64);
    let loads = loads.map(|moment| profile.load_at(moment));
    assert_eq!(loads, [Some(1.0), Some(1.0), Some(10.0), Some(10.0), None]);
    assert_eq!(profile.lasts(), profile.counted().end);
}

#[test]
fn a_steady_load_goes_on_after_what_counts() {
    let second = Duration::from_secs(1);
    let profile = Profile::steady(3.0, second, 2 * second, second);
    assert_eq!(*profile.counted(), second..3 * second);
    assert_eq!(profile.load_at(Duration::from_millis(3_999)), Some(3.0));
    assert_eq!(profile.load_at(4 * second), None);
}

#[test]
fn everything_is_over_in_two_minutes_and_quickly_in_twenty_seconds() {
    let mut options = Options::default();
    assert!(Plan::new(&options).lasts() < Duration::from_secs(120));
    options.quick = true;
    assert!(Plan::new(&options).lasts() <= Duration::from_secs(20));
}

#[test]
fn every_policy_meets_every_load() {
    let plan = Plan::new(&Options::default());
    for policy in Policy::ALL {
        for load in LOADS {
            let run = Run::Steady(Case {
                policy,
                load,
                calls_per_task: 1,
            });
            assert!(plan.runs.contains(&run), "{}", run.about());
        }
    }
}

fn bins(waits: &[Option<f64>]) -> Vec<Bin> {
    let bin = |(number, wait_ms): (i32, &Option<f64>)| Bin {
        at_s: f64::from(number) * BIN.as_secs_f64(),
        wait_ms: *wait_ms,
        served: 1,
        shed: 0,
        withheld: 0,
        unsent: 0,
    };
    (0..).zip(waits).map(bin).collect()
}

#[test]
fn settled_is_where_the_last_calm_stretch_begins() {
    for (waits, expected) in [
        (&[Some(10.0), Some(20.0)][..], Some(0.0)),
        (&[Some(10.0), Some(90.0), Some(40.0), Some(9.0)], Some(0.2)),
        (&[Some(10.0), Some(41.0)], None),
        (&[Some(10.0), None], None),
    ] {
        assert_eq!(settled(bins(waits).iter()), expected, "{waits:?}");
    }
}

#[test]
fn a_seed_draws_the_same_tasks_by_weight() {
    let draw = || {
        let mut rng = Rng::new(7);
        [(); 46_000].map(|()| priority(&mut rng))
    };
    assert_eq!(draw(), draw());
    for (number, weight) in (0..).zip(WEIGHTS) {
        let drawn = draw();
        let of = drawn
            .iter()
            .filter(|p| p.business() == Business::new(number));
        let expected = weight as f64 * 1_000.0;
        let seen = of.count() as f64;
        assert!((seen / expected - 1.0).abs() < 0.15, "{number}: {seen}");
    }
}
