//! How many instructions does a decision at the callee take?
//!
//! `level` is the decision itself, `Admission::decide`; `decision` is `Admission::admit` with the permit, as in
//! the bench `decision`. Once, after a hundred others; counted by Callgrind, so the figure is the same on a busy
//! machine as on an idle one. Included: the reading of the clock (`clock` alone is how many of it).

#![allow(
    clippy::exit,
    missing_docs,
    unused_qualifications,
    reason = "of what the macros make"
)]

mod support;

use std::{hint::black_box, time::Duration};

use dagor::{
    Admission, Business, Clock, Concurrency, Priority, Progress, User, admission::Builder,
};
use gungraun::{library_benchmark, library_benchmark_group, main};
use tokio::runtime::Runtime;

/// An admission in use, and the runtime of its dispatcher, which has no turn while the bench runs.
type Warm = (Runtime, Admission, Priority);

fn warm(builder: Builder) -> Warm {
    let runtime = support::runtime();
    let admission = builder.build().expect("valid settings");
    let user = User::new(17, 0).expect("below 128");
    let priority = Priority::new(Business::new(3), user);
    runtime.block_on(async {
        for _ in 0..100 {
            let admitted = support::now(admission.admit(priority, Duration::ZERO));
            assert!(admitted.is_ok());
        }
    });
    (runtime, admission, priority)
}

fn gate() -> Warm {
    warm(support::roomy())
}

fn no_gate() -> Warm {
    warm(Admission::builder("bench").concurrency(Concurrency::Unlimited))
}

#[library_benchmark]
#[bench::gate(gate())]
#[bench::no_gate(no_gate())]
fn decision((runtime, admission, priority): Warm) -> (Runtime, Admission) {
    let admitted = support::now(admission.admit(black_box(priority), Duration::ZERO));
    assert!(black_box(admitted).is_ok());
    (runtime, admission)
}

#[library_benchmark]
#[bench::gate(gate())]
fn level((runtime, admission, priority): Warm) -> (Runtime, Admission) {
    let admitted = admission.decide(black_box(priority), Progress::New);
    assert!(black_box(admitted).is_ok());
    (runtime, admission)
}

#[library_benchmark]
#[bench::system(Clock::system())]
fn clock(clock: Clock) -> Duration {
    black_box(clock.now())
}

library_benchmark_group!(name = decisions, benchmarks = [level, decision, clock]);
main!(library_benchmark_groups = decisions);
