//! An instance behind a socket: axum's server or tonic's, as anybody would start them.

use std::{fmt, io, net::SocketAddr};

use axum::{Router, body::Body as AxumBody, serve::Listener};
use dagor::Admission;
use futures_util::Stream;
use http_body_util::BodyExt as _;
use tokio::{runtime::Handle, task::AbortHandle};
use tokio_util::sync::DropGuard;
use tonic::transport::server::Connected;

use super::{call, grpc, socket::Incoming};
use crate::{
    scenario::Protocol,
    wire::{self, Body, Link, Request, Response},
};

/// A process that listens. Dropped, it is dead: its port refuses, its connections are reset, and what was under way
/// there is lost.
pub(super) struct Server {
    accepting: AbortHandle,
    _dead: DropGuard,
}

impl Server {
    /// Starts to serve on this runtime, which is the listener's. Whoever wants to see the waits in the sockets does.
    pub(super) fn start(
        runtime: &Handle,
        incoming: Incoming,
        (protocol, link): (Protocol, Link),
        watcher: Option<&Admission>,
    ) -> Self {
        let dead = incoming.dead().drop_guard();
        let accepting = match (protocol, watcher) {
            (Protocol::Http, None) => runtime.spawn(http(incoming, link)),
            (Protocol::Http, Some(seen)) => runtime.spawn(http(seen.listener(incoming), link)),
            (Protocol::Grpc, None) => runtime.spawn(grpc(incoming, link)),
            (Protocol::Grpc, Some(seen)) => runtime.spawn(grpc(seen.incoming(incoming), link)),
        };
        Self {
            accepting: accepting.abort_handle(),
            _dead: dead,
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").finish_non_exhaustive()
    }
}

/// Serves HTTP until it is aborted; a connection that breaks is its peer's business.
async fn http<L>(listener: L, link: Link)
where
    L: Listener<Addr = SocketAddr>,
{
    let app = Router::new().fallback(move |request: axum::extract::Request| {
        let link = Link::clone(&link);
        async move { respond(link, request).await.map(AxumBody::new) }
    });
    drop(axum::serve(listener, app).await);
}

/// Serves gRPC until it is aborted.
async fn grpc<S, Io>(incoming: S, link: Link)
where
    S: Stream<Item = io::Result<Io>>,
    Io: Connected + tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let server = grpc::server().layer(grpc::GateLayer(link));
    drop(server.serve_with_incoming(grpc::Method, incoming).await);
}

/// Passes a request on. What fails without an answer breaks nothing but the request: its caller hears 500.
async fn respond(link: Link, request: axum::extract::Request) -> Response {
    let (parts, body) = request.into_parts();
    // A caller that went away in the middle does not want to know.
    let Ok(body) = body.collect().await else {
        return wire::respond(http::StatusCode::BAD_REQUEST);
    };
    let request = accept(Request::from_parts(parts, Body::full(body.to_bytes())));
    send(&link, request).await
}

/// Moves whose call it is from the fields to the extensions.
pub(super) fn accept(mut request: Request) -> Request {
    if let Some(call) = call::take(request.headers_mut()) {
        request.extensions_mut().insert(call);
    }
    request
}

/// Sends it on; what fails without a response is one of status 500.
pub(super) async fn send(link: &Link, request: Request) -> Response {
    let answer = link.send(request).await;
    answer.unwrap_or_else(|_| wire::respond(http::StatusCode::INTERNAL_SERVER_ERROR))
}
