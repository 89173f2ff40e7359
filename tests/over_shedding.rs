//! What a service with room to spare refuses: nothing. In virtual time, 100,000 requests each, through the
//! server layer.
#![cfg(feature = "http")]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up must stop where it is"
)]

mod support;

use std::sync::Arc;

use dagor::{Admission, Clock, Concurrency};
use http::Response;
use http_body_util::Full;
use support::{Random, Tally, ms, offer_poisson, protect, sleeper};
use tokio::sync::Semaphore;

/// Ten at a time, 10 ms each.
const CAPACITY: u32 = 1000;

const REQUESTS: u64 = 100_000;

/// Prints a figure; shown with `--nocapture` and when the test fails.
#[expect(
    clippy::print_stdout,
    reason = "figures are what these tests are read for"
)]
fn figure(text: &str) {
    println!("{text}");
}

/// Offers this share of the capacity, in percent.
async fn at_percent(percent: u32, seed: u64) -> Tally {
    let admission = Admission::builder("orders")
        .clock(Clock::tokio())
        .concurrency(Concurrency::fixed(10))
        .build()
        .unwrap();
    let service = sleeper(&admission, ms(10));
    let mut random = Random::new(seed);
    let per_second = CAPACITY * percent / 100;
    let (tally, mean) = offer_poisson(&service, per_second, REQUESTS, &mut random).await;
    let snapshot = admission.snapshot();
    figure(&format!(
        "{percent} % of capacity: {} of {} refused, mean time {mean:?}\n{snapshot}",
        tally.refused, tally.sent
    ));
    assert_eq!(tally.served + tally.refused, REQUESTS);
    assert_eq!(snapshot.demand(), REQUESTS, "every request is counted");
    assert!(
        snapshot.businesses.iter().all(|counts| counts.arrived > 0),
        "of every business"
    );
    tally
}

#[tokio::test(start_paused = true)]
async fn nothing_is_refused_at_half_the_capacity() {
    assert_eq!(at_percent(50, 0x50).await.refused, 0);
}

#[tokio::test(start_paused = true)]
async fn one_in_a_thousand_at_most_is_refused_at_four_fifths() {
    assert!(at_percent(80, 0x80).await.refused <= REQUESTS / 1000);
}

/// Handlers that sleep, below what the pool behind them can do: an adaptive limit that begins with four
/// permits against no limit at all.
#[tokio::test(start_paused = true)]
async fn an_adaptive_limit_loses_nothing_below_the_capacity() {
    let mean = async |concurrency: Concurrency| {
        let admission = Admission::builder("orders")
            .clock(Clock::tokio())
            .concurrency(concurrency.clone())
            // Without a gate a thread outside would measure real time.
            .source(|| None)
            .build()
            .unwrap();
        let pool = Arc::new(Semaphore::new(10));
        let service = protect(&admission, move |_| {
            let pool = Arc::clone(&pool);
            async move {
                let _connection = pool.acquire().await.unwrap();
                tokio::time::sleep(ms(10)).await;
                Response::new(Full::default())
            }
        });
        let per_second = CAPACITY * 4 / 5;
        let mut random = Random::new(0xADA);
        let (tally, mean) = offer_poisson(&service, per_second, 20_000, &mut random).await;
        let permits = admission.snapshot().permits;
        figure(&format!(
            "{}: mean time {mean:?}, {permits:?} permits",
            concurrency.as_str()
        ));
        assert_eq!(tally.refused, 0, "{concurrency:?}");
        mean
    };
    let adaptive = mean(Concurrency::default()).await;
    let unlimited = mean(Concurrency::Unlimited).await;
    assert!(
        adaptive <= unlimited.mul_f64(1.1),
        "{adaptive:?} against {unlimited:?}"
    );
}
