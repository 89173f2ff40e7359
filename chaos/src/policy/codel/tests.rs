//! CoDel's claims, on the law chosen and on the RFC's.

use std::time::Duration;

use super::{Codel, INTERVAL, rfc::Rfc};
use crate::policy::{
    Arrival, Gatekeeper,
    peer::{
        plant::{Plant, Setup, Sight, mean, quantile},
        testing::call,
    },
};

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
const TARGET: Duration = Duration::from_millis(30);

/// In front of the 10 workers of 40 ms of the reference cell.
fn codel(_: usize) -> Codel {
    Codel::new(10, TARGET, 25.0)
}

fn rfc(_: usize) -> Rfc {
    Rfc::new(10, TARGET, INTERVAL)
}

/// Asks about a request that comes to the head now and waited so long.
fn start(gate: &mut impl Gatekeeper, now: Duration, waited: Duration, waiting: usize) -> bool {
    let request = Arrival {
        call: call(0, Duration::MAX),
        at: now - waited,
        ask: None,
    };
    gate.start(now, &request, waiting)
}

/// One server at this load, with a burst of 12 times the capacity for 4 ms each second: some 12 at once.
fn bursts(load: f64) -> Setup {
    let mut loads = Vec::new();
    for second in 0..30 {
        let at = Duration::from_secs(second);
        loads.extend([(at, load), (at + 500 * MS, 12.0), (at + 504 * MS, load)]);
    }
    Setup {
        load: loads,
        ..Setup::single(10, load)
    }
}

fn waits(sight: &Sight) -> Vec<Duration> {
    sight.waits_in(10 * SECOND, 30 * SECOND)
}

#[test]
fn a_line_is_standing_if_its_shortest_wait_of_an_interval_is_above_the_target() {
    let mut long = codel(0);
    let mut burst = codel(0);
    for at in 20..=30 {
        assert!(
            start(&mut long, at * 10 * MS, 90 * MS, 9),
            "an interval passes"
        );
        // One of the interval waited no longer than the target.
        let waited = if at == 25 { 30 } else { 90 };
        assert!(start(&mut burst, at * 10 * MS, waited * MS, 9));
    }
    for at in 31..=40 {
        assert!(start(&mut burst, at * 10 * MS, 90 * MS, 9));
    }
    // None did, and what waited more than twice the target goes.
    assert!(
        start(&mut long, 301 * MS, 90 * MS, 9),
        "the first of an interval"
    );
    assert!(!start(&mut long, 302 * MS, 61 * MS, 9));
    assert!(start(&mut long, 303 * MS, 60 * MS, 9));
    // Until there is an interval with a short wait again.
    assert!(start(&mut long, 390 * MS, 5 * MS, 9));
    assert!(!start(&mut long, 401 * MS, 61 * MS, 9));
    assert!(start(&mut long, 402 * MS, 90 * MS, 9));
    assert!(start(&mut long, 403 * MS, 90 * MS, 9));
}

#[test]
fn no_request_waits_longer_than_an_interval() {
    let mut gate = codel(0);
    assert!(start(&mut gate, SECOND, INTERVAL, 0));
    assert!(!start(&mut gate, SECOND, INTERVAL + MS, 0));
    assert_eq!(gate.slots(), 10);
}

#[test]
fn whoever_would_be_dropped_later_is_refused_at_once() {
    let mut gate = codel(0);
    assert_eq!(gate.queue_bound(), 25);
    for at in 20..=31 {
        start(&mut gate, at * 10 * MS, 40 * MS, 9);
    }
    assert_eq!(gate.queue_bound(), 15);
    start(&mut gate, 420 * MS, MS, 9);
    start(&mut gate, 530 * MS, MS, 9);
    assert_eq!(gate.queue_bound(), 25);
}

#[test]
fn slow_workers_get_a_target_that_they_can_meet() {
    // One worker of 200 ms begins half a request in an interval.
    let mut slow = Codel::new(1, TARGET, 0.5);
    assert_eq!((slow.target, slow.queue_bound()), (300 * MS, 3));
    assert!(start(&mut slow, SECOND, 600 * MS, 0));
    assert!(!start(&mut slow, SECOND, 601 * MS, 0));
    assert_eq!(codel(0).target, TARGET);
}

