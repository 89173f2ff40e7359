//! What the library asks of the allocator: nothing for a decision, little for a handle.
//!
//! The allocator counts for the whole process, and the test harness has a thread of its own; so a decision
//! is asked in several batches and the quietest of them counts: what a decision itself allocated would be
//! in every one.

#![allow(clippy::unwrap_used, reason = "what cannot go on in a test fails it")]

use std::{
    future::Future,
    num::NonZeroUsize,
    pin::pin,
    sync::Mutex,
    task::{Context, Poll, Waker},
    time::Duration,
};

use dagor::{Admission, Business, Concurrency, Priority, User};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// One test at a time: there is one profiler in a process.
static ALONE: Mutex<()> = Mutex::new(());

const DECISIONS: usize = 1000;

/// Returns how many blocks the quietest of ten batches of decisions allocated.
fn allocations(admission: &Admission) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let priority = Priority::new(Business::new(3), User::new(17, 0).unwrap());
    let batch = || {
        let before = dhat::HeapStats::get().total_blocks;
        for _ in 0..DECISIONS {
            let mut admit = pin!(admission.admit(priority, Duration::ZERO));
            let polled = admit.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            assert!(matches!(polled, Poll::Ready(Ok(_))), "nobody has to wait");
        }
        dhat::HeapStats::get().total_blocks - before
    };
    runtime.block_on(async {
        batch(); // Makes the dispatcher and what each thread keeps.
        let mut fewest = u64::MAX;
        for _ in 0..10 {
            // The dispatcher frees what cooled.
            for _ in 0..6 {
                tokio::task::yield_now().await;
            }
            fewest = fewest.min(batch());
        }
        fewest
    })
}

#[test]
fn a_decision_without_wait_allocates_nothing() {
    let _alone = ALONE.lock().unwrap();
    let _profiler = dhat::Profiler::builder().testing().build();
    let permits = NonZeroUsize::new(2 * DECISIONS).unwrap();
    for concurrency in [Concurrency::Fixed(permits), Concurrency::Unlimited] {
        let builder = Admission::builder("orders").concurrency(concurrency.clone());
        let admission = builder.build().unwrap();
        assert_eq!(allocations(&admission), 0, "{concurrency:?}");
    }
}

#[test]
fn a_handle_takes_at_most_64_kib() {
    let _alone = ALONE.lock().unwrap();
    let _profiler = dhat::Profiler::builder().testing().build();
    let before = dhat::HeapStats::get().curr_bytes;
    let admission = Admission::builder("orders").build().unwrap();
    let taken = dhat::HeapStats::get().curr_bytes - before;
    drop(admission);
    assert!((10_000..=64 * 1024).contains(&taken), "{taken} bytes");
}
