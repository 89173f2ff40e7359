//! What becomes of a request whose caller has given up.

mod graph_support;

use std::time::Duration;

use chaos::scenario::{Scenario, ServiceTime};

use self::graph_support::{edge, ms, run_at, scenario, service, sum, took, total};

/// One worker that takes 40 ms, for clients who wait for 50.
fn single(hang_up: bool) -> Scenario {
    let mut scenario = scenario(
        vec![service("M", 1, ServiceTime::Constant(ms(40)))],
        vec![],
        1.0,
        1,
    );
    scenario.deadline = ms(50);
    scenario.hang_up = hang_up;
    scenario
}

#[test]
fn who_waits_leaves_the_queue_and_who_is_worked_on_is_finished() {
    // The second begins at 40 and its client is gone at 51; the third's at 52. The fourth begins at 80.
    let outcome = run_at(&single(true), &[0, 1, 2, 45]);
    let seen = &outcome.services[0];
    assert_eq!(took(&outcome), [(0, 40.0)]);
    assert_eq!(
        (sum(&seen.arrived), sum(&seen.started), sum(&seen.served)),
        (4, 3, 3)
    );
    let waited = total(&seen.waited_us);
    assert_eq!(
        waited,
        ms(39 + 35),
        "the fourth began at 80, when the second was done"
    );
    assert_eq!(total(&seen.worked_us), ms(120));
    assert_eq!(total(&seen.wasted_us), ms(80));
}

#[test]
fn a_callee_that_does_not_notice_works_for_nobody() {
    let outcome = run_at(&single(false), &[0, 1, 2, 45]);
    let seen = &outcome.services[0];
    assert_eq!(took(&outcome), [(0, 40.0)]);
    assert_eq!((sum(&seen.started), sum(&seen.served)), (4, 4), "all of it");
    let waited = total(&seen.waited_us);
    assert_eq!(waited, ms(39 + 78 + 75));
}

#[test]
fn no_call_is_made_after_the_deadline() {
    for hang_up in [true, false] {
        let caller = service("A", 0, ServiceTime::Constant(ms(30)));
        let callee = service("B", 0, ServiceTime::Constant(ms(20)));
        let mut scenario = scenario(vec![caller, callee], vec![edge(0, 1)], 1.0, 1);
        scenario.edges[0].calls = chaos::scenario::Calls::Fixed(3);
        scenario.hang_up = hang_up;
        scenario.deadline = ms(60);
        // Calls begin at 30, 50 and would at 70.
        let outcome = run_at(&scenario, &[0]);
        assert_eq!(took(&outcome), []);
        let seen = &outcome.services[1];
        assert_eq!(
            (sum(&seen.arrived), sum(&seen.served)),
            (2, 2),
            "hang_up = {hang_up}"
        );
    }
}

#[test]
fn the_deadline_ends_calls_though_nobody_hangs_up() {
    // A's only worker is held by a call that never ends, until the deadline of its task.
    for hang_up in [true, false] {
        let caller = service("A", 1, ServiceTime::Constant(ms(10)));
        let callee = service("B", 0, ServiceTime::Constant(Duration::from_secs(10)));
        let mut scenario = scenario(vec![caller, callee], vec![edge(0, 1)], 1.0, 1);
        scenario.hang_up = hang_up;
        let outcome = run_at(&scenario, &[0, 400]);
        let waited = total(&outcome.services[0].waited_us);
        assert_eq!(
            waited,
            ms(100),
            "the second begins at 500 ms, hang_up = {hang_up}"
        );
    }
}
