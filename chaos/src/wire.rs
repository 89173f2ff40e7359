//! What travels between services, and the one interface that everything which carries it has.
//!
//! A [`Link`] takes a request and gives a response some time later. A channel to an instance, a policy around
//! it, the work itself: all are links, in both engines, so that they can be stacked in any order. Tower's
//! services come in through [`tower_link`] and go out through [`LinkService`].

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use dagor::client::BoxError;
use http::{HeaderName, StatusCode};
use http_body::{Frame, SizeHint};
use tower::{Service, ServiceExt as _};

/// A request between services.
pub type Request = http::Request<Body>;
/// A response.
pub type Response = http::Response<Body>;
/// What a link gives.
pub type Answer = Result<Response, BoxError>;
/// A future of it.
pub type Answering = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// Where requests go.
pub trait Exchange: Send + Sync {
    /// Sends a request. Dropping the future gives the call up.
    ///
    /// Errors are for what never got an answer: withheld ([`dagor::error::is_withheld`] or [`Withheld`]),
    /// [`Unreachable`], broken. A refusal by the callee is a response.
    fn send(&self, request: Request) -> Answering;

    /// How loaded the instance at the other end is, for a choice between two; 0 if that is not known.
    fn load(&self) -> u64 {
        0
    }

    /// Whether [`load`](Self::load) is known. Where it is not, callers go by what they have outstanding.
    fn knows_load(&self) -> bool {
        false
    }
}

/// Shared by everybody who sends there.
pub type Link = Arc<dyn Exchange>;

/// The field that marks a refusal by the callee: nothing was done.
pub const REFUSED: HeaderName = HeaderName::from_static("chaos-refused");
/// The field in which peers send something with a request.
pub const ASK: HeaderName = HeaderName::from_static("chaos-ask");
/// The field in which peers send something with every response.
pub const TOLD: HeaderName = HeaderName::from_static("chaos-told");

/// Whose call it is: in the extensions of every request, whatever the policy.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Call {
    /// A number for the task, unique in a run.
    pub task: u64,
    /// The business's place in the scenario.
    pub business: usize,
    /// Its number: 0 is the most important.
    pub number: u8,
    /// The user, from 0.
    pub user: u32,
    /// Where the user stands in the business this hour, 0 (first) to 32767: 7 bits of level and 8 below. What
    /// peers with priorities go by, so that all policies rank the same users the same.
    pub place: u16,
    /// When the client gives up, since the start of the run.
    pub deadline: Duration,
    /// Chance drawn once for the whole task: how many calls it makes, whether it makes optional ones.
    pub draw: u64,
}

/// A call that the policy of the caller did not send. Dagor has its own.
#[derive(Clone, Copy, Debug)]
pub struct Withheld;

/// A call that reached nobody.
#[derive(Clone, Copy, Debug)]
pub struct Unreachable;

/// The body of requests and responses: nothing, or some bytes.
#[derive(Clone, Debug, Default)]
pub struct Body(Option<Bytes>);

/// How a call ended, for whoever counts or decides on a retry.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Ending {
    /// Served.
    Served,
    /// The callee refused to begin.
    Refused,
    /// The caller did not send it.
    Withheld,
    /// It was begun and failed, or nobody answered.
    Failed,
}

// === impl Ending ===

impl Ending {
    /// Returns how a call ended.
    #[must_use]
    pub fn of(answer: &Answer) -> Self {
        match answer {
            Ok(response) if response.status().is_success() && !is_grpc_refusal(response) => {
                Self::Served
            }
            Ok(response) if is_refusal(response) => Self::Refused,
            Ok(_) => Self::Failed,
            Err(error) if error.is::<Withheld>() || dagor::error::is_withheld(error.as_ref()) => {
                Self::Withheld
            }
            Err(_) => Self::Failed,
        }
    }
}

/// Returns whether the callee refused to begin.
#[must_use]
pub fn is_refusal(response: &Response) -> bool {
    matches!(
        response.status(),
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS
    ) || response.headers().contains_key(REFUSED)
        || is_grpc_refusal(response)
}

/// Ready for the header map, so that looking it up does not parse it again for each response.
static GRPC_STATUS: HeaderName = HeaderName::from_static("grpc-status");

/// gRPC's RESOURCE_EXHAUSTED in the head of a response without a message.
fn is_grpc_refusal(response: &Response) -> bool {
    let status = response.headers().get(&GRPC_STATUS);
    status.is_some_and(|status| status == "8")
}

/// Returns a response with nothing in it.
#[must_use]
pub fn respond(status: StatusCode) -> Response {
    let mut response = Response::default();
    *response.status_mut() = status;
    response
}

/// Returns the response of a callee that refuses.
#[must_use]
pub fn refuse() -> Response {
    let mut response = respond(StatusCode::SERVICE_UNAVAILABLE);
    let yes = http::HeaderValue::from_static("1");
    response.headers_mut().insert(REFUSED, yes);
    response
}

// === impl Body ===

impl Body {
    /// A body of nothing.
    #[must_use]
    pub const fn empty() -> Self {
        Self(None)
    }

    /// A body of these bytes.
    #[must_use]
    pub fn full(bytes: impl Into<Bytes>) -> Self {
        Self(Some(bytes.into()).filter(|bytes| !bytes.is_empty()))
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        // Lossless: usize has at most 64 bits.
        SizeHint::with_exact(self.0.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }
}

// === Errors ===

impl fmt::Display for Withheld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("withheld by the caller")
    }
}

impl std::error::Error for Withheld {}

impl fmt::Display for Unreachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nobody there")
    }
}

impl std::error::Error for Unreachable {}

// === Tower ===

/// A link as a tower service, for layers to go around.
#[derive(Clone)]
pub struct LinkService(pub Link);

impl Service<Request> for LinkService {
    type Response = Response;
    type Error = BoxError;
    type Future = Answering;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Answering {
        self.0.send(request)
    }
}

impl fmt::Debug for LinkService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LinkService")
    }
}

/// A tower service as a link: cloned for each request, made ready, called. The response's body is dropped.
pub fn tower_link<S, B>(service: S) -> Link
where
    S: Service<Request, Response = http::Response<B>> + Clone + Send + Sync + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send,
    B: Send,
{
    Arc::new(TowerLink(service))
}

struct TowerLink<S>(S);

impl<S, B> Exchange for TowerLink<S>
where
    S: Service<Request, Response = http::Response<B>> + Clone + Send + Sync + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send,
    B: Send,
{
    fn send(&self, request: Request) -> Answering {
        let service = self.0.clone();
        Box::pin(async move {
            let response = service.oneshot(request).await.map_err(Into::into)?;
            Ok(response.map(|_| Body::empty()))
        })
    }
}
