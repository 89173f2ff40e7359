//! What the tests of the router share: requests, answers, a log to make events durable in, bodies in pieces.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    http::{Method, Request, Response, StatusCode},
};
use http_body::Frame;
use http_body_util::BodyExt;
use tokio::time::Sleep;
use tower::ServiceExt;
use wecom::callback::{Delivery, Identity};

/// The identities that a handler has made durable, in order, and whether they were marked.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<(Identity, bool)>>>);

/// A body in pieces of 1 KiB, without a length; counts what was read of it.
pub(crate) struct Pieces {
    read: Arc<AtomicUsize>,
    left: usize,
    /// How long each piece takes.
    pause: Option<Pin<Box<Sleep>>>,
}

// === impl Log ===

impl Log {
    pub(crate) fn append(&self, delivery: &Delivery) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.push((delivery.identity, delivery.seen_before));
    }

    pub(crate) fn entries(&self) -> Vec<(Identity, bool)> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

// === impl Pieces ===

impl Pieces {
    pub(crate) fn new(read: &Arc<AtomicUsize>, pieces: usize) -> Self {
        Self {
            read: Arc::clone(read),
            left: pieces,
            pause: None,
        }
    }

    /// The first piece comes after this time, and each other one after 300 ms.
    pub(crate) fn slowly(mut self, first: Duration) -> Self {
        self.pause = Some(Box::pin(tokio::time::sleep(first)));
        self
    }
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(pause) = &mut self.pause {
            std::task::ready!(pause.as_mut().poll(cx));
            self.pause = Some(Box::pin(tokio::time::sleep(Duration::from_millis(300))));
        }
        if self.left == 0 {
            return Poll::Ready(None);
        }
        self.left -= 1;
        self.read.fetch_add(1, Ordering::Relaxed);
        let piece = Bytes::from_static(&[b' '; 1024]);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }
}

pub(crate) fn post((query, body): &(String, String)) -> Request<Body> {
    request(Method::POST, query, Body::from(body.clone()))
}

pub(crate) fn request(method: Method, query: &str, body: Body) -> Request<Body> {
    let request = Request::builder().method(method).uri(format!("/?{query}"));
    request.body(body).expect("a good request")
}

pub(crate) async fn send(router: &Router, request: Request<Body>) -> Response<Body> {
    let response = router.clone().oneshot(request).await;
    response.expect("a router is infallible")
}

/// Returns the status of the answer, which has no body.
pub(crate) async fn status(router: &Router, request: Request<Body>) -> StatusCode {
    let response = send(router, request).await;
    let status = response.status();
    if status != StatusCode::METHOD_NOT_ALLOWED {
        assert_eq!(text(response).await, "", "no body with {status}");
    }
    status
}

pub(crate) async fn text(response: Response<Body>) -> String {
    let body = response.into_body().collect().await.expect("a whole body");
    String::from_utf8_lossy(&body.to_bytes()).into_owned()
}

/// What `answer` is, and how long it takes on the runtime's clock.
pub(crate) async fn timed<T>(answer: impl Future<Output = T>) -> (T, Duration) {
    #[expect(clippy::disallowed_methods, reason = "the runtime's paused clock")]
    let begun = tokio::time::Instant::now();
    let answer = answer.await;
    #[expect(clippy::disallowed_methods, reason = "the runtime's paused clock")]
    let took = begun.elapsed();
    (answer, took)
}
