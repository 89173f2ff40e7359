//! The socket's wait under tonic's server.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_core::Stream;
use pin_project_lite::pin_project;
use tonic::transport::server::Connected;

use super::{SocketWaits, Stamped};

pin_project! {
    /// A stream of connections, each [`Stamped`], for `serve_with_incoming`.
    ///
    /// TLS of the server goes on top of them, so it does not hide the sockets.
    ///
    /// ```no_run
    /// # async fn serve(routes: tonic::service::Routes) -> Result<(), Box<dyn std::error::Error>> {
    /// use dagor::queuing_time::{SocketWaits, StampedIncoming};
    /// use tonic::transport::{Server, server::TcpIncoming};
    ///
    /// let waits = SocketWaits::default();
    /// let tcp = TcpIncoming::bind("127.0.0.1:8080".parse()?)?.with_nodelay(Some(true));
    /// Server::builder()
    ///     .add_routes(routes)
    ///     .serve_with_incoming(StampedIncoming::new(tcp, &waits))
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Debug)]
    pub struct StampedIncoming<S> {
        #[pin]
        incoming: S,
        waits: SocketWaits,
    }
}

impl<S> StampedIncoming<S> {
    /// Returns `incoming`, a stream of `Result<Io, E>`, with its connections wrapped as they come.
    pub fn new(incoming: S, waits: &SocketWaits) -> Self {
        Self {
            incoming,
            waits: waits.clone(),
        }
    }

    /// Returns the stream.
    pub const fn get_ref(&self) -> &S {
        &self.incoming
    }

    /// Returns the stream; connections taken from it directly are not wrapped.
    pub const fn get_mut(&mut self) -> &mut S {
        &mut self.incoming
    }

    /// Returns the stream without its wrapper.
    pub fn into_inner(self) -> S {
        self.incoming
    }
}

impl<S, Io, E> Stream for StampedIncoming<S>
where
    S: Stream<Item = Result<Io, E>>,
{
    type Item = Result<Stamped<Io>, E>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.project();
        let next = ready!(this.incoming.poll_next(cx));
        Poll::Ready(next.map(|io| io.map(|io| Stamped::new(io, this.waits))))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.incoming.size_hint()
    }
}

/// What the connection below says of itself: handlers see no difference.
impl<Io: Connected> Connected for Stamped<Io> {
    type ConnectInfo = Io::ConnectInfo;

    fn connect_info(&self) -> Self::ConnectInfo {
        self.get_ref().connect_info()
    }
}
