//! The socket's wait for servers behind an admission.

use crate::{admission::Admission, queuing_time::Stamped};

impl Admission {
    /// Wraps one accepted connection so that the wait in its socket is seen.
    ///
    /// For accept loops written by hand; put it *below* TLS.
    pub fn stamp<Io>(&self, io: Io) -> Stamped<Io> {
        Stamped::new(io, &self.shared.sockets)
    }

    /// Wraps a listener for `axum::serve` so that the wait in the sockets is seen.
    #[cfg(feature = "axum")]
    #[cfg_attr(docsrs, doc(cfg(feature = "axum")))]
    pub fn listener<L>(&self, listener: L) -> crate::queuing_time::StampedListener<L> {
        crate::queuing_time::StampedListener::new(listener, &self.shared.sockets)
    }

    /// Wraps incoming connections for tonic's `serve_with_incoming` so that the wait in the sockets is
    /// seen.
    #[cfg(feature = "tonic")]
    #[cfg_attr(docsrs, doc(cfg(feature = "tonic")))]
    pub fn incoming<S>(&self, incoming: S) -> crate::queuing_time::StampedIncoming<S> {
        crate::queuing_time::StampedIncoming::new(incoming, &self.shared.sockets)
    }
}
