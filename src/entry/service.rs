//! The service that begins a task with every request.

use std::{
    sync::Arc,
    task::{Context, Poll},
};

use http::{Request, Response};
use tower_service::Service;

use super::{
    builder::EntryBuilder,
    future::ResponseFuture,
    rules::{Rules, Trust},
};
use crate::task;

/// Begins a task with every request, before the service it wraps; made by an
/// [`EntryLayer`](super::EntryLayer).
///
/// The [`Task`](crate::Task) is in the request's extensions, and it is [current](crate::Task::current) while
/// the inner service is called and its future polled. It is not while the response's *body* is polled:
/// take it out of the extensions where a stream makes calls.
///
/// `poll_ready` is the inner service's: an entry is ready whenever that is, and never refuses.
#[derive(Clone, Debug)]
pub struct Entry<S> {
    inner: S,
    rules: Arc<Rules>,
}

impl Entry<()> {
    /// Returns the settings of a new entry, at their defaults.
    pub fn builder() -> EntryBuilder {
        EntryBuilder::new()
    }
}

impl<S> Entry<S> {
    pub(super) const fn new(inner: S, rules: Arc<Rules>) -> Self {
        Self { inner, rules }
    }

    /// Returns the service that it wraps.
    pub const fn get_ref(&self) -> &S {
        &self.inner
    }

    /// Returns the service that it wraps, to change it.
    pub const fn get_mut(&mut self) -> &mut S {
        &mut self.inner
    }

    /// Returns the service that it wrapped.
    pub fn into_inner(self) -> S {
        self.inner
    }
}

impl<S, B, R> Service<Request<B>> for Entry<S>
where
    S: Service<Request<B>, Response = Response<R>>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (mut parts, body) = request.into_parts();
        let trust = self.rules.trust(&parts);
        let mut task = self.rules.begin(trust, &mut parts);
        if let Some(task) = &task {
            parts.extensions.insert(task.clone());
        }
        let request = Request::from_parts(parts, body);
        let future = task::lend(&mut task, || self.inner.call(request));
        let hide = match trust {
            Trust::Trusted => None,
            Trust::Untrusted => Some(self.rules.names.level.header().clone()),
        };
        ResponseFuture::new(future, task, hide)
    }
}
