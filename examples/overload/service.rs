//! The service to be protected: one route that burns CPU and says how long each request waited.

use std::time::Duration;

use axum::{
    Extension, Router,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue},
    routing::get,
};
use dagor::Clock;
use tower::util::MapRequestLayer;

use super::work::Work;

/// When the caller sent the request, in nanoseconds of [`Clock::now`]: caller and service share the
/// process, hence the clock.
pub(crate) const SENT: HeaderName = HeaderName::from_static("x-sent-ns");
/// How long the request was on its way to the protecting layer, in nanoseconds.
pub(crate) const BEFORE: HeaderName = HeaderName::from_static("x-before-ns");
/// How long it took from the protecting layer to the handler, in nanoseconds.
pub(crate) const INSIDE: HeaderName = HeaderName::from_static("x-inside-ns");

/// When a request came to the layer, and how long it had been under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived {
    at: Duration,
    before: Duration,
}

/// Returns the unprotected service.
pub(crate) fn unprotected(work: Work) -> Router {
    Router::new()
        .route("/", get(handle))
        .route("/readyz", get(|| async {}))
        .with_state(work)
}

/// Notes the moment of arrival in front of whatever protects `app`.
pub(crate) fn stamped(app: Router) -> Router {
    app.layer(MapRequestLayer::new(|mut request: Request| {
        let at = Clock::system().now();
        let before = at.saturating_sub(nanos(request.headers(), &SENT).unwrap_or(at));
        request.extensions_mut().insert(Arrived { at, before });
        request
    }))
}

async fn handle(
    State(work): State<Work>,
    Extension(arrived): Extension<Arrived>,
) -> ([(HeaderName, HeaderValue); 2], &'static str) {
    let waits = arrived.waits();
    work.burn();
    (waits, "done\n")
}

impl Arrived {
    /// Returns the waits of a request whose work begins now, as fields of its response.
    pub(crate) fn waits(self) -> [(HeaderName, HeaderValue); 2] {
        let inside = Clock::system().now().saturating_sub(self.at);
        [(BEFORE, value(self.before)), (INSIDE, value(inside))]
    }
}

/// Returns a duration as the value of a field.
pub(crate) fn value(duration: Duration) -> HeaderValue {
    HeaderValue::from(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
}

/// Returns the duration in a field that [`value`] wrote.
pub(crate) fn nanos(headers: &HeaderMap, name: &HeaderName) -> Option<Duration> {
    let text = headers.get(name)?.to_str().ok()?;
    text.parse().ok().map(Duration::from_nanos)
}
