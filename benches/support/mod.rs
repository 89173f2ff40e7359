//! What the benches share.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each bench is a crate of its own and uses a part"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "a bench is about the time that passes"
)]

use std::{
    future::Future,
    num::NonZeroUsize,
    pin::pin,
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use criterion::Criterion;
use dagor::{Admission, Concurrency, admission::Builder};
use tokio::runtime::Runtime;

/// Iterations between two turns of the gate's dispatcher, and permits enough for them.
pub const BATCH: u64 = 1000;

/// Returns criterion with many short samples: on a machine that others use too, most of those of about
/// a millisecond are undisturbed, and the median is one of them.
pub fn criterion() -> Criterion {
    Criterion::default()
        .sample_size(400)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(600))
        .nresamples(2000)
        .without_plots()
        .configure_from_args()
}

/// Returns a runtime with one worker, this thread.
pub fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime")
}

/// Returns the builder of an admission with a gate that has room for [`BATCH`] and to spare.
pub fn roomy() -> Builder {
    let permits = NonZeroUsize::new(4096).expect("not zero");
    Admission::builder("bench").concurrency(Concurrency::Fixed(permits))
}

/// Polls a future that has nothing to wait for.
pub fn now<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    match future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
    {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("nothing to wait for"),
    }
}

/// Times `iterations` of `step`, in batches; between them, untimed, the dispatcher frees what cooled.
pub async fn batches(iterations: u64, mut step: impl FnMut()) -> Duration {
    let mut spent = Duration::ZERO;
    let mut left = iterations;
    while left > 0 {
        let batch = left.min(BATCH);
        let begun = Instant::now();
        for _ in 0..batch {
            step();
        }
        spent += begun.elapsed();
        left -= batch;
        turn().await;
    }
    spent
}

/// Times `iterations` of `step`.
pub async fn timed(iterations: u64, mut step: impl AsyncFnMut()) -> Duration {
    let begun = Instant::now();
    for _ in 0..iterations {
        step().await;
    }
    begun.elapsed()
}

/// Lets the dispatcher wake up, yield twice, and settle.
pub async fn turn() {
    for _ in 0..6 {
        tokio::task::yield_now().await;
    }
}