#[test]
fn bursts_pass() {
    let share = |sight: &Sight| {
        let served = sight.responses_in(10 * SECOND, 30 * SECOND).len();
        let refused = sight.refused_in(10 * SECOND, 30 * SECOND);
        assert!(served > 3000, "{served}");
        f64::from(u32::try_from(refused).unwrap()) / f64::from(u32::try_from(served).unwrap())
    };
    let (ours, theirs) = (
        Plant::run_callee(&bursts(0.6), codel),
        Plant::run_callee(&bursts(0.6), rfc),
    );
    assert!(
        share(&ours) < 0.01 && share(&theirs) < 0.01,
        "{} {}",
        share(&ours),
        share(&theirs)
    );
    // They did wait.
    let long = waits(&ours).iter().filter(|wait| **wait > TARGET).count();
    assert!(long > 20, "{long}");
}

#[test]
fn a_standing_line_is_held_near_the_target_at_any_load() {
    for load in [1.2, 2.0, 5.0, 10.0] {
        let sight = Plant::run_callee(&Setup::single(10, load), codel);
        let waits = waits(&sight);
        let (usual, last) = (quantile(&waits, 0.5), quantile(&waits, 0.999));
        assert!(
            (TARGET / 2..=2 * TARGET).contains(&usual),
            "{usual:?} at {load}"
        );
        assert!(last <= INTERVAL, "{last:?} at {load}");
    }
}

#[test]
fn dropping_ends_with_the_overload() {
    let setup = Setup {
        load: vec![(Duration::ZERO, 5.0), (15 * SECOND, 0.5)],
        ..Setup::single(10, 5.0)
    };
    let sight = Plant::run_callee(&setup, codel);
    assert!(sight.refused_in(10 * SECOND, 15 * SECOND) > 3000);
    assert_eq!(sight.refused_in(15 * SECOND + 500 * MS, 30 * SECOND), 0);
}

#[test]
fn the_rfc_s_law_drops_at_the_pace_of_the_square_root() {
    let mut gate = rfc(0);
    let drops: Vec<u32> = (0..1000)
        .filter(|&at| !start(&mut gate, (500 + at) * MS, 40 * MS, 9))
        .collect();
    // The first after an interval above the target, then 100 / sqrt(n) ms later each.
    let expected = [100, 200, 271, 329, 379, 424, 464];
    assert_eq!(drops[..7], expected);
    // Below the target, or with one in line, it ends at once.
    assert!(start(&mut gate, 1600 * MS, 10 * MS, 9));
    assert!(start(&mut gate, 1601 * MS, 40 * MS, 9));
    assert!((0..300).all(|at| start(&mut gate, (1700 + at) * MS, 40 * MS, 1)));
}

#[test]
fn the_rfc_s_law_controls_a_line_that_is_a_little_too_long() {
    let setup = Setup {
        length: 60 * SECOND,
        ..Setup::single(10, 1.1)
    };
    let sight = Plant::run_callee(&setup, rfc);
    let usual = mean(&sight.waits_in(20 * SECOND, 60 * SECOND));
    assert!((TARGET / 2..=4 * TARGET).contains(&usual), "{usual:?}");
}

#[test]
fn callers_that_do_not_slow_down_are_better_met_without_a_pace() {
    for (calls, load) in [(1, 3.0), (4, 2.0)] {
        let setup = Setup::cell(&[calls], load);
        let ours = Plant::run_callee(&setup, codel).goodput();
        let theirs = Plant::run_callee(&setup, rfc).goodput();
        assert!(
            ours > theirs + 0.1,
            "{ours} {theirs} with {calls} at {load}"
        );
        assert!(
            ours > if calls == 1 { 0.85 } else { 0.5 },
            "{ours} with {calls} at {load}"
        );
    }
}
