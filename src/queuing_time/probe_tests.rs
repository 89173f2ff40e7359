use std::sync::{Weak, mpsc};

use super::*;

/// Longer than anything here takes on a machine that is busy with something else.
const PATIENCE: Duration = Duration::from_secs(30);

fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let clock = Clock::system();
    let deadline = clock.now() + PATIENCE;
    while !condition() {
        assert!(clock.now() < deadline, "waited in vain: {what}");
        thread::yield_now();
    }
}

fn probe(runtime: &Handle) -> (Probe, Weak<Shared>) {
    let probe = Probe::start(runtime.clone(), Clock::system(), Probe::INTERVAL).unwrap();
    let shared = Arc::downgrade(&probe.shared);
    (probe, shared)
}

/// The thread holds one of the references to what it shares with the probe.
fn thread_ended(shared: &Weak<Shared>) {
    until("the thread's end", || shared.strong_count() == 0);
}

fn one_worker() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .build()
        .unwrap()
}

#[test]
fn a_stuck_worker_is_seen_while_it_is_stuck() {
    let runtime = one_worker();
    let (probe, shared) = probe(runtime.handle());
    until("a first estimate", || {
        probe.wait().is_some_and(|wait| wait < PATIENCE)
    });

    let (release, stuck) = mpsc::channel::<()>();
    runtime.spawn(async move { stuck.recv() });
    let long = Duration::from_millis(60);
    until("the estimate to grow", || probe.wait() > Some(long));
    drop(release);
    until("the estimate to fall", || probe.wait() < Some(long));

    drop(probe);
    thread_ended(&shared);
}

#[test]
fn a_stuck_current_thread_runtime_is_seen_too() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let (probe, shared) = probe(runtime.handle());
    runtime.block_on(async {
        let long = Duration::from_millis(60);
        // The loop itself is what keeps the runtime from running anything else.
        until("the estimate to grow", || probe.wait() > Some(long));
        let clock = Clock::system();
        let deadline = clock.now() + PATIENCE;
        while probe.wait() > Some(long) && clock.now() < deadline {
            tokio::task::yield_now().await;
        }
        assert!(probe.wait() < Some(long));
    });
    drop(probe);
    // The last probe may be left in a runtime that nobody drives any more.
    drop(runtime);
    thread_ended(&shared);
}

#[test]
fn a_long_queue_of_one_worker_is_seen_behind_a_short_shared_one() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        // The worker looks at the shared queue, where a probe arrives, before each of its own tasks.
        .global_queue_interval(1)
        .build()
        .unwrap();
    let (stop, clock) = (Arc::new(AtomicBool::new(false)), Clock::system());
    for _ in 0..20 {
        let (stop, clock) = (Arc::clone(&stop), clock.clone());
        runtime.spawn(std::future::poll_fn(move |cx| {
            let end = clock.now() + Duration::from_millis(3);
            while clock.now() < end {
                std::hint::spin_loop();
            }
            if stop.load(Ordering::Relaxed) {
                return Poll::Ready(());
            }
            cx.waker().wake_by_ref();
            Poll::Pending
        }));
    }
    let (probe, shared) = probe(runtime.handle());
    let round = Duration::from_millis(55);
    until("a completed round", || {
        let completed = shared
            .upgrade()
            .map(|shared| shared.completed.load(Ordering::Acquire));
        completed.is_some_and(|wait| wait != NONE && wait >= nanos(round))
    });
    assert!(probe.wait() >= Some(round));
    stop.store(true, Ordering::Relaxed);
    until("the estimate to fall", || probe.wait() < Some(round));
}

#[test]
fn one_probe_is_outstanding_however_long_it_takes() {
    let runtime = one_worker();
    let (release, stuck) = mpsc::channel::<()>();
    runtime.spawn(async move { stuck.recv() });
    let (probe, shared) = probe(runtime.handle());
    until("some intervals", || {
        probe.wait() > Some(Probe::INTERVAL * 10)
    });
    // Probe, thread, and the one task.
    assert_eq!(shared.strong_count(), 3);
    // Does not wait for the stuck task.
    drop(probe);
    until("the thread's end", || shared.strong_count() == 1);
    drop(release);
    thread_ended(&shared);
}

#[test]
fn a_runtime_that_ends_takes_the_estimate_with_it() {
    // With the probe waiting in it, and without.
    for stuck in [true, false] {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let (probe, shared) = probe(runtime.handle());
        if stuck {
            until("a probe under way", || probe.wait().is_some());
        } else {
            runtime.block_on(async {
                while probe.shared.completed.load(Ordering::Acquire) == NONE {
                    tokio::task::yield_now().await;
                }
            });
        }
        drop(runtime);
        until("no estimate", || probe.wait().is_none());
        // The thread went by itself; ours is the last reference.
        until("the thread's end", || shared.strong_count() == 1);
    }
}

#[test]
fn the_interval_stays_in_its_range() {
    let runtime = one_worker();
    // Zero would be a thread that never rests: count what it makes in 50 ms, at most two waits each ms.
    let probe = Probe::start(runtime.handle().clone(), Clock::system(), Duration::ZERO).unwrap();
    let mut waits = 0;
    let clock = Clock::system();
    let deadline = clock.now() + Duration::from_millis(50);
    until("fifty milliseconds", || {
        if probe.shared.completed.swap(NONE, Ordering::AcqRel) != NONE {
            waits += 1;
        }
        clock.now() >= deadline
    });
    assert!((1..=110).contains(&waits), "{waits}");
}
