//! Timers, and the clock that they move.

use std::{
    pin::pin,
    task::{Context, Waker},
};

use super::*;
use crate::world::Chance;

#[test]
fn fires_in_order_of_time_and_moves_the_clock() {
    let (mut executor, handle) = executor();
    let log = Log::new();
    for at in [30, 10, 20] {
        let (mine, log) = (handle.clone(), log.clone());
        handle.spawn(async move {
            mine.sleep_until(ms(at)).await;
            log.add((at, mine.now()));
        });
    }
    executor.run_until(ms(25));
    assert_eq!(log.all(), [(10, ms(10)), (20, ms(20))]);
    assert_eq!(handle.now(), ms(25));
    assert_eq!(handle.clock().calendar(), CALENDAR + ms(25));
    executor.run_until(ms(30));
    assert_eq!(
        log.all()[2..],
        [(30, ms(30))],
        "the bound itself is included"
    );
}

#[test]
fn equal_times_fire_in_order_of_registration() {
    let (mut executor, handle) = executor();
    let log = Log::new();
    for name in 0..100 {
        note_at(&handle, &log, ms(7), name);
    }
    // Registered at different moments, so also held at different places.
    for name in 100..200 {
        let (mine, log) = (handle.clone(), log.clone());
        handle.spawn(async move {
            mine.sleep_until(Duration::from_micros(name * 50 - 4_990))
                .await;
            mine.sleep_until(ms(7)).await;
            log.add(name);
        });
    }
    assert_eq!(executor.run_to_end(ms(8)), 0);
    assert_eq!(log.all(), (0..200).collect::<Vec<_>>());
}

#[test]
fn any_times_fire_sorted() {
    for seed in 0..20 {
        let (mut executor, handle) = executor();
        let log = Log::new();
        let mut chance = Chance::new(seed, "times", 0);
        let mut expected = Vec::new();
        for number in 0..500_u32 {
            // Spread over all magnitudes, many of them equal.
            let at = chance.bits() >> (24 + chance.below(38));
            expected.push((at, number));
            note_at(&handle, &log, Duration::from_nanos(at), number);
        }
        // By time, then in the order of registration.
        expected.sort_unstable();
        executor.run_to_end(Duration::MAX);
        let order: Vec<_> = expected.into_iter().map(|(_, number)| number).collect();
        assert_eq!(log.all(), order, "seed {seed}");
    }
}

#[test]
fn timers_added_while_others_pend_fire_in_between() {
    for seed in 0..20 {
        let (mut executor, handle) = executor();
        let log = Log::new();
        for task in 0..50 {
            let (mine, log) = (handle.clone(), log.clone());
            handle.spawn(async move {
                let mut chance = Chance::new(seed, "steps", task);
                for _ in 0..40 {
                    let step = chance.bits() >> (34 + chance.below(20));
                    let due = mine.now() + Duration::from_nanos(step);
                    mine.sleep_until(due).await;
                    assert_eq!(mine.now(), due, "seed {seed}");
                    log.add(due);
                }
            });
        }
        // In bits, so that timers are also added after a bound was met.
        let mut until = Duration::ZERO;
        while executor.tasks() > 0 || until.is_zero() {
            until += Duration::from_millis(50);
            executor.run_until(until);
            assert!(log.all().iter().all(|at| *at <= until), "seed {seed}");
        }
        assert_eq!(log.all().len(), 50 * 40, "seed {seed}");
        assert!(log.all().is_sorted(), "seed {seed}");
    }
}

#[test]
fn a_moment_that_has_come_is_no_wait() {
    let (mut executor, handle) = executor();
    executor.run_until(ms(5));
    let mut cx = Context::from_waker(Waker::noop());
    for at in [ms(0), ms(5)] {
        assert!(pin!(handle.sleep_until(at)).poll(&mut cx).is_ready());
    }
    assert!(pin!(handle.sleep_until(ms(6))).poll(&mut cx).is_pending());
}

#[test]
fn going_back_is_no_going() {
    let (mut executor, handle) = executor();
    executor.run_until(ms(5));
    executor.run_until(ms(3));
    assert_eq!(handle.now(), ms(5));
}

#[test]
fn a_timer_may_come_before_one_that_was_looked_at() {
    let (mut executor, handle) = executor();
    let log = Log::new();
    note_at(&handle, &log, ms(50), "late");
    executor.run_until(ms(10));
    note_at(&handle, &log, ms(20), "early");
    executor.run_until(ms(60));
    assert_eq!(log.all(), ["early", "late"]);
}

#[test]
fn a_million_timers() {
    let (mut executor, handle) = executor();
    let log = Log::new();
    let mut chance = Chance::new(1, "million", 0);
    for task in 0..1_000_u64 {
        let (mine, log, seed) = (handle.clone(), log.clone(), chance.bits());
        handle.spawn(async move {
            let mut chance = Chance::new(seed, "task", task);
            for _ in 0..1_000 {
                let step = chance.exponential_time(ms(10));
                mine.sleep_until(mine.now() + step).await;
            }
            log.add(task);
        });
    }
    executor.run_to_end(Duration::MAX);
    assert_eq!(log.all().len(), 1_000);
    // Each timer that had to wait fired and gave a turn; a thousand first turns.
    assert_eq!(executor.events(), 2_001_000);
    let mean = handle.now().as_secs_f64();
    assert!(
        (10.0..12.0).contains(&mean),
        "the last of a thousand sums of 10 s: {mean} s"
    );
}
