//! The socket's wait under `axum::serve`.

use std::io;

use axum::serve::Listener;

use super::{SocketWaits, Stamped};

/// A listener whose connections are [`Stamped`].
///
/// The layer that takes the waits must be outermost, outside of the `Router`:
///
/// ```no_run
/// # async fn serve<L>(admission: L) -> std::io::Result<()>
/// # where
/// #     L: tower_layer::Layer<axum::Router>,
/// #     L::Service: tower_service::Service<
/// #         axum::extract::Request,
/// #         Response = axum::response::Response,
/// #         Error = std::convert::Infallible,
/// #         Future: Send,
/// #     > + Clone + Send + 'static,
/// # {
/// use axum::{Router, ServiceExt, extract::Request, serve::ListenerExt};
/// use dagor::queuing_time::{SocketWaits, StampedListener};
/// use tokio::net::TcpListener;
///
/// let waits = SocketWaits::default();
/// let tcp = TcpListener::bind("127.0.0.1:8080").await?;
/// let listener = StampedListener::new(tcp, &waits).tap_io(|io| {
///     let _ = io.get_ref().set_nodelay(true);
/// });
/// let service = admission.layer(Router::new());
/// axum::serve(listener, ServiceExt::<Request>::into_make_service(service)).await
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
