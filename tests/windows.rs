//! Windows close by themselves, by whoever finds them due and by time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use dagor::{Admission, Clock, Concurrency, Observer, Priority, observe::WindowClosed};

/// Adds up what windows saw.
#[derive(Clone, Debug, Default)]
struct Sum(Arc<AtomicU64>);

impl Observer for Sum {
    fn window_closed(&self, _: &str, window: &WindowClosed) {
        self.0.fetch_add(window.arrived, Relaxed);
    }
}

async fn burst(concurrency: Concurrency) {
    let sum = Sum::default();
    let admission = Admission::builder("orders")
        .clock(Clock::tokio())
        .concurrency(concurrency)
        .observer(sum.clone())
        .build()
        .expect("the default settings are valid");
    for _ in 0..12 {
        for _ in 0..100 {
            drop(
                admission
                    .admit(Priority::MOST_IMPORTANT, Duration::ZERO)
                    .await,
            );
        }
        tokio::time::advance(Duration::from_millis(11)).await;
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(sum.0.load(Relaxed), 1200);
}

#[tokio::test(start_paused = true)]
async fn the_last_window_of_a_burst_is_closed_though_nothing_follows() {
    burst(Concurrency::default()).await;
}

#[tokio::test(start_paused = true)]
async fn the_same_without_a_limit() {
    burst(Concurrency::Unlimited).await;
}
