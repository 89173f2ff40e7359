//! How a callback gets to its receiver: over a socket, or into a service in the same process.

use std::{future::Future, pin::Pin, sync::Arc};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use tower_service::Service;
use wecom::BoxError;

/// A boxed exchange.
pub(super) type Exchange = Pin<Box<dyn Future<Output = Result<Response<Bytes>, BoxError>> + Send>>;

/// What carries requests.
pub(super) trait Post: Send + Sync {
    /// Sends a request and reads the answer.
    fn post(&self, request: Request<Full<Bytes>>) -> Exchange;
}

/// Any tower service.
struct Tower<S>(S);

// === impl Tower ===

impl<S, B> Post for Tower<S>
where
    S: Service<Request<Full<Bytes>>, Response = Response<B>> + Clone + Send + Sync + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
    B: Body<Data = Bytes> + Send,
    B::Error: Into<BoxError>,
{
    fn post(&self, request: Request<Full<Bytes>>) -> Exchange {
        let mut service = self.0.clone();
        Box::pin(async move {
            std::future::poll_fn(|context| service.poll_ready(context))
                .await
                .map_err(Into::into)?;
            let response = service.call(request).await.map_err(Into::into)?;
            let (head, body) = response.into_parts();
            let body = Limited::new(body, LONGEST_ANSWER).collect();
            let body = body.await?.to_bytes();
            Ok(Response::from_parts(head, body))
        })
    }
}

/// Returns what posts over sockets.
pub(super) fn network() -> Arc<dyn Post> {
    let client: Client<_, Full<Bytes>> = Client::builder(TokioExecutor::new()).build_http();
    Arc::new(Tower(client))
}

/// Returns what posts into a service.
pub(super) fn service<S, B>(service: S) -> Arc<dyn Post>
where
    S: Service<Request<Full<Bytes>>, Response = Response<B>> + Clone + Send + Sync + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    Arc::new(Tower(service))
}

/// In bytes. Nothing that a callback is answered with is nearly as long.
const LONGEST_ANSWER: usize = 64 * 1024;
