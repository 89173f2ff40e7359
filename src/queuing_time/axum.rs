//! The socket's wait under `axum::serve`.

use std::io;

use axum::serve::Listener;

use super::{SocketWaits, Stamped};

/// A listener whose connections are [`Stamped`].
///
/// Made by [`Admission::listener`](crate::Admission::listener). On HTTP/2 the layer sees all of the waits only
/// from outside of the `Router`, where axum wants its own body back:
///
/// ```no_run
/// # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
/// use axum::{Router, ServiceExt, body::Body, extract::Request, response::Response, serve::ListenerExt};
/// use dagor::Admission;
/// use tokio::net::TcpListener;
/// use tower::ServiceBuilder;
///
/// let admission = Admission::builder("orders").build()?;
/// let app = ServiceBuilder::new()
///     .map_response(|response: Response<_>| response.map(Body::new))
///     .layer(admission.layer())
///     .service(Router::new());
/// let tcp = TcpListener::bind("127.0.0.1:8080").await?;
/// let listener = admission.listener(tcp).tap_io(|io| {
///     let _ = io.get_ref().set_nodelay(true);
/// });
/// axum::serve(listener, ServiceExt::<Request>::into_make_service(app)).await?;
/// # Ok(())
/// # }
/// ```
///
/// `ConnectInfo<SocketAddr>` needs the `tap_io` above (or `tap_io(|_| ())`): axum gives the peer's address
/// to its own listeners only, and `TapIo` is one of them.
#[derive(Debug)]
pub struct StampedListener<L> {
    listener: L,
    waits: SocketWaits,
}

impl<L> StampedListener<L> {
    /// Returns `listener` with its connections wrapped as they are accepted.
    pub fn new(listener: L, waits: &SocketWaits) -> Self {
        Self {
            listener,
            waits: waits.clone(),
        }
    }

    /// Returns the listener.
    pub const fn get_ref(&self) -> &L {
        &self.listener
    }

    /// Returns the listener; connections accepted from it directly are not wrapped.
    pub const fn get_mut(&mut self) -> &mut L {
        &mut self.listener
    }

    /// Returns the listener without its wrapper.
    pub fn into_inner(self) -> L {
        self.listener
    }
}

impl<L: Listener> Listener for StampedListener<L> {
    type Io = Stamped<L::Io>;
    type Addr = L::Addr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (io, peer) = self.listener.accept().await;
        (Stamped::new(io, &self.waits), peer)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}
