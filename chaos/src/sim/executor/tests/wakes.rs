//! Who has a turn when, and who has not.

use std::{
    future::poll_fn,
    pin::pin,
    task::{Poll, Waker},
};

use futures_util::future::{Either, select};

use super::*;

/// A place to leave one's waker at.
type Bell = Arc<Mutex<Option<Waker>>>;

/// Waits for a ring; counts turns.
async fn listen(bell: Bell, turns: Log<()>) {
    let mut rung = false;
    poll_fn(|cx| {
        turns.add(());
        *bell.lock().unwrap() = Some(cx.waker().clone());
        if std::mem::replace(&mut rung, true) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
}

fn ring(bell: &Bell) -> Waker {
    let waker = bell.lock().unwrap().clone().unwrap();
    waker.wake_by_ref();
    waker
}

#[test]
fn spawned_tasks_have_their_turn_after_those_that_are_ready() {
    let (mut executor, handle) = executor();
    let log = Log::new();
    let (mine, inner) = (handle.clone(), log.clone());
    handle.spawn(async move {
        inner.add("first");
        let innermost = inner.clone();
        let again = mine.clone();
        mine.spawn(async move {
            innermost.add("child");
            let log = innermost.clone();
            again.spawn(async move { log.add("grandchild") });
        });
        inner.add("first, to the end");
    });
    let second = log.clone();
    handle.spawn(async move { second.add("second") });
    executor.run_until(Duration::ZERO);
    let order = [
        "first",
        "first, to the end",
        "second",
        "child",
        "grandchild",
    ];
    assert_eq!(log.all(), order);
}

#[test]
fn many_wakes_are_one_turn() {
    let (mut executor, handle) = executor();
    let (bell, turns) = (Bell::default(), Log::new());
    handle.spawn(listen(Arc::clone(&bell), turns.clone()));
    executor.run_until(Duration::ZERO);
    ring(&bell);
    ring(&bell);
    ring(&bell);
    executor.run_until(Duration::ZERO);
    assert_eq!(turns.all().len(), 2);
    assert_eq!(executor.tasks(), 0);
}

#[test]
fn a_wake_during_a_turn_is_another_turn() {
    let (mut executor, handle) = executor();
    let turns = Log::new();
    let mine = turns.clone();
    handle.spawn(poll_fn(move |cx| {
        mine.add(());
        cx.waker().wake_by_ref();
        if mine.all().len() == 3 {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }));
    executor.run_until(Duration::ZERO);
    assert_eq!(turns.all().len(), 3, "the last wake came too late");
}

#[test]
fn a_kept_waker_does_not_wake_the_next_task_in_the_slot() {
    let (mut executor, handle) = executor();
    let (old, new, turns) = (Bell::default(), Bell::default(), Log::new());
    handle.spawn(listen(Arc::clone(&old), Log::new()));
    executor.run_until(Duration::ZERO);
    let stale = ring(&old);
    executor.run_until(Duration::ZERO);
    assert_eq!(executor.tasks(), 0, "the first has ended");

    handle.spawn(listen(Arc::clone(&new), turns.clone()));
    executor.run_until(Duration::ZERO);
    stale.wake();
    ring(&old);
    executor.run_until(Duration::ZERO);
    assert_eq!(turns.all().len(), 1, "nobody woke the second");
    ring(&new);
    executor.run_until(Duration::ZERO);
    assert_eq!(turns.all().len(), 2);
}

#[test]
fn a_wake_that_is_in_line_does_not_wake_the_next_task_in_the_slot() {
    let (mut executor, handle) = executor();
    let turns = Log::new();
    let (bell, inner, mine) = (Bell::default(), turns.clone(), handle.clone());
    // Wakes itself and ends: the wake is in line, before the next task's turn in the same slot.
    handle.spawn(poll_fn(move |cx| {
        mine.spawn(listen(Arc::clone(&bell), inner.clone()));
        cx.waker().wake_by_ref();
        Poll::Ready(())
    }));
    executor.run_until(Duration::ZERO);
    assert_eq!((turns.all().len(), executor.tasks()), (1, 1));
}

#[test]
fn a_task_wakes_another_as_it_is_dropped() {
    struct OnDrop(Bell);
    impl Drop for OnDrop {
        fn drop(&mut self) {
            ring(&self.0);
        }
    }
    let (mut executor, handle) = executor();
    let (bell, turns) = (Bell::default(), Log::new());
    handle.spawn(listen(Arc::clone(&bell), turns.clone()));
    let (guard, sleep) = (OnDrop(bell), handle.sleep_until(ms(1)));
    handle.spawn(async move {
        sleep.await;
        drop(guard);
    });
    assert_eq!(executor.run_to_end(ms(1)), 0);
    assert_eq!(turns.all().len(), 2);
}

#[test]
fn a_dropped_sleep_wakes_nobody() {
    let (mut executor, handle) = executor();
    let (log, mine) = (Log::new(), handle.clone());
    let done = log.clone();
    handle.spawn(async move {
        let (short, long) = (mine.sleep_until(ms(1)), mine.sleep_until(ms(100)));
        match select(short, long).await {
            Either::Left(((), long)) => drop(long),
            Either::Right(_) => panic!("the longer wait ended first"),
        }
        done.add(mine.now());
    });
    assert_eq!(executor.run_to_end(Duration::MAX), 0);
    assert_eq!((log.all(), handle.now()), (vec![ms(1)], ms(1)));
    executor.run_until(ms(200));
    // First turn, one timer, second turn.
    assert_eq!(executor.events(), 3);
}

#[test]
fn a_sleep_that_moved_wakes_its_new_owner() {
    let (mut executor, handle) = executor();
    let (log, mine) = (Log::new(), handle.clone());
    let done = log.clone();
    handle.spawn(async move {
        let mut sleep = mine.sleep_until(ms(10));
        let first = pin!(&mut sleep);
        let short = pin!(mine.sleep_until(ms(1)));
        let _short_came = select(first, short).await;
        let log = done.clone();
        mine.spawn(async move {
            sleep.await;
            log.add("moved");
        });
    });
    executor.run_to_end(Duration::MAX);
    assert_eq!((log.all(), handle.now()), (vec!["moved"], ms(10)));
}
