//! tonic's server with the instance as its layer.

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header::CONTENT_TYPE};
use tonic::{
    Status,
    body::Body as TonicBody,
    metadata::MetadataMap,
    server::{Grpc, UnaryService},
    transport::Server,
};
use tower::{Layer, Service};

use super::{GRPC_STATUS, STATUS, STREAMS, code, codec::Plain};
use crate::{
    live::server::{accept, send},
    wire::{Body, Link, Request},
};

/// Returns a server that never resets a connection for what its peers give up.
pub(in crate::live) fn server() -> Server {
    Server::builder()
        .http2_max_pending_accept_reset_streams(Some(STREAMS))
        .http2_max_local_error_reset_streams(Some(STREAMS))
}

/// Asks the instance before the method.
#[derive(Clone)]
pub(in crate::live) struct GateLayer(pub(in crate::live) Link);

/// A method behind its instance.
#[derive(Clone)]
pub(in crate::live) struct Gate<S> {
    link: Link,
    method: S,
}

/// The unary method: answers with what it was sent, and with the fields that the instance answered with.
#[derive(Clone, Copy, Debug)]
pub(in crate::live) struct Method;

/// The fields of the instance's response.
#[derive(Clone, Debug)]
struct Told(HeaderMap);

type Answering<E> = Pin<Box<dyn Future<Output = Result<http::Response<TonicBody>, E>> + Send>>;

impl<S> Layer<S> for GateLayer {
    type Service = Gate<S>;

    fn layer(&self, method: S) -> Gate<S> {
        Gate {
            link: Link::clone(&self.0),
            method,
        }
    }
}

impl<S> Service<http::Request<TonicBody>> for Gate<S>
where
    S: Service<http::Request<TonicBody>, Response = http::Response<TonicBody>>,
    S: Clone + Send + 'static,
    S::Future: Send,
{
    type Response = http::Response<TonicBody>;
    type Error = S::Error;
    type Future = Answering<S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.method.poll_ready(cx)
    }

    fn call(&mut self, request: http::Request<TonicBody>) -> Self::Future {
        let link = Link::clone(&self.link);
        let waiting = self.method.clone();
        // The one that was made ready is the one to call.
        let mut method = std::mem::replace(&mut self.method, waiting);
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let asked = Request::from_parts(parts.clone(), Body::empty());
            let response = send(&link, accept(asked)).await;
            let code = code(&response);
            let (mut head, _) = response.into_parts();
            if code.is_none() && !head.headers.contains_key(GRPC_STATUS) {
                let mut request = http::Request::from_parts(parts, body);
                request.extensions_mut().insert(Told(head.headers));
                return method.call(request).await;
            }
            if let Some(code) = code {
                let status = HeaderValue::from(head.status.as_u16());
                head.headers.insert(STATUS, status);
                head.headers.insert(GRPC_STATUS, code);
                head.status = http::StatusCode::OK;
            }
            let grpc = HeaderValue::from_static("application/grpc");
            head.headers.insert(CONTENT_TYPE, grpc);
            Ok(http::Response::from_parts(head, TonicBody::empty()))
        })
    }
}

impl Service<http::Request<TonicBody>> for Method {
    type Response = http::Response<TonicBody>;
    type Error = Infallible;
    type Future = Answering<Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<TonicBody>) -> Self::Future {
        Box::pin(async move { Ok(Grpc::new(Plain).unary(Self, request).await) })
    }
}

impl UnaryService<Bytes> for Method {
    type Response = Bytes;
    type Future = std::future::Ready<Result<tonic::Response<Bytes>, Status>>;

    fn call(&mut self, request: tonic::Request<Bytes>) -> Self::Future {
        let (_, mut extensions, message) = request.into_parts();
        let told = extensions.remove::<Told>().map(|Told(fields)| fields);
        let metadata = MetadataMap::from_headers(told.unwrap_or_default());
        let response = tonic::Response::from_parts(metadata, message, http::Extensions::new());
        std::future::ready(Ok(response))
    }
}
