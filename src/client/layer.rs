//! Wraps services into [`Client`]s.

use std::sync::Arc;

use tower_layer::Layer;

use super::{Callee, Client, Fields, Inferred, levels::Instance};

/// Puts a [`Client`] in front of a service; made by [`Callee::layer`] or [`Callee::instance`].
///
/// All services it makes share the callee's table of instances. `P` says where the level comes from:
/// [`Fields`] of the responses, or [`Inferred`] from feedback.
#[derive(Clone, Debug)]
pub struct ClientLayer<P = Fields> {
    pub(super) callee: Callee,
    pub(super) target: Target,
    pub(super) level_from: P,
}

/// Which instance a call goes to.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// The one that the authority of its URI names.
    Authority,
    /// Always this one.
    Bound(Arc<Instance>),
}

impl ClientLayer {
    pub(super) const fn by_authority(callee: Callee) -> Self {
        Self {
            callee,
            target: Target::Authority,
            level_from: Fields,
        }
    }

    pub(super) const fn bound(callee: Callee, instance: Arc<Instance>) -> Self {
        Self {
            callee,
            target: Target::Bound(instance),
            level_from: Fields,
        }
    }

    /// Infers the level from what `feedback` says of each response, for a callee that tells none.
    ///
    /// Nothing is added to the requests then and no field of the responses is read. See
    /// [`feedback`](super::feedback).
    pub fn feedback<F>(self, feedback: F) -> ClientLayer<Inferred<F>> {
        ClientLayer {
            callee: self.callee,
            target: self.target,
            level_from: Inferred(Arc::new(feedback)),
        }
    }
}

impl<S, P: Clone> Layer<S> for ClientLayer<P> {
    type Service = Client<S, P>;

    fn layer(&self, inner: S) -> Self::Service {
        Client::new(inner, self.clone())
    }
}
