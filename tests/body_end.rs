//! Corners of the server layer, through the public API.
#![cfg(feature = "http")]
#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::{
    convert::Infallible,
    num::NonZeroUsize,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use dagor::{
    Admission, Clock, Concurrency, Level, PermitEnds, Settings,
    observe::{Observer, WindowClosed},
};
use http::{HeaderMap, Request, Response};
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use tower::{ServiceBuilder, ServiceExt, service_fn};

/// Data, then trailers, and no word on when it ends: like a stream of frames.
struct Stream(Vec<Frame<Bytes>>);

impl Body for Stream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.pop().map(Ok))
    }
}

/// Keeps the level after each window.
#[derive(Clone, Default)]
struct Ear(Arc<Mutex<Vec<Level>>>);

impl Observer for Ear {
    fn window_closed(&self, _: &str, window: &WindowClosed) {
        self.0.lock().unwrap().push(window.level);
    }
}

/// Returns the level after a window of 100 requests that waited too long and were answered with `response`,
/// of which `read` is read.
async fn level_after<R>(
    response: fn() -> Response<Stream>,
    read: fn(dagor::server::body::Body<Stream>) -> R,
) -> Level
where
    R: Future<Output = ()>,
{
    let ear = Ear::default();
    let (clock, hand) = Clock::manual();
    let settings = Settings {
        permit_ends: PermitEnds::Body,
        concurrency: Concurrency::Fixed(NonZeroUsize::new(1000).unwrap()),
        ..Settings::default()
    };
    let builder = Admission::builder("orders").clock(clock).settings(settings);
    let source = || Some(Duration::from_millis(100));
    let admission = builder
        .source(source)
        .observer(ear.clone())
        .build()
        .unwrap();
    let handler = move |_: Request<()>| async move { Ok::<_, Infallible>(response()) };
    let service = ServiceBuilder::new()
        .layer(admission.layer())
        .service(service_fn(handler));
    for _ in 0..100 {
        let response = service.clone().oneshot(Request::new(())).await.unwrap();
        read(response.into_body()).await;
    }
    hand.advance(Duration::from_millis(100));
    drop(admission.snapshot());
    ear.0.lock().unwrap()[0]
}

/// 95 % of what was served, all of it in the last of 8 businesses. If nothing counted as served, one such
/// window would take the level to the bottom.
const ALL_SERVED: u32 = 7 * 32_768 + 30_000;

fn data() -> Frame<Bytes> {
    Frame::data(Bytes::from_static(b"data"))
}

/// Whoever writes a body drops it after its trailers and does not ask for one frame more.
#[tokio::test]
async fn trailers_end_a_body_that_holds_its_permit() {
    let response = || Response::new(Stream(vec![Frame::trailers(HeaderMap::new()), data()]));
    let level = level_after(response, |mut body| async move {
        while !body.frame().await.unwrap().unwrap().is_trailers() {}
    });
    let level = level.await;
    assert!(level.get() > ALL_SERVED, "{level:?}");
}

/// Nor, on HTTP/1, once as much was written as the head announced.
#[tokio::test]
async fn the_length_announced_ends_a_body_that_holds_its_permit() {
    let response = || {
        let response = Response::builder().header("content-length", 8);
        response.body(Stream(vec![data(), data()])).unwrap()
    };
    let level = level_after(response, |mut body| async move {
        for _ in 0..2 {
            drop(body.frame().await);
        }
    });
    let level = level.await;
    assert!(level.get() > ALL_SERVED, "{level:?}");

    let level = level_after(response, |mut body| async move { drop(body.frame().await) }).await;
    assert!(level.get() < ALL_SERVED, "hung up half-way: {level:?}");
}
