//! Worked examples.

use super::*;
use crate::{
    load::fixture::{business, scenario},
    wire::Call,
};

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

const fn call(task: u64, business: usize) -> Call {
    Call {
        task,
        business,
        number: 0,
        user: 0,
        place: 0,
        deadline: ms(500),
        draw: 0,
    }
}

/// A recorder of a run of `seconds` with two services and two businesses.
fn recorder(seconds: u64) -> Recorder {
    let mut scenario = scenario(2);
    scenario.duration = Duration::from_secs(seconds);
    scenario.businesses.push(business("other", 1.0));
    Recorder::new(&scenario)
}

#[test]
fn tasks_are_counted_where_they_came() {
    let recorder = recorder(1);
    // Of business 0: two in the first bin, one in the fourth; of business 1 one in the fourth.
    let tasks = [
        (0, 0, 1, true),
        (99, 0, 3, false),
        (300, 0, 3, true),
        (399, 1, 1, true),
    ];
    for (task, (at, business, weight, _)) in (0..).zip(tasks) {
        recorder.task_came(ms(at), &call(task, business), weight);
    }
    for (task, (at, business, weight, good)) in (0..).zip(tasks) {
        let took = Duration::from_micros(2_500);
        recorder.task_ended(ms(at), ms(at) + took, &call(task, business), weight, good);
    }
    let outcome = recorder.outcome();
    assert_eq!(outcome.bins(), 10);
    let [first, second] = &outcome.businesses[..] else {
        panic!("two businesses")
    };
    assert_eq!(first.offered, [2, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    assert_eq!(first.good, [1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    assert_eq!(first.offered_weight[..4], [4.0, 0.0, 0.0, 3.0]);
    assert_eq!(first.good_weight[..4], [1.0, 0.0, 0.0, 3.0]);
    assert_eq!(second.offered, [0, 0, 0, 1, 0, 0, 0, 0, 0, 0]);

    let weights: Vec<_> = outcome.by_calls.iter().map(|(calls, _)| *calls).collect();
    assert_eq!(weights, [1, 3]);
    assert_eq!(outcome.by_calls[0].1.good[..4], [1, 0, 0, 1]);
    assert_eq!(outcome.by_calls[1].1.offered[..4], [1, 0, 0, 1]);
    assert_eq!(outcome.by_calls[1].1.good_weight[..4], [0.0, 0.0, 0.0, 3.0]);
    assert_eq!(outcome.took, [(0, 0, 2_500), (3, 0, 2_500), (3, 1, 2_500)]);
}

#[test]
fn what_happens_at_services_is_counted_when_it_happens() {
    let recorder = recorder(1);
    let call = call(0, 0);
    recorder.task_came(ms(0), &call, 1);
    for at in [10, 20, 110] {
        recorder.arrived(ms(at), 1);
    }
    recorder.refused(ms(20), 1);
    recorder.withheld(ms(150), 1);
    recorder.started(ms(12), 1, ms(2));
    recorder.started(ms(112), 1, Duration::from_nanos(1_500));
    recorder.served(ms(130), 1, ms(118), &call);
    recorder.task_ended(ms(0), ms(140), &call, 1, true);
    for _ in 0..3 {
        recorder.wanted();
    }
    recorder.sent();
    let outcome = recorder.outcome();
    let at = &outcome.services[1];
    assert_eq!(at.arrived[..2], [2, 1]);
    assert_eq!(at.refused[..2], [1, 0]);
    assert_eq!(at.withheld[..2], [0, 1]);
    assert_eq!(at.started[..2], [1, 1]);
    assert_eq!(at.served[..2], [0, 1]);
    assert_eq!(at.waited_us[..2], [2_000.0, 1.5]);
    assert_eq!(at.worked_us[..2], [0.0, 118_000.0]);
    assert_eq!(at.wasted_us[..2], [0.0, 0.0]);
    assert_eq!(outcome.services[0].arrived, [0; 10]);
    assert_eq!((outcome.wanted, outcome.sent, outcome.requests), (3, 1, 3));
}

#[test]
fn work_for_tasks_that_fail_is_wasted_in_the_bin_in_which_it_ended() {
    let recorder = recorder(1);
    for task in 0..3 {
        recorder.task_came(ms(0), &call(task, 0), 1);
    }
    // Task 0 fails after work in two bins at two services, and more work ends afterwards.
    recorder.served(ms(50), 0, ms(5), &call(0, 0));
    recorder.served(ms(150), 1, ms(7), &call(0, 0));
    recorder.served(ms(160), 1, ms(11), &call(1, 0));
    recorder.task_ended(ms(0), ms(250), &call(0, 0), 1, false);
    recorder.task_ended(ms(0), ms(250), &call(1, 0), 1, true);
    recorder.served(ms(350), 0, ms(13), &call(0, 0));
    recorder.served(ms(351), 0, ms(17), &call(1, 0));
    // Task 2 is still under way when the run ends.
    recorder.served(ms(450), 0, ms(19), &call(2, 0));
    let outcome = recorder.outcome();
    let wasted = |service: usize| &outcome.services[service].wasted_us[..5];
    assert_eq!(wasted(0), [5_000.0, 0.0, 0.0, 13_000.0, 19_000.0]);
    assert_eq!(wasted(1), [0.0, 7_000.0, 0.0, 0.0, 0.0]);
    assert_eq!(outcome.services[0].worked_us[3..4], [30_000.0]);
    assert_eq!(outcome.services[1].worked_us[1..2], [18_000.0]);
    assert_eq!(recorder.outcome(), outcome, "the same when asked again");
}

#[test]
fn bins_reach_as_far_as_anything_was_seen() {
    let recorder = recorder(1);
    recorder.task_came(ms(1_250), &call(0, 0), 1);
    recorder.arrived(ms(1_400), 0);
    let outcome = recorder.outcome();
    assert_eq!(outcome.bins(), 15);
    for service in &outcome.services {
        let lengths = [
            service.arrived.len(),
            service.refused.len(),
            service.withheld.len(),
            service.started.len(),
            service.served.len(),
            service.waited_us.len(),
            service.worked_us.len(),
            service.wasted_us.len(),
            service.level.len(),
        ];
        assert_eq!(lengths, [15; 9]);
    }
    let groups = outcome.by_calls.iter().map(|(_, counts)| counts);
    for tasks in outcome.businesses.iter().chain(groups) {
        let lengths = [
            tasks.offered.len(),
            tasks.good.len(),
            tasks.offered_weight.len(),
            tasks.good_weight.len(),
        ];
        assert_eq!(lengths, [15; 4]);
    }
    assert_eq!(outcome.businesses[0].offered[12], 1);
}

#[test]
fn levels_are_means_and_stay_until_asked_again() {
    let recorder = recorder(1);
    for level in [1.0, 0.5] {
        recorder.level(ms(200), 0, level);
    }
    recorder.level(ms(500), 0, 0.25);
    let outcome = recorder.outcome();
    let expected = [1.0, 1.0, 0.75, 0.75, 0.75, 0.25, 0.25, 0.25, 0.25, 0.25];
    assert_eq!(outcome.services[0].level, expected);
    assert_eq!(outcome.services[1].level, [1.0; 10]);
}

#[test]
fn threads_count_together() {
    const EACH: u64 = 2_000;
    let recorder = recorder(1);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let recorder = recorder.clone();
            scope.spawn(move || {
                for number in 0..EACH {
                    // Numbers of the four are interleaved, so they come out of order.
                    let call = call(number * 4 + thread, 0);
                    recorder.task_came(ms(10), &call, 1);
                    recorder.served(ms(20), 0, ms(1), &call);
                    recorder.sent();
                    recorder.task_ended(ms(10), ms(30), &call, 1, thread != 3);
                }
            });
        }
    });
    let outcome = recorder.outcome();
    assert_eq!(outcome.sent, 4 * EACH);
    assert_eq!(outcome.businesses[0].offered[0], 8_000);
    assert_eq!(outcome.businesses[0].good[0], 6_000);
    assert_eq!(outcome.services[0].wasted_us[..1], [2_000_000.0]);
    assert_eq!(outcome.took.len(), 6_000);
}
