//! What travels in the extensions: that a response is a refusal, and where a request need not go again.

use std::sync::Arc;

use http::Response;

use super::levels::Instance;

/// In the extensions of a response by which the callee refused: no work was done, it is safe to send
/// the request elsewhere, and it is no fault of the instance.
///
/// ```
/// # use dagor::client::is_shed_response;
/// let response = http::Response::new(());
/// assert!(!is_shed_response(&response), "only a Client puts the mark there");
/// ```
#[derive(Clone, Debug)]
pub struct Refused {
    callee: Arc<str>,
    instance: Arc<str>,
}

/// In the extensions of a request: instances that refused it already and are not to be asked again.
///
/// A [`Client`](super::Client) of such an instance answers with [`Withheld`](crate::Withheld) at once. That is
/// not counted as withheld, for the request was counted there before.
#[derive(Clone, Debug, Default)]
pub struct Avoid(Vec<Arc<str>>);

/// Returns whether the callee refused, by a response that came through a [`Client`](super::Client).
///
/// A circuit breaker must not take such a response for a failure, whatever its status.
#[must_use]
pub fn is_shed_response<B>(response: &Response<B>) -> bool {
    response.extensions().get::<Refused>().is_some()
}

// === impl Refused ===

impl Refused {
    pub(super) fn new(callee: &Arc<str>, instance: &Instance) -> Self {
        Self {
            callee: Arc::clone(callee),
            instance: Arc::clone(instance.name()),
        }
    }

    /// Returns the name of the callee.
    #[must_use]
    pub fn callee(&self) -> &str {
        &self.callee
    }

    /// Returns the instance that refused.
    #[must_use]
    pub const fn instance(&self) -> &Arc<str> {
        &self.instance
    }
}

// === impl Avoid ===

impl Avoid {
    /// Adds an instance.
    pub fn add(&mut self, instance: &Arc<str>) {
        if !self.contains(instance) {
            self.0.push(Arc::clone(instance));
        }
    }

    /// Returns whether `instance` is to be avoided.
    #[must_use]
    pub fn contains(&self, instance: &str) -> bool {
        self.0.iter().any(|name| **name == *instance)
    }
}
