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

/// Whoever writes HTTP/2 (gRPC above all) drops a body after its trailers and does not ask for one frame
/// more. If that counted as hanging up, nothing would count as served, and one overloaded window took the
/// level to the bottom.
#[tokio::test]
async fn trailers_end_a_body_that_holds_its_permit() {
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
    let service = ServiceBuilder::new()
        .layer(admission.layer())
        .service(service_fn(|_: Request<()>| async {
            let frames = vec![
                Frame::trailers(HeaderMap::new()),
                Frame::data(Bytes::from_static(b"data")),
            ];
            Ok::<_, Infallible>(Response::new(Stream(frames)))
        }));
    for _ in 0..100 {
        let response = service.clone().oneshot(Request::new(())).await.unwrap();
        let mut body = response.into_body();
        while !body.frame().await.unwrap().unwrap().is_trailers() {}
    }
    hand.advance(Duration::from_millis(100));
    drop(admission.snapshot());
    let level = ear.0.lock().unwrap()[0];
    // 95 % of what was served, all of it in the last of 8 businesses.
    assert!(level.get() > 7 * 32_768 + 30_000, "{level:?}");
}
