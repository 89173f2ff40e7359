//! What does a decision at the callee cost where nobody has to wait?
//!
//! `level` is the decision itself, `Admission::decide`: read the clock, count the arrival, compare with the
//! level. `gate` and `no_gate` are `Admission::admit` polled once and dropped, which adds the permit: taken
//! under a lock, noted as started, given back under a lock; and the count of requests in flight. Not included:
//! what the dispatcher does for all requests of a turn together (a bench of `layer` has it), and reading fields.
//!
//! `clock` is the reading of the clock alone, which nothing here can make cheaper.

mod support;

use std::{hint::black_box, time::Duration};

use criterion::{Criterion, criterion_group, criterion_main};
use dagor::{Admission, Business, Concurrency, Priority, Progress, User};

fn decision(criterion: &mut Criterion) {
    let runtime = support::runtime();
    let mut group = criterion.benchmark_group("decision");
    let user = User::new(17, 0).expect("below 128");
    let priority = Priority::new(Business::new(3), user);

    group.bench_function("clock", |bencher| {
        let clock = dagor::Clock::system();
        bencher.iter(|| clock.now());
    });
    let admission = support::roomy().build().expect("valid settings");
    group.bench_function("level", |bencher| {
        bencher.iter(|| admission.decide(black_box(priority), Progress::New).is_ok());
    });
    let admissions = [
        ("gate", support::roomy()),
        (
            "no_gate",
            Admission::builder("bench").concurrency(Concurrency::Unlimited),
        ),
    ];
    for (name, builder) in admissions {
        let admission = builder.build().expect("valid settings");
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|iterations| {
                runtime.block_on(support::batches(iterations, || {
                    let admitted =
                        support::now(admission.admit(black_box(priority), Duration::ZERO));
                    assert!(admitted.is_ok());
                }))
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = support::criterion();
    targets = decision
}
criterion_main!(benches);
