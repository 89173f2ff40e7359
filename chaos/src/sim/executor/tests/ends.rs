//! How runs end, and that nothing is left behind.

use std::{
    future::pending,
    pin::Pin,
    task::{Context, Wake, Waker},
};

use super::*;

async fn tick(handle: Handle, every: Duration, ticks: Log<Duration>) {
    loop {
        handle.sleep_until(handle.now() + every).await;
        ticks.add(handle.now());
    }
}

#[test]
fn a_loop_of_ticks_does_not_keep_a_run() {
    let (mut executor, handle) = executor();
    let ticks = Log::new();
    handle.spawn(tick(handle.clone(), ms(10), ticks.clone()));
    executor.run_until(ms(55));
    assert_eq!(ticks.all().len(), 5);
    assert_eq!(executor.run_to_end(ms(100)), 1, "it is still there");
    assert_eq!((ticks.all().len(), handle.now()), (10, ms(100)));
}

#[test]
fn a_run_ends_with_its_last_task() {
    let (mut executor, handle) = executor();
    let log = Log::new();
    note_at(&handle, &log, ms(3), ());
    // Forgotten before it was due: nobody waits for it.
    let mut cx = Context::from_waker(Waker::noop());
    let [mut forgotten, mut kept] = [100, 200].map(|at| handle.sleep_until(ms(at)));
    assert!(Pin::new(&mut forgotten).poll(&mut cx).is_pending());
    assert!(Pin::new(&mut kept).poll(&mut cx).is_pending());
    drop(forgotten);
    // Nor for one that no task waits for.
    assert_eq!(executor.run_to_end(Duration::MAX), 0);
    assert_eq!(handle.now(), ms(3));
}

#[test]
fn a_task_that_waits_for_nothing_does_not_keep_a_run() {
    let (mut executor, handle) = executor();
    handle.spawn(pending());
    assert_eq!(executor.run_to_end(Duration::MAX), 1);
    assert_eq!(handle.now(), Duration::ZERO);
}

#[test]
fn dropping_it_drops_everything() {
    let (mut executor, handle) = executor();
    let alive = Arc::new(());
    // Ended, asleep, asleep in another's arms, never polled; and a callback that was run and one that was not.
    let (mine, token) = (handle.clone(), Arc::clone(&alive));
    handle.spawn(async move { drop((mine, token)) });
    for at in [ms(1), ms(50)] {
        let (mine, token) = (handle.clone(), Arc::clone(&alive));
        handle.spawn(async move {
            mine.sleep_until(at).await;
            let (inner, token) = (mine.clone(), Arc::clone(&token));
            mine.spawn(async move {
                let waits = [inner.sleep_until(ms(60)), inner.sleep_until(ms(70))];
                futures_util::future::join_all(waits).await;
                drop(token);
            });
            mine.sleep_until(ms(80)).await;
        });
    }
    for ask in [true, false] {
        let (mine, token) = (handle.clone(), Arc::clone(&alive));
        let id = handle.register(Box::new(move || drop((mine.clone(), Arc::clone(&token)))));
        if ask {
            handle.settle(id);
        }
    }
    executor.run_until(ms(2));
    let (mine, token) = (handle.clone(), Arc::clone(&alive));
    handle.spawn(async move {
        pending::<()>().await;
        drop((mine, token));
    });
    let (mine, token) = (handle.clone(), Arc::clone(&alive));
    let _ = handle.register(Box::new(move || drop((mine.clone(), Arc::clone(&token)))));
    assert!(Arc::strong_count(&alive) > 4);

    let shared = Arc::downgrade(&handle.0);
    drop(executor);
    assert_eq!(Arc::strong_count(&alive), 1, "tasks and callbacks are gone");
    drop(handle);
    assert_eq!(shared.strong_count(), 0, "and so is what they shared");
}

#[test]
fn a_handle_without_an_executor_keeps_nothing() {
    struct Respawns(Handle, Arc<()>);
    impl Drop for Respawns {
        fn drop(&mut self) {
            let token = Arc::clone(&self.1);
            self.0.spawn(async move { drop(token) });
        }
    }
    let (mut executor, handle) = executor();
    let alive = Arc::new(());
    let guard = Respawns(handle.clone(), Arc::clone(&alive));
    handle.spawn(async move {
        pending::<()>().await;
        drop(guard);
    });
    executor.run_until(ms(1));
    drop(executor);
    assert_eq!(
        Arc::strong_count(&alive),
        1,
        "what was spawned from a drop is gone too"
    );

    let id = handle.register(Box::new({
        let token = Arc::clone(&alive);
        move || drop(Arc::clone(&token))
    }));
    handle.settle(id);
    assert_eq!(Arc::strong_count(&alive), 1, "nor is a callback kept");
}

#[test]
fn a_sleep_without_an_executor_keeps_no_waker() {
    struct Bell;
    impl Wake for Bell {
        fn wake(self: Arc<Self>) {}
    }
    let (executor, handle) = executor();
    let bell = Arc::new(Bell);
    let waker = Waker::from(Arc::clone(&bell));
    let mut cx = Context::from_waker(&waker);
    let mut sleep = handle.sleep_until(ms(2));
    assert!(Pin::new(&mut sleep).poll(&mut cx).is_pending());
    assert_eq!(
        Arc::strong_count(&bell),
        3,
        "here, its waker, and the timer's"
    );
    drop(executor);
    assert_eq!(Arc::strong_count(&bell), 2);
    // Whether it waited before or not.
    assert!(Pin::new(&mut sleep).poll(&mut cx).is_pending());
    let mut other = handle.sleep_until(ms(3));
    assert!(Pin::new(&mut other).poll(&mut cx).is_pending());
    assert_eq!(Arc::strong_count(&bell), 2);
}
