//! Do two threads that decide at once get in each other's way?
//!
//! The decision of `decision`, from one thread (`one`) and from two at once (`two`): by the level alone, which
//! takes no lock, and with a permit, through the gate's lock and without a limit. The figure is wall time per decision and *thread*: where threads did not hinder each other at
//! all, `two` would equal `one`, and the throughput would be twice that of one thread. Needs two idle cores:
//! what others run on them counts against it.
//!
//! Included: everything that `decision` includes. The start is common, the longer of both times counts, and
//! making the threads is not timed. The gate's dispatcher has its turn in between, untimed.

#![expect(
    clippy::disallowed_methods,
    reason = "a bench is about the time that passes"
)]

mod support;

use std::{
    hint::black_box,
    num::NonZeroUsize,
    sync::Barrier,
    time::{Duration, Instant},
};

use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use dagor::{Admission, Business, Concurrency, Priority, Progress, User};

/// Decisions of one thread between two turns of the dispatcher: permits for two threads and to spare.
const MOST_AT_ONCE: u64 = 400_000;

/// Returns the longest time that one of `threads` threads took for its `iterations` decisions.
fn longest(threads: u8, iterations: u64, step: impl Fn(Priority) + Sync) -> Duration {
    let start = Barrier::new(threads.into());
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|thread| {
                let (start, step) = (&start, &step);
                scope.spawn(move || {
                    let user = User::new(17 + 40 * thread, 0).expect("below 128");
                    let priority = Priority::new(Business::new(3), user);
                    start.wait();
                    let begun = Instant::now();
                    for _ in 0..iterations {
                        step(black_box(priority));
                    }
                    begun.elapsed()
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"))
            .max()
            .unwrap_or_default()
    })
}

fn contention(criterion: &mut Criterion) {
    let runtime = support::runtime();
    let mut group = criterion.benchmark_group("contention");
    group.sampling_mode(SamplingMode::Flat);
    // Few and long: a thread that was just made may share a core with the other for some milliseconds.
    group.sample_size(20);
    group.measurement_time(Duration::from_secs(4));
    let admission = support::roomy().build().expect("valid settings");
    for (name, threads) in [("one", 1), ("two", 2)] {
        group.bench_function(format!("level_{name}"), |bencher| {
            bencher.iter_custom(|iterations| {
                longest(threads, iterations, |priority| {
                    assert!(admission.decide(priority, Progress::New).is_ok());
                })
            });
        });
    }
    let permits = NonZeroUsize::new(1_000_000).expect("not zero");
    for (gate, concurrency) in [
        ("gate", Concurrency::Fixed(permits)),
        ("no_gate", Concurrency::Unlimited),
    ] {
        let builder = Admission::builder("bench").concurrency(concurrency);
        let admission = builder.build().expect("valid settings");
        // The dispatcher is made in this runtime.
        let admitted = runtime.block_on(admission.admit(Priority::MOST_IMPORTANT, Duration::ZERO));
        drop(admitted);
        for (name, threads) in [("one", 1), ("two", 2)] {
            group.bench_function(format!("{gate}_{name}"), |bencher| {
                bencher.iter_custom(|iterations| {
                    let mut spent = Duration::ZERO;
                    let mut left = iterations;
                    while left > 0 {
                        let batch = left.min(MOST_AT_ONCE);
                        spent += longest(threads, batch, |priority| {
                            let admit = admission.admit(priority, Duration::ZERO);
                            assert!(support::now(admit).is_ok());
                        });
                        left -= batch;
                        runtime.block_on(support::turn());
                    }
                    spent
                });
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = support::criterion();
    targets = contention
}
criterion_main!(benches);
