//! O14: real instances behind one name, one of them slow, and a caller that obeys both. In virtual time.
#![cfg(feature = "http")]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up must stop where it is"
)]

mod support;

use bytes::Bytes;
use dagor::{
    Admission, Callee, Clock, Concurrency, Priority,
    client::{BoxError, is_shed_response},
    is_withheld,
};
use http::Request;
use http_body_util::Full;
use support::{Answer, Random, ms, sleeper};
use tokio::task::JoinSet;
use tower::{Layer as _, ServiceExt as _, util::BoxCloneSyncService};

type Client = BoxCloneSyncService<Request<Full<Bytes>>, Answer, BoxError>;

/// Calls to each instance a second.
const RATE: u32 = 400;

/// An instance that serves ten at a time, each for so many milliseconds, and a client of it.
fn instance(callee: &Callee, name: &str, milliseconds: u64) -> (Admission, Client) {
    let admission = Admission::builder("payments")
        .clock(Clock::tokio())
        .concurrency(Concurrency::fixed(10))
        .build()
        .unwrap();
    let service = sleeper(&admission, ms(milliseconds));
    let client = callee.instance(name).layer(service);
    (admission, BoxCloneSyncService::new(client))
}

fn request(priority: Priority) -> Request<Full<Bytes>> {
    let mut request = support::get("/pay");
    request.extensions_mut().insert(priority);
    request
}

/// What became of the calls to one instance.
#[derive(Clone, Copy, Debug, Default)]
struct Calls {
    served: u32,
    shed: u32,
    withheld: u32,
}

/// Calls both as often for so many seconds; returns what became of it.
async fn call_both(clients: &[Client; 2], seconds: u32, random: &mut Random) -> [Calls; 2] {
    let mut calls = JoinSet::new();
    for call in 0..seconds * RATE {
        for (index, client) in clients.iter().enumerate() {
            let (client, request) = (client.clone(), request(random.anyone()));
            calls.spawn(async move { (index, client.oneshot(request).await) });
        }
        if call % 2 == 0 {
            tokio::time::sleep(ms(5)).await;
        }
    }
    let mut all = [Calls::default(); 2];
    while let Some(ended) = calls.join_next().await {
        let (index, result) = ended.unwrap();
        match result {
            Ok(response) if is_shed_response(&response) => all[index].shed += 1,
            Ok(response) => {
                assert_eq!(response.status(), 200);
                all[index].served += 1;
            }
            Err(error) => {
                assert!(is_withheld(&*error), "{error}");
                all[index].withheld += 1;
            }
        }
    }
    all
}

#[tokio::test(start_paused = true)]
async fn o14_a_slow_instance_costs_the_fast_one_nothing() {
    let callee = Callee::builder("payments")
        .clock(Clock::tokio())
        .build()
        .unwrap();
    // 1,000 calls a second, and 100.
    let (fast, to_fast) = instance(&callee, "fast", 10);
    let (slow, to_slow) = instance(&callee, "slow", 100);
    let clients = [to_fast, to_slow];
    let mut random = Random::new(14);
    call_both(&clients, 2, &mut random).await;
    let steady = call_both(&clients, 5, &mut random).await;

    let calls = 5 * RATE;
    assert_eq!(steady[0].served, calls, "{steady:?}");
    assert!(fast.level().is_open());
    assert_eq!(fast.snapshot().shed(), 0);
    assert!(!slow.level().is_open());
    assert!(
        (450..=550).contains(&steady[1].served),
        "the slow one serves what it can: {steady:?}"
    );
    assert!(
        steady[1].withheld > 10 * steady[1].shed,
        "what it cannot serve is not sent: {steady:?}"
    );

    let known = callee.snapshot().instances;
    let known: Vec<_> = known
        .iter()
        .map(|one| (&*one.instance, one.level.is_open(), one.withheld > 0))
        .collect();
    assert_eq!(known, [("fast", true, false), ("slow", false, true)]);
}
