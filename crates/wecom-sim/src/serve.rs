//! A listener of the simulation's own: HTTP/1.1 with keep-alive, on any address.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    sync::watch,
};

use crate::{
    CallerIp, SimService,
    world::{World, hour},
};

/// A listener that serves until it is stopped or dropped; its connections end with it.
#[derive(Debug)]
pub struct Running {
    addr: SocketAddr,
    /// Closed when dropped.
    alive: watch::Sender<()>,
}

/// A connection that can be reset.
struct Line {
    stream: TcpStream,
    reset: Arc<AtomicBool>,
}

// === impl Running ===

impl Running {
    pub(crate) fn start(service: SimService, listener: TcpListener) -> io::Result<Self> {
        let addr = listener.local_addr()?;
        let (alive, ended) = watch::channel(());
        tokio::spawn(rest(service.world().clone(), ended.clone()));
        tokio::spawn(accept(service, listener, ended));
        Ok(Self { addr, alive })
    }

    /// Returns where it listens.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Stops it, closes its connections, and waits until they are.
    pub async fn stop(self) {
        let Self { alive, .. } = self;
        // Every task holds a receiver until it ends; they are told by the change.
        alive.send_replace(());
        alive.closed().await;
    }
}

async fn accept(service: SimService, listener: TcpListener, mut ended: watch::Receiver<()>) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = ended.changed() => return,
        };
        match accepted {
            Ok((stream, peer)) => {
                tokio::spawn(connection(service.clone(), stream, peer, ended.clone()));
            }
            // No file descriptors left: some will be given back. An aborted connection: the next one is at hand.
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

async fn connection(
    service: SimService,
    stream: TcpStream,
    peer: SocketAddr,
    mut ended: watch::Receiver<()>,
) {
    // Small answers must not wait for more; where it fails they are merely later.
    let _ = stream.set_nodelay(true);
    let reset = Arc::new(AtomicBool::new(false));
    let line = Line {
        stream,
        reset: Arc::clone(&reset),
    };
    let answer = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(CallerIp(peer.ip()));
        let (service, reset) = (service.clone(), Arc::clone(&reset));
        async move {
            let response = service.serve(request).await;
            if response.is_err() {
                reset.store(true, Ordering::Relaxed);
            }
            response
        }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .pipeline_flush(true)
        .serve_connection(TokioIo::new(line), answer);
    tokio::select! {
        // How a connection ends is the caller's affair.
        _ = served => {}
        _ = ended.changed() => {}
    }
}

/// Gives back memory four times an hour of the windows.
async fn rest(world: World, mut ended: watch::Receiver<()>) {
    loop {
        let quarter = hour(&world.settings().windows) / 4;
        tokio::select! {
            () = tokio::time::sleep(quarter.max(Duration::from_secs(1))) => world.rest(),
            _ = ended.changed() => return,
        }
    }
}

// === impl Line ===

impl Drop for Line {
    fn drop(&mut self) {
        if self.reset.load(Ordering::Relaxed) {
            // Without lingering the close is a reset; where it cannot be set, a close is bad enough.
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Line {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
