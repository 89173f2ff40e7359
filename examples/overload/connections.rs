//! The caller's connections, opened before the load begins, as a tower service.

use std::{
    error::Error,
    fmt,
    future::Future,
    net::SocketAddr,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};

use axum::http::{self, HeaderValue, Request, Response, Uri, header::HOST, uri::PathAndQuery};
use http_body_util::{BodyExt, Collected, Empty, Full};
use hyper::{
    body::Bytes,
    client::conn::{http1, http2},
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tower::Service;

use super::BoxError;

pub(crate) type RequestBody = Empty<Bytes>;
pub(crate) type ResponseBody = Full<Bytes>;

/// Calls that may be under way at once, over HTTP/1 one per connection. A caller with more to send has
/// no connection left: the load is bounded even where the service is not.
pub(crate) const MOST_CALLS: usize = 1_000;

/// Connections that HTTP/2 shares its calls over.
const HTTP2_CONNECTIONS: usize = 4;

/// Connections opened before the server is asked whether it took them: when the system's queue of
/// connections runs over, the next one waits a second before it is tried again.
const AT_ONCE: usize = 50;

/// Which protocol the load speaks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Protocol {
    Http1,
    Http2,
}

/// A set of connections to one address. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Connections(Arc<Shared>);

/// All connections are in use, the call was not sent.
#[derive(Debug)]
pub(crate) struct NoConnection;

#[derive(Debug)]
struct Shared {
    address: SocketAddr,
    protocol: Protocol,
    /// Each is taken out for a call and put back after it; a broken one is replaced in the background.
    free: Mutex<Vec<Connection>>,
}

/// Room for one call.
#[derive(Debug)]
enum Connection {
    Http1(http1::SendRequest<RequestBody>),
    Http2(http2::SendRequest<RequestBody>),
}

// === impl Connections ===

impl Connections {
    /// Opens connections for `calls` calls at a time.
    pub(crate) async fn open(
        address: SocketAddr,
        protocol: Protocol,
        calls: usize,
    ) -> Result<Self, BoxError> {
        let mut free = Vec::with_capacity(calls);
        match protocol {
            Protocol::Http1 => {
                for number in 1..=calls {
                    let mut connection = http1(address).await?;
                    if number % AT_ONCE == 0 {
                        connection.exchange(ready(address)?, address).await?;
                    }
                    free.push(connection);
                }
            }
            Protocol::Http2 => {
                let mut shared = Vec::new();
                for _ in 0..HTTP2_CONNECTIONS {
                    shared.push(http2(address).await?);
                }
                free.extend(
                    shared
                        .iter()
                        .cycle()
                        .take(calls)
                        .map(|sender| Connection::Http2(sender.clone())),
                );
            }
        }
        Ok(Self(Arc::new(Shared {
            address,
            protocol,
            free: Mutex::new(free),
        })))
    }

    async fn send(self, request: Request<RequestBody>) -> Result<Response<ResponseBody>, BoxError> {
        let connection = self.free().pop();
        let Some(mut connection) = connection else {
            return Err(Box::new(NoConnection));
        };
        match connection.exchange(request, self.0.address).await {
            Ok(response) => {
                self.free().push(connection);
                Ok(response)
            }
            Err(error) => {
                drop(connection);
                tokio::spawn(self.replace());
                Err(error)
            }
        }
    }

    /// Makes room for another call in place of a connection that broke, unless the server is gone.
    async fn replace(self) {
        let connection = match self.0.protocol {
            Protocol::Http1 => http1(self.0.address).await,
            Protocol::Http2 => match self.live() {
                Some(live) => Ok(live),
                None => http2(self.0.address).await.map(Connection::Http2),
            },
        };
        if let Ok(connection) = connection {
            self.free().push(connection);
        }
    }

    /// Returns room on a shared connection that still works.
    fn live(&self) -> Option<Connection> {
        self.free().iter().find_map(|connection| match connection {
            Connection::Http2(sender) if !sender.is_closed() => {
                Some(Connection::Http2(sender.clone()))
            }
            Connection::Http1(_) | Connection::Http2(_) => None,
        })
    }

    fn free(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.0.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Service<Request<RequestBody>> for Connections {
    type Response = Response<ResponseBody>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<RequestBody>) -> Self::Future {
        Box::pin(self.clone().send(request))
    }
}

// === impl Connection ===

impl Connection {
    /// Sends a request and reads the answer to its end, so that the connection is free again.
    async fn exchange(
        &mut self,
        mut request: Request<RequestBody>,
        address: SocketAddr,
    ) -> Result<Response<ResponseBody>, BoxError> {
        let (head, body) = match self {
            Self::Http1(sender) => {
                let host = HeaderValue::from_str(&address.to_string())?;
                request.headers_mut().insert(HOST, host);
                let path = request.uri().path_and_query().cloned();
                *request.uri_mut() =
                    Uri::from(path.unwrap_or_else(|| PathAndQuery::from_static("/")));
                sender.ready().await?;
                sender.send_request(request).await?.into_parts()
            }
            Self::Http2(sender) => sender.send_request(request).await?.into_parts(),
        };
        let body = body.collect().await.map(Collected::to_bytes)?;
        Ok(Response::from_parts(head, Full::new(body)))
    }
}

/// Returns a request that no policy counts.
fn ready(address: SocketAddr) -> http::Result<Request<RequestBody>> {
    let uri = format!("http://{address}/readyz");
    Request::get(uri).body(Empty::new())
}

async fn http1(address: SocketAddr) -> Result<Connection, BoxError> {
    let io = TokioIo::new(connect(address).await?);
    let (sender, connection) = http1::handshake(io).await?;
    tokio::spawn(connection);
    Ok(Connection::Http1(sender))
}

async fn http2(address: SocketAddr) -> Result<http2::SendRequest<RequestBody>, BoxError> {
    let io = TokioIo::new(connect(address).await?);
    let (sender, connection) = http2::handshake(TokioExecutor::new(), io).await?;
    tokio::spawn(connection);
    Ok(sender)
}

async fn connect(address: SocketAddr) -> Result<TcpStream, BoxError> {
    let tcp = TcpStream::connect(address).await?;
    tcp.set_nodelay(true)?;
    Ok(tcp)
}

// === impl NoConnection ===

impl fmt::Display for NoConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "all {MOST_CALLS} connections are in use")
    }
}

impl Error for NoConnection {}
