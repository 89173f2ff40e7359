//! Real connections on loopback: a server on a runtime of its own, and clients that can hang up.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "every test binary uses its own part"
)]

use std::net::SocketAddr;

use axum::{Router, body::Body};
use dagor::Admission;
use http::{Request, Response};
use hyper::{
    body::Incoming,
    client::conn::{http1, http2},
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    runtime::{self, Runtime},
    task::AbortHandle,
};

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Version {
    Http1,
    Http2,
}

pub const VERSIONS: [Version; 2] = [Version::Http1, Version::Http2];

/// How a [`Host`] is set up.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    pub workers: usize,
    /// tokio's own default is 61.
    pub event_interval: u32,
    /// HTTP/2 streams that one connection may have open.
    pub streams: u32,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            workers: 1,
            event_interval: 61,
            streams: 100_000,
        }
    }
}

/// A server on a runtime of its own; dropping it ends both at once.
pub struct Host {
    pub address: SocketAddr,
    runtime: Option<Runtime>,
}

impl Host {
    /// Serves `app`, behind `admission` if there is one.
    pub fn new(setup: Setup, admission: Option<&Admission>, app: Router) -> Self {
        let runtime = runtime::Builder::new_multi_thread()
            .worker_threads(setup.workers)
            .event_interval(setup.event_interval)
            .enable_all()
            .build()
            .unwrap();
        let tcp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        tcp.set_nonblocking(true).unwrap();
        let address = tcp.local_addr().unwrap();
        let app = match admission {
            Some(admission) => app.layer(admission.layer()),
            None => app,
        };
        let admission = admission.cloned();
        runtime.spawn(async move {
            let tcp = TcpListener::from_std(tcp).unwrap();
            let mut builder = auto::Builder::new(TokioExecutor::new());
            builder.http2().max_concurrent_streams(setup.streams);
            while let Ok((stream, _)) = tcp.accept().await {
                stream.set_nodelay(true).unwrap();
                let (builder, service) = (builder.clone(), TowerToHyperService::new(app.clone()));
                match &admission {
                    Some(admission) => {
                        let io = TokioIo::new(admission.stamp(stream));
                        tokio::spawn(async move { builder.serve_connection(io, service).await });
                    }
                    None => {
                        let io = TokioIo::new(stream);
                        tokio::spawn(async move { builder.serve_connection(io, service).await });
                    }
                }
            }
        });
        Self {
            address,
            runtime: Some(runtime),
        }
    }

    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.runtime.as_ref().unwrap().spawn(task);
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// One connection of a client; dropping it hangs up.
#[derive(Debug)]
pub struct Connection {
    sender: Sender,
    driver: AbortHandle,
}

#[derive(Debug)]
enum Sender {
    One(http1::SendRequest<Body>),
    Two(http2::SendRequest<Body>),
}

impl Connection {
    pub async fn open(version: Version, address: SocketAddr) -> Self {
        let tcp = TcpStream::connect(address).await.unwrap();
        tcp.set_nodelay(true).unwrap();
        let io = TokioIo::new(tcp);
        match version {
            Version::Http1 => {
                let (send, driver) = http1::handshake(io).await.unwrap();
                Self {
                    sender: Sender::One(send),
                    driver: tokio::spawn(driver).abort_handle(),
                }
            }
            Version::Http2 => {
                let (send, driver) = http2::Builder::new(TokioExecutor::new())
                    .initial_max_send_streams(100_000)
                    .max_concurrent_reset_streams(100_000)
                    .handshake(io)
                    .await
                    .unwrap();
                Self {
                    sender: Sender::Two(send),
                    driver: tokio::spawn(driver).abort_handle(),
                }
            }
        }
    }

    /// Whether several requests can be under way at once.
    pub const fn is_shared(&self) -> bool {
        matches!(self.sender, Sender::Two(_))
    }

    /// Sends a request. The future does not borrow the connection; on HTTP/2, dropping it resets the
    /// stream.
    pub fn send(
        &mut self,
        request: Request<Body>,
    ) -> impl Future<Output = hyper::Result<Response<Incoming>>> + Send + 'static {
        let sent: std::pin::Pin<Box<dyn Future<Output = _> + Send>> = match &mut self.sender {
            Sender::One(send) => Box::pin(send.send_request(request)),
            Sender::Two(send) => {
                let mut send = send.clone();
                Box::pin(async move {
                    send.ready().await?;
                    send.send_request(request).await
                })
            }
        };
        sent
    }

    pub async fn ready(&mut self) -> hyper::Result<()> {
        match &mut self.sender {
            Sender::One(send) => send.ready().await,
            Sender::Two(send) => send.ready().await,
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}
