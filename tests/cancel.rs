//! O9: clients that hang up. Over real connections: what a dropped call costs ends at once, because whoever
//! gave up frees a place for somebody who still waits.
#![cfg(all(feature = "axum", feature = "tonic"))]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up must stop where it is"
)]

#[path = "support/sockets.rs"]
mod sockets;
mod support;

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    routing::{get, post},
};
use dagor::{Admission, Admitted, Concurrency, Priority, Settings};
use http::Request;
use http_body_util::BodyExt as _;
use sockets::{Connection, Host, Setup, VERSIONS, Version};
use support::{Random, eventually, ms, secs, within};
use tokio::runtime;

/// How soon a dropped call must be gone: nothing in the service takes that long.
const AT_ONCE: Duration = Duration::from_secs(1);

fn admission(permits: usize) -> Admission {
    let settings = Settings {
        concurrency: Concurrency::Fixed(permits.try_into().unwrap()),
        // Long, so that nobody leaves because of the time.
        longest_wait: Some(secs(60)),
        ..Settings::default()
    };
    Admission::builder("cancel")
        .settings(settings)
        .build()
        .unwrap()
}

fn request(path: &str) -> Request<Body> {
    let uri = format!("http://host{path}");
    Request::get(uri).body(Body::empty()).unwrap()
}

/// Occupies the only permit.
async fn busy(admission: &Admission) -> Admitted {
    let held = admission.admit(Priority::MOST_IMPORTANT, ms(0)).await;
    held.unwrap()
}

/// Waiting, running and in flight.
fn load(admission: &Admission) -> (usize, usize, usize) {
    let snapshot = admission.snapshot();
    (snapshot.waiting, snapshot.running, snapshot.in_flight)
}

#[tokio::test]
async fn o9_whoever_hangs_up_while_waiting_leaves_the_gate_at_once() {
    for version in VERSIONS {
        let admission = admission(1);
        let app = Router::new().route("/", get(async || "served"));
        let host = Host::new(Setup::default(), Some(&admission), app);
        let _held = busy(&admission).await;
        // A process of its own, as far as the service can tell: everything of it ends at once.
        let client = runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let address = host.address;
        client.spawn(async move {
            let mut connection = Connection::open(version, address).await;
            connection.send(request("/")).await
        });
        eventually("it waits", || load(&admission) == (1, 1, 2)).await;
        client.shutdown_background();
        within(AT_ONCE, "it leaves the gate", || {
            load(&admission) == (0, 1, 1)
        })
        .await;
        assert_eq!(admission.snapshot().shed(), 0, "{version:?}: not shed");
    }
}

/// One call of several on a connection, as when a sibling of a parallel call was refused.
#[tokio::test]
async fn o9_a_dropped_http2_call_leaves_the_gate_and_its_siblings_stay() {
    let admission = admission(1);
    let app = Router::new().route("/", get(async || "served"));
    let host = Host::new(Setup::default(), Some(&admission), app);
    let held = busy(&admission).await;
    let mut connection = Connection::open(Version::Http2, host.address).await;
    let [dropped, kept] = [(); 2].map(|()| tokio::spawn(connection.send(request("/"))));
    eventually("both wait", || load(&admission) == (2, 1, 3)).await;
    dropped.abort();
    within(AT_ONCE, "one leaves", || load(&admission) == (1, 1, 2)).await;
    drop(held);
    assert_eq!(kept.await.unwrap().unwrap().status(), 200);
}

#[tokio::test]
async fn o9_whoever_hangs_up_while_served_gives_the_permit_back_at_once() {
    for version in VERSIONS {
        let admission = admission(1);
        let app = Router::new()
            .route("/", get(async || "served"))
            .route("/forever", get(async || pending::<()>().await));
        let host = Host::new(Setup::default(), Some(&admission), app);
        let mut connection = Connection::open(version, host.address).await;
        let call = tokio::spawn(connection.send(request("/forever")));
        eventually("it runs", || load(&admission) == (0, 1, 1)).await;
        drop((connection, call.abort()));
        within(AT_ONCE, "the permit comes back", || {
            load(&admission) == (0, 0, 0)
        })
        .await;
        let mut connection = Connection::open(version, host.address).await;
        let next = connection.send(request("/")).await.unwrap();
        assert_eq!(next.status(), 200, "{version:?}");
    }
}

