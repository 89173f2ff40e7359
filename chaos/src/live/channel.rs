//! The caller's side: a link that sends over a socket.

use std::{
    fmt,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicU16, Ordering::Relaxed},
    },
};

use http::Uri;
use http_body_util::BodyExt as _;
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};

use super::{call, grpc::GrpcChannel};
use crate::{
    scenario::Protocol,
    wire::{Answer, Answering, Body, Call, Exchange, Link, Request, Unreachable},
};

/// Where an instance listens on loopback, or did when it was alive. Clones are one.
#[derive(Clone, Default)]
pub(super) struct Address(Arc<AtomicU16>);

/// Returns a channel to whoever listens there; its connections belong to the runtimes that it is used on.
pub(super) fn channel(protocol: Protocol, to: Address) -> Link {
    match protocol {
        Protocol::Http => Arc::new(HttpChannel::new(to)),
        Protocol::Grpc => Arc::new(GrpcChannel::new(to)),
    }
}

/// Connections over HTTP/1, kept alive, as many as there are calls at once.
struct HttpChannel {
    client: Client<HttpConnector, Body>,
    to: Address,
}

// === impl Address ===

impl Address {
    /// Returns the address; nobody listens at port 0, where nobody ever did.
    pub(super) fn get(&self) -> SocketAddr {
        SocketAddr::from((Ipv4Addr::LOCALHOST, self.0.load(Relaxed)))
    }

    /// Sets it.
    pub(super) fn set(&self, address: SocketAddr) {
        self.0.store(address.port(), Relaxed);
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

// === impl HttpChannel ===

impl HttpChannel {
    fn new(to: Address) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Self { client, to }
    }
}

impl Exchange for HttpChannel {
    fn send(&self, request: Request) -> Answering {
        let (client, to) = (self.client.clone(), self.to.get());
        Box::pin(exchange(client, to, request))
    }
}

async fn exchange(client: Client<HttpConnector, Body>, to: SocketAddr, request: Request) -> Answer {
    let mut request = depart(request);
    let path = request
        .uri()
        .path_and_query()
        .map_or("/", |path| path.as_str());
    *request.uri_mut() = Uri::try_from(format!("http://{to}{path}"))?;
    let answer = client.request(request).await;
    let response = answer.map_err(|error| -> dagor::client::BoxError {
        if error.is_connect() {
            Unreachable.into()
        } else {
            error.into()
        }
    })?;
    // A connection is free for the next call when the response was read to its end.
    let (parts, body) = response.into_parts();
    let body = body.collect().await?.to_bytes();
    Ok(http::Response::from_parts(parts, Body::full(body)))
}

/// Moves whose call it is from the extensions to the fields; the other extensions stay behind.
pub(super) fn depart(mut request: Request) -> Request {
    let call = request.extensions_mut().remove::<Call>();
    request.extensions_mut().clear();
    if let Some(call) = call {
        call::write(request.headers_mut(), &call);
    }
    request
}
