//! A server as anybody would start it, on one worker thread so that its capacity is one core.

use std::{io, net::SocketAddr, time::Duration};

use super::{cores::Cores, policy::Protected};
use axum::Router;
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
    service::TowerToHyperService,
};
use tokio::{
    net::TcpListener,
    runtime::{Builder, Runtime},
};

/// Streams a HTTP/2 connection may have open: more than the load ever has, so that no request waits
/// in its client, where no server sees it.
const STREAMS: u32 = 2_000;

/// A running server; ends when dropped.
#[derive(Debug)]
pub(crate) struct Server {
    runtime: Option<Runtime>,
    address: SocketAddr,
}

impl Server {
    /// Starts to serve at `address`; port 0 takes any free one.
    pub(crate) fn start(
        address: SocketAddr,
        protected: Protected,
        cores: Cores,
    ) -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("server")
            .on_thread_start(move || cores.pin_server())
            .enable_all()
            .build()?;
        let listener = runtime.block_on(TcpListener::bind(address))?;
        let address = listener.local_addr()?;
        runtime.spawn(accept(listener, protected));
        Ok(Self {
            runtime: Some(runtime),
            address,
        })
    }

    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Only the request being worked on is waited for.
            runtime.shutdown_timeout(Duration::from_secs(1));
        }
    }
}

/// Accepts for ever. `axum::serve` would do, but for its limit of 200 streams a connection.
async fn accept(listener: TcpListener, protected: Protected) {
    let Protected { app, admission } = protected;
    loop {
        let Ok((tcp, _)) = listener.accept().await else {
            // Out of file descriptors, most likely: they come back, but not at once.
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        // A refusal must not wait for the acknowledgement of the answer before it; without the
        // option the connection is merely slower.
        drop(tcp.set_nodelay(true));
        let app = app.clone();
        match &admission {
            // Shows how long requests wait in the socket.
            Some(admission) => tokio::spawn(serve(TokioIo::new(admission.stamp(tcp)), app)),
            None => tokio::spawn(serve(TokioIo::new(tcp), app)),
        };
    }
}

async fn serve<I>(io: I, app: Router)
where
    I: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
{
    let mut http = auto::Builder::new(TokioExecutor::new());
    http.http2().max_concurrent_streams(STREAMS);
    // A connection that breaks is its peer's business.
    drop(
        http.serve_connection(io, TowerToHyperService::new(app))
            .await,
    );
}
