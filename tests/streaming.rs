//! O8: responses whose body comes slowly, because the work is in the stream or because the reader is slow.
#![cfg(all(feature = "axum", feature = "tonic"))]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up must stop where it is"
)]

#[path = "support/sockets.rs"]
mod sockets;
mod support;

use std::{
    convert::Infallible,
    pin::pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{Router, routing::get};
use bytes::Bytes;
use dagor::{Admission, Clock, Concurrency, PermitEnds, Settings, server::body::Body};
use futures_util::{FutureExt as _, StreamExt as _, future::poll_fn, stream};
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body::{Body as _, Frame};
use http_body_util::{BodyExt as _, Full, StreamBody, combinators::UnsyncBoxBody};
use sockets::{Connection, Host, Setup, VERSIONS};
use support::{eventually, ms, secs, within};
use tower::{Service as _, ServiceBuilder, service_fn};

type Streamed = UnsyncBoxBody<Bytes, Infallible>;

const KIB: usize = 1024;

fn admission(ends: PermitEnds, clock: Clock) -> Admission {
    let settings = Settings {
        concurrency: Concurrency::Fixed(2.try_into().unwrap()),
        permit_ends: ends,
        ..Settings::default()
    };
    Admission::builder("streaming")
        .settings(settings)
        .clock(clock)
        .build()
        .unwrap()
}

/// A body of `frames` KiB, of which `frame` makes one after the other.
fn body(frames: usize, pause: Duration) -> Streamed {
    let frames = stream::iter(0..frames).then(move |_| async move {
        tokio::time::sleep(pause).await;
        Ok(Frame::data(Bytes::from(vec![b'x'; KIB])))
    });
    UnsyncBoxBody::new(StreamBody::new(frames))
}

/// Calls a handler that answers with `body` behind `admission`.
async fn answer(admission: &Admission, body: Streamed) -> Response<Body<Streamed>> {
    let layer = ServiceBuilder::new().layer(admission.layer());
    let body = Arc::new(Mutex::new(Some(body)));
    let mut handler = layer.service(service_fn(move |_: Request<()>| {
        let body = body.lock().unwrap().take().unwrap_or_default();
        async { Ok::<_, Infallible>(Response::new(body)) }
    }));
    let Ok(response) = handler.call(Request::new(())).await;
    response
}

/// Running and in flight.
fn load(admission: &Admission) -> (usize, usize) {
    let snapshot = admission.snapshot();
    (snapshot.running, snapshot.in_flight)
}

#[tokio::test(start_paused = true)]
async fn o8_the_permit_is_held_to_the_end_of_a_body_where_the_work_is() {
    let admission = admission(PermitEnds::Body, Clock::tokio());
    let response = answer(&admission, body(10, secs(1))).await;
    let mut body = pin!(response.into_body());
    for _ in 0..10 {
        assert_eq!(load(&admission), (1, 1));
        assert!(body.as_mut().frame().await.is_some());
    }
    assert!(body.as_mut().frame().await.is_none());
    assert_eq!(load(&admission), (0, 0), "at the end, not at the drop");
}

#[tokio::test(start_paused = true)]
async fn o8_a_dropped_body_frees_its_permit() {
    let admission = admission(PermitEnds::Body, Clock::tokio());
    let [mut first, second] = [
        answer(&admission, body(10, secs(1))).await.into_body(),
        answer(&admission, body(10, secs(1))).await.into_body(),
    ];
    first.frame().await.unwrap().unwrap();
    assert_eq!(load(&admission), (2, 2));
    let mut third = pin!(answer(&admission, Streamed::default()));
    assert!(third.as_mut().now_or_never().is_none(), "both are taken");
    drop(first);
    third.await;
    drop(second);
    assert_eq!(load(&admission), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn o8_slow_readers_take_no_capacity() {
    const READERS: usize = 100;
    let admission = admission(PermitEnds::Head, Clock::tokio());
    let mut readers = Vec::new();
    for _ in 0..READERS {
        let mut body = answer(&admission, body(10, ms(0))).await.into_body();
        readers.push(tokio::spawn(async move {
            while body.frame().await.is_some() {
                tokio::time::sleep(secs(1)).await;
            }
        }));
    }
    tokio::time::sleep(secs(3)).await;
    assert_eq!(load(&admission), (0, READERS), "in flight, not running");
    let start = admission.clock().now();
    answer(&admission, Streamed::default()).await;
    assert_eq!(admission.clock().now(), start, "both permits are free");
    for reader in readers {
        reader.await.unwrap();
    }
    assert_eq!(load(&admission), (0, 0));
}

/// Over real connections, where the body waits for the peer's window.
#[tokio::test]
async fn o8_peers_that_stop_reading_are_in_flight_until_they_hang_up() {
    const READERS: usize = 20;
    for version in VERSIONS {
        let admission = admission(PermitEnds::Head, Clock::system());
        let endless = async || {
            let chunk = Bytes::from(vec![b'x'; 64 * KIB]);
            let chunks = stream::repeat(chunk).map(Ok::<_, Infallible>);
            axum::body::Body::from_stream(chunks)
        };
        let app = Router::new()
            .route("/", get(async || "served"))
            .route("/endless", get(endless));
        let host = Host::new(Setup::default(), Some(&admission), app);
        let ask = |path| {
            let uri = format!("http://host{path}");
            Request::get(uri).body(axum::body::Body::empty()).unwrap()
        };
        let mut peers = Vec::new();
        for _ in 0..READERS {
            let mut connection = Connection::open(version, host.address).await;
            let response = connection.send(ask("/endless")).await.unwrap();
            peers.push((connection, response));
        }
        assert_eq!(load(&admission), (0, READERS), "{version:?}");
        let mut connection = Connection::open(version, host.address).await;
        let other = connection.send(ask("/")).await.unwrap();
        assert_eq!(other.status(), 200);
        other.into_body().collect().await.unwrap();

        drop(peers);
        within(secs(1), "hung up", || load(&admission) == (0, 0)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_body_is_passed_on_as_it_is() {
    let admission = admission(PermitEnds::Body, Clock::tokio());
    let full = Streamed::new(Full::from("abc"));
    let response = answer(&admission, full).await;
    assert_eq!(response.body().size_hint().exact(), Some(3));
    assert!(!response.body().is_end_stream());
    assert_eq!(load(&admission), (1, 1));
    let mut body = response.into_body();
    body.frame().await.unwrap().unwrap();
    assert!(body.is_end_stream());
    assert_eq!(load(&admission), (0, 0), "a reader need not ask again");

    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from_static("0"));
    let message = Full::from("abc").with_trailers({
        let trailers = trailers.clone();
        async { Some(Ok(trailers)) }
    });
    let response = answer(&admission, Streamed::new(message)).await;
    let collected = response.into_body().collect().await.unwrap();
    assert_eq!(collected.trailers(), Some(&trailers));
    assert_eq!(collected.to_bytes(), "abc");
    assert_eq!(load(&admission), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_response_without_a_body_is_over_with_its_head() {
    let admission = admission(PermitEnds::Body, Clock::tokio());
    let empty = Streamed::new(Full::default());
    let response = answer(&admission, empty).await;
    assert!(response.body().is_end_stream());
    assert_eq!(load(&admission), (0, 0), "though nobody read it");
    let mut body = response.into_body();
    let frame = poll_fn(|cx| std::pin::Pin::new(&mut body).poll_frame(cx)).await;
    assert!(frame.is_none());
    eventually("nothing waits", || admission.snapshot().waiting == 0).await;
}
