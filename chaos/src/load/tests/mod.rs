//! Tasks are counted, and looked at one by one.

mod shapes;
mod users;

use std::time::Duration;

use super::{
    Arrivals,
    fixture::{business, load, scenario},
};
use crate::{
    scenario::{Load, Scenario, Shape},
    wire::Call,
};

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A scenario of these loads, as long as the longest.
fn of(loads: Vec<Load>) -> Scenario {
    let mut scenario = scenario(1);
    scenario.duration = loads.iter().map(|load| load.until).max().unwrap();
    scenario.loads = loads;
    scenario
}

fn tasks(scenario: &Scenario, seed: u64) -> Vec<(Duration, Call)> {
    Arrivals::new(scenario, seed).collect()
}

#[test]
fn tasks_come_in_order_and_are_numbered() {
    let mut scenario = of(vec![
        load(10, 300.0, Shape::Steady),
        load(10, 700.0, Shape::Ramp { factor: 0.0 }),
        load(5, 50.0, Shape::Steady),
    ]);
    scenario.deadline = ms(300);
    let all = tasks(&scenario, 7);
    assert!(all.is_sorted_by_key(|(at, _)| *at));
    assert!((all.iter().map(|(_, call)| call.task)).eq(0..u64::try_from(all.len()).unwrap()));
    assert!(all.iter().all(|(at, call)| call.deadline == *at + ms(300)));
    // 3,000 + 3,500 + 250, four standard deviations.
    assert!(
        (6_750 - 329..=6_750 + 329).contains(&all.len()),
        "{}",
        all.len()
    );
}

#[test]
fn the_same_seed_gives_the_same_tasks() {
    let scenario = of(vec![
        load(5, 1_000.0, Shape::Steady),
        load(
            5,
            500.0,
            Shape::Sinusoid {
                amplitude: 0.5,
                period: secs(2),
            },
        ),
    ]);
    let first = tasks(&scenario, 1);
    assert_eq!(first, tasks(&scenario, 1));
    let other = tasks(&scenario, 2);
    assert_ne!(first[0], other[0]);
    // Written down: a change of these numbers changes every run there ever was.
    let (at, call) = first[0];
    let digest = (at.as_nanos(), call.user, call.place, call.draw);
    assert_eq!(digest, (1_213_508, 754, 4_522, 15_461_012_480_039_014_021));
}

#[test]
fn loads_do_not_disturb_each_other() {
    let one = || load(5, 200.0, Shape::Steady);
    let alone = tasks(&of(vec![one()]), 3);
    let mut beside = of(vec![one(), load(5, 200.0, Shape::Steady)]);
    beside.businesses.push(business("second", 0.0));
    beside.loads[1].business = Some(1);
    let beside = tasks(&beside, 3);
    let its: Vec<_> = beside
        .iter()
        .filter(|(_, call)| call.business == 0)
        .collect();
    assert_eq!(its.len(), alone.len());
    for ((at, call), (other_at, other)) in alone.iter().zip(its) {
        assert_eq!(
            (at, call.user, call.draw),
            (other_at, other.user, other.draw)
        );
    }
    // The second has chance of its own.
    assert_ne!(alone.len() * 2, beside.len());
}

#[test]
fn gaps_are_exponential() {
    let all = tasks(&of(vec![load(100, 1_000.0, Shape::Steady)]), 5);
    let gaps = all
        .windows(2)
        .map(|pair| (pair[1].0 - pair[0].0).as_secs_f64() * 1e3);
    let gaps: Vec<f64> = gaps.collect();
    let count = f64::from(u32::try_from(gaps.len()).unwrap());
    let mean = gaps.iter().sum::<f64>() / count;
    let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / count;
    let above = gaps
        .iter()
        .filter(|gap| **gap > 2.0)
        .map(|_| 1.0)
        .sum::<f64>()
        / count;
    // 100,000 of them: the standard deviations are 0.0032, 0.009 and 0.0011.
    assert!((mean - 1.0).abs() < 0.013, "mean {mean}");
    assert!((variance - 1.0).abs() < 0.036, "variance {variance}");
    assert!(
        (above - (-2.0_f64).exp()).abs() < 0.0044,
        "P(gap > 2) {above}"
    );
}

#[test]
fn tasks_are_drawn_one_by_one() {
    let scenario = of(vec![load(20, 10_000.0, Shape::Steady)]);
    let arrivals = Arrivals::new(&scenario, 1);
    let size = arrivals.size_hint();
    let count = arrivals.count();
    assert_eq!(size.0, 0, "nothing is drawn ahead");
    assert!((198_211..=201_789).contains(&count), "{count}");
}

#[test]
fn nothing_comes_outside_of_a_load_or_after_the_duration() {
    let mut scenario = of(vec![Load {
        from: secs(2),
        ..load(8, 1_000.0, Shape::Steady)
    }]);
    scenario.duration = secs(6);
    let all = tasks(&scenario, 9);
    assert!(all.iter().all(|(at, _)| (secs(2)..secs(6)).contains(at)));
    assert!((3_746..=4_254).contains(&all.len()), "{}", all.len());
    let scenario = of(vec![load(1, 1e-9, Shape::Steady)]);
    assert_eq!(tasks(&scenario, 1), []);
}