/// On HTTP/1 hyper reads on only when the handler asks for the body, so a request that waits with a body
/// cannot be seen to hang up. It is gone with its turn or with the longest wait, whichever is first.
#[tokio::test]
async fn o9_an_http1_request_with_a_body_leaves_with_the_longest_wait() {
    let admission = admission(1);
    let settings = Settings {
        longest_wait: Some(ms(300)),
        ..Settings::clone(&admission.settings())
    };
    admission.reload(settings).unwrap();
    let app = Router::new().route("/", post(async |body: String| body));
    let host = Host::new(Setup::default(), Some(&admission), app);
    let _held = busy(&admission).await;
    let mut connection = Connection::open(Version::Http1, host.address).await;
    let body = Request::post("http://host/")
        .body(Body::from("text"))
        .unwrap();
    let call = tokio::spawn(connection.send(body));
    eventually("it waits", || load(&admission) == (1, 1, 2)).await;
    drop((connection, call.abort()));
    within(ms(300) + AT_ONCE, "it leaves", || {
        load(&admission) == (0, 1, 1)
    })
    .await;
}

#[tokio::test]
async fn o9_a_handler_that_panics_gives_the_permit_back() {
    for version in VERSIONS {
        let admission = admission(1);
        let app = Router::new()
            .route("/", get(async || "served"))
            .route("/panics", get(async || -> &str { panic!("on purpose") }));
        let host = Host::new(Setup::default(), Some(&admission), app);
        let mut connection = Connection::open(version, host.address).await;
        assert!(connection.send(request("/panics")).await.is_err());
        within(AT_ONCE, "the permit comes back", || {
            load(&admission) == (0, 0, 0)
        })
        .await;
        let mut connection = Connection::open(version, host.address).await;
        let next = connection.send(request("/")).await.unwrap();
        assert_eq!(next.status(), 200, "{version:?}");
    }
}

#[tokio::test]
async fn o9_a_storm_of_hang_ups_leaks_nothing() {
    const CALLS: usize = 600;
    for (version, seed) in VERSIONS.into_iter().zip([0x0901, 0x0902]) {
        let admission = admission(3);
        let handled = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&handled);
        let app = Router::new().route(
            "/",
            get(async move || {
                tokio::time::sleep(ms(2)).await;
                counted.fetch_add(1, Relaxed);
            }),
        );
        let host = Host::new(Setup::default(), Some(&admission), app);
        let mut random = Random::new(seed);
        let mut shared = Connection::open(version, host.address).await;
        let mut calls = Vec::new();
        for _ in 0..CALLS {
            let patience = ms(random.below(40));
            if random.below(20) == 0 || !shared.is_shared() {
                // Hangs up the old one, with everything that is under way on it.
                shared = Connection::open(version, host.address).await;
            }
            let call = shared.send(request("/"));
            let call = async move {
                let response = call.await.ok()?;
                response.into_body().collect().await.ok()
            };
            calls.push(tokio::spawn(tokio::time::timeout(patience, call)));
            if random.below(4) == 0 {
                tokio::time::sleep(ms(random.below(10))).await;
            }
        }
        for call in calls {
            let _given_up_or_not = call.await.unwrap();
        }
        drop(shared);
        within(secs(5), "everything is back", || {
            load(&admission) == (0, 0, 0)
        })
        .await;
        assert!(handled.load(Relaxed) > 0, "{version:?}: some were served");
        let permits = [(); 3].map(|()| admission.admit(Priority::MOST_IMPORTANT, ms(0)));
        let all = futures_util::future::try_join_all(permits);
        let all = tokio::time::timeout(AT_ONCE, all).await;
        assert_eq!(all.expect("no permit is lost").unwrap().len(), 3);
    }
}
