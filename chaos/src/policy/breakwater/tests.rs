//! Breakwater against its paper's claims, on the plant.

use std::time::Duration;

use super::{Issuer, Purse, Tuning};
use crate::policy::{
    Gatekeeper, Sender, Verdict,
    pace::number,
    peer::{
        Reply, Send,
        plant::{Plant, Setup, Sight, mean, quantile},
    },
    trial::{MS, SECOND, arrival, assert_close, call, steps, within},
};

fn tuning() -> Tuning {
    Tuning::of(20 * MS)
}

fn run(setup: &Setup) -> Sight {
    Plant::run(
        setup,
        |_| Issuer::new(tuning(), setup.workers),
        |caller| Purse::new(tuning(), caller.to_string()),
    )
}

#[test]
fn a_spike_of_demand_is_under_control_within_two_thousand_round_trips() {
    let (before, spike, end) = (8 * SECOND, 8 * SECOND, 29 * SECOND);
    let sight = run(&steps(&[(0, 0.6), (8, 1.4)], 30));
    assert!(sight.goodput_of(2 * SECOND, before) > 0.98);
    // No collapse meanwhile either.
    assert!(sight.goodput_of(spike, spike + SECOND) > 0.9);
    let steady = spike + SECOND;
    let goodput = sight.goodput_of(steady, end);
    assert!(goodput > 0.95, "{goodput}");
    let waits = sight.waits_in(steady, end);
    assert!(mean(&waits) < tuning().target, "{:?}", mean(&waits));
    let worst = quantile(&waits, 0.95);
    assert!(worst < 2 * tuning().target, "{worst:?}");
    let (dropped, served) = (sight.refused_in(steady, end), waits.len());
    let share = number(dropped) / number(served);
    assert!(share < 0.03, "{share} of what was served was dropped");
}

#[test]
fn overload_of_single_calls_is_turned_into_goodput_whatever_its_size() {
    for (load, least) in [(1.33, 0.94), (3.0, 0.97), (10.0, 0.97)] {
        let sight = run(&steps(&[(0, load)], 16));
        let goodput = sight.goodput();
        assert!(goodput > least, "{goodput} at {load}");
        let (from, until) = (4 * SECOND, 16 * SECOND);
        let (withheld, refused) = (
            within(&sight.withheld, from, until),
            sight.refused_in(from, until),
        );
        assert!(withheld > 10 * refused, "{withheld} and {refused}");
    }
}

#[test]
fn a_hundred_callers_with_few_calls_each_are_controlled_too() {
    let setup = Setup {
        callers: 100,
        ..steps(&[(0, 5.0)], 16)
    };
    let sight = run(&setup);
    assert!(sight.goodput() > 0.93, "{}", sight.goodput());
    let waits = sight.waits_in(4 * SECOND, 16 * SECOND);
    assert!(mean(&waits) < 2 * tuning().target, "{:?}", mean(&waits));
}

/// What an issuer with these slots tells a caller that has so much under way and withheld so much.
fn told(issuer: &mut Issuer, at: Duration, ask: &str) -> f64 {
    let request = arrival(call(0, 0), at, Some(ask));
    assert_ne!(issuer.arrive(at, &request, 0, 0), Verdict::Refuse);
    issuer.tell(at, &request).unwrap().parse().unwrap()
}

#[test]
fn credits_go_where_the_demand_is_and_an_equal_share_goes_to_all() {
    let mut issuer = Issuer::new(tuning(), 20);
    // Nobody else: all 20 unused are its spare.
    assert_close(told(&mut issuer, MS, "idle 1 0"), 20.0);
    // Two now; nothing is unused, so it is given its least.
    assert_close(told(&mut issuer, MS, "busy 1 30"), 1.0);
    // The first lets go of what it has no use for, and the one with demand takes it.
    assert_close(told(&mut issuer, MS, "idle 1 0"), 1.0);
    assert_close(told(&mut issuer, MS, "busy 1 30"), 19.0);
    // After a second of silence the idle one is forgotten.
    let later = MS + tuning().memory;
    told(&mut issuer, later - MS, "busy 19 30");
    issuer.tick(later, 0, 0);
    assert_close(told(&mut issuer, later, "busy 19 30"), 20.0);
}

#[test]
fn more_callers_than_credits_have_a_fraction_each() {
    let mut issuer = Issuer::new(tuning(), 2);
    for turn in 0..24 {
        told(&mut issuer, MS, &format!("{} 1 5", turn % 8));
    }
    assert_close(told(&mut issuer, MS, "0 1 5"), 0.25);
    let mut purse = Purse::new(tuning(), "0".into());
    let call = call(0, 0);
    let reply = Reply {
        ending: crate::wire::Ending::Served,
        told: Some("0.25".into()),
        took: 10 * MS,
    };
    purse.send(MS, &call, 0);
    purse.heard(11 * MS, &call, 0, &reply);
    let mut sent = 0;
    for ms in 11..411 {
        if purse.send(ms * MS, &call, 0) != Send::Withhold {
            sent += 1;
            purse.heard(ms * MS, &call, 0, &reply);
        }
    }
    // One in 40 ms, and one that it was behind.
    assert_eq!(sent, 11);
}

#[test]
fn the_pool_shrinks_with_the_delay_and_drops_at_twice_the_target() {
    let mut issuer = Issuer::new(tuning(), 1);
    issuer.pool = 4.0;
    let request = |at| arrival(call(0, 0), at, None);
    assert_eq!(issuer.arrive(MS, &request(MS), 0, 1), Verdict::Queue(0));
    issuer.tick(11 * MS, 1, 1);
    assert_close(issuer.pool, 4.05);
    // 60 ms old: half above the target.
    issuer.tick(61 * MS, 1, 1);
    assert_close(issuer.pool, 4.05 * (1.0 - 0.01 * 0.5));
    let last = 81 * MS;
    assert_eq!(
        issuer.arrive(last - MS, &request(last - MS), 1, 1),
        Verdict::Queue(0)
    );
    assert_eq!(issuer.arrive(last, &request(last), 2, 1), Verdict::Refuse);
}

#[test]
fn without_a_credit_nothing_is_sent_and_the_demand_is_told() {
    let mut purse = Purse::new(tuning(), "7.0.0".into());
    let call = call(0, 0);
    let go = |text: &str| Send::Go(Some(text.into()));
    for spent in 1..=4 {
        assert_eq!(purse.send(MS, &call, 0), go(&format!("7.0.0 {spent} 0")));
    }
    for _ in 0..3 {
        assert_eq!(purse.send(MS, &call, 0), Send::Withhold);
    }
    purse.gave_up(2 * MS, &call, 0);
    assert_eq!(purse.send(2 * MS, &call, 0), go("7.0.0 4 3"));
    // Another instance has credits of its own.
    assert_eq!(purse.send(2 * MS, &call, 1), go("7.0.0 1 0"));
}
