//! Client throttling against the book's claims, on the plant.

use super::*;
use crate::policy::{
    peer::plant::{Plant, Setup, Sight, mean},
    trial::{MS, SECOND, call, steps, within},
};

fn run(tuning: Tuning, setup: &Setup) -> Sight {
    let chance = |caller: usize| Chance::new(setup.seed, "throttle", caller as u64);
    Plant::run(
        setup,
        |_| Backend::new(tuning, setup.workers),
        |caller| Throttle::new(tuning, chance(caller)),
    )
}

#[test]
fn what_is_sent_settles_at_k_times_what_is_accepted() {
    for (multiplier, load) in [(1.5, 2.0), (1.5, 10.0), (2.0, 5.0), (1.2, 3.0)] {
        let tuning = Tuning {
            multiplier,
            ..Tuning::default()
        };
        let sight = run(tuning, &steps(&[(0, load)], 16));
        let (from, until) = (4 * SECOND, 16 * SECOND);
        let accepted = pace::number(sight.waits_in(from, until).len());
        let sent = accepted + pace::number(sight.refused_in(from, until));
        let ratio = sent / accepted;
        let expected = multiplier..multiplier + 0.1;
        assert!(
            (expected.start - 0.05..expected.end).contains(&ratio),
            "{ratio} for K = {multiplier} at {load}"
        );
    }
}

#[test]
fn an_overloaded_callee_is_kept_busy_with_short_waits() {
    let sight = run(Tuning::default(), &steps(&[(0, 3.0)], 16));
    assert!(sight.goodput() > 0.96, "{}", sight.goodput());
    let waits = sight.waits_in(4 * SECOND, 16 * SECOND);
    assert!(mean(&waits) < 40 * MS, "{:?}", mean(&waits));
}

#[test]
fn what_was_withheld_comes_back_within_the_window() {
    let sight = run(Tuning::default(), &steps(&[(0, 5.0), (8, 0.5)], 16));
    assert!(within(&sight.withheld, 4 * SECOND, 8 * SECOND) > 5000);
    // 375 calls a second come, and nothing is refused any more.
    let late = within(&sight.withheld, 11 * SECOND, 16 * SECOND);
    assert!(late < 19, "{late} withheld");
}

#[test]
fn an_instance_that_refuses_does_not_throttle_the_others() {
    let mut throttle = Throttle::new(Tuning::default(), Chance::new(1, "throttle", 0));
    let call = call(0, 0);
    let reply = |ending| Reply {
        ending,
        told: None,
        took: MS,
    };
    let mut sent = [0, 0];
    for step in 0..400 {
        let (now, instance) = (step * MS, (step % 2) as usize);
        if throttle.send(now, &call, instance) == Send::Go(None) {
            sent[instance] += 1;
            let ending = [Ending::Served, Ending::Refused][instance];
            throttle.heard(now, &call, instance, &reply(ending));
        }
    }
    assert_eq!(sent[0], 200);
    assert!(sent[1] < 20, "{}", sent[1]);
    // Nobody answers any more: that counts once the deadline is over, and not if the call was dropped before.
    throttle.gave_up(SECOND, &call, 0);
    assert_eq!(throttle.instances[0].requests, 200);
    throttle.gave_up(call.deadline, &call, 0);
    assert_eq!(throttle.instances[0].requests, 1);
    assert_eq!(throttle.instances[0].accepts, 0);
}
