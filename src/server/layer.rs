//! Configuration only: [`ServerLayer`] makes a [`Server`].

use std::sync::Arc;

use tower_layer::Layer;

use super::Server;
use crate::admission::{Admission, Shared};

/// Puts a service behind its [`Admission`]; made by [`Admission::layer`].
///
/// Layers made from clones of one admission share its level and its gate.
#[derive(Clone, Debug)]
pub struct ServerLayer {
    shared: Arc<Shared>,
}

impl Admission {
    /// Returns the layer that puts an HTTP or gRPC service behind this admission.
    #[must_use]
    pub fn layer(&self) -> ServerLayer {
        ServerLayer {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<S> Layer<S> for ServerLayer {
    type Service = Server<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Server::new(inner, Arc::clone(&self.shared))
    }
}
