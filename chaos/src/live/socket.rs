//! The callee's side of connections, which break when their instance dies.

use std::{
    fmt,
    future::Future as _,
    io,
    net::SocketAddr,
    pin::Pin,
    task::{Context, Poll},
};

use axum::serve::Listener;
use futures_util::Stream;
use pin_project_lite::pin_project;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpSocket, TcpStream},
    time::{Duration, sleep},
};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::transport::server::{Connected, TcpConnectInfo};

/// Connections that may wait to be accepted: more than a run has callers, so that nobody waits for the second
/// that the system takes to try again.
const BACKLOG: u32 = 4_096;

/// The connections to one instance, for axum's and for tonic's server.
#[derive(Debug)]
pub(super) struct Incoming {
    tcp: TcpListener,
    dead: CancellationToken,
}

pin_project! {
    /// One connection.
    pub(super) struct Socket {
        #[pin]
        tcp: TcpStream,
        dead: Pin<Box<WaitForCancellationFutureOwned>>,
    }
}

// === impl Incoming ===

impl Incoming {
    /// Listens at `address` (port 0 takes any that is free), on the current runtime.
    pub(super) fn bind(address: SocketAddr) -> io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        // An instance comes back to its old address at once.
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        let tcp = socket.listen(BACKLOG)?;
        Ok(Self {
            tcp,
            dead: CancellationToken::new(),
        })
    }

    /// Returns what breaks all its connections when it is cancelled.
    pub(super) fn dead(&self) -> CancellationToken {
        self.dead.clone()
    }

    fn socket(&self, tcp: TcpStream) -> Socket {
        // A response must not wait for the acknowledgement of the one before; without the option the connection
        // is merely slower.
        drop(tcp.set_nodelay(true));
        Socket {
            tcp,
            dead: Box::pin(self.dead.clone().cancelled_owned()),
        }
    }
}

impl Listener for Incoming {
    type Io = Socket;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Socket, SocketAddr) {
        loop {
            if let Ok((tcp, peer)) = self.tcp.accept().await {
                return (self.socket(tcp), peer);
            }
            // Out of file descriptors, most likely: they come back, but not at once.
            sleep(Duration::from_millis(10)).await;
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.tcp.local_addr()
    }
}

impl Stream for Incoming {
    type Item = io::Result<Socket>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Socket>>> {
        let accepted = self.tcp.poll_accept(cx);
        accepted.map(|accepted| Some(accepted.map(|(tcp, _)| self.socket(tcp))))
    }
}

// === impl Socket ===

impl Socket {
    /// Returns an error once the instance is dead; the connection is then reset instead of closed with regards.
    fn check(self: Pin<&mut Self>, cx: &mut Context<'_>) -> io::Result<()> {
        let this = self.project();
        if this.dead.as_mut().poll(cx).is_pending() {
            return Ok(());
        }
        // Without it the peer sees an end instead of a reset, which is the end all the same.
        drop(this.tcp.set_zero_linger());
        Err(io::ErrorKind::ConnectionReset.into())
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.as_mut().check(cx)?;
        self.project().tcp.poll_read(cx, buf)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.as_mut().check(cx)?;
        self.project().tcp.poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.as_mut().check(cx)?;
        self.project().tcp.poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.as_mut().check(cx)?;
        self.project().tcp.poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.as_mut().check(cx)?;
        self.project().tcp.poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.tcp.is_write_vectored()
    }
}

impl Connected for Socket {
    type ConnectInfo = TcpConnectInfo;

    fn connect_info(&self) -> TcpConnectInfo {
        self.tcp.connect_info()
    }
}

impl fmt::Debug for Socket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Socket").field(&self.tcp).finish()
    }
}
