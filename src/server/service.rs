//! The service: counts, decides, and hands the rest to its future.

use std::{
    sync::Arc,
    task::{Context, Poll},
};

use http::{Request, Response};
use tower_service::Service;

use super::{body::Body, exempt::is_exempt, future::ResponseFuture, request::Facts};
use crate::{admission::Shared, config::Mode, queuing_time::AcceptStamp};

/// A service behind its admission. See the [module](super).
#[derive(Debug)]
pub struct Server<S> {
    inner: S,
    shared: Arc<Shared>,
    /// Taken by `Clone`, which hyper calls when it has read a request; spent by the first call.
    accepted: AcceptStamp,
}

impl<S> Server<S> {
    pub(super) fn new(inner: S, shared: Arc<Shared>) -> Self {
        let accepted = AcceptStamp::new(shared.clock().clone());
        Self {
            inner,
            shared,
            accepted,
        }
    }

    /// Returns the inner service.
    pub const fn get_ref(&self) -> &S {
        &self.inner
    }

    /// Returns the inner service.
    pub const fn get_mut(&mut self) -> &mut S {
        &mut self.inner
    }

    /// Returns the inner service.
    pub fn into_inner(self) -> S {
        self.inner
    }
}

impl<S, ReqB, ResB> Service<Request<ReqB>> for Server<S>
where
    S: Service<Request<ReqB>, Response = Response<ResB>> + Clone,
    ResB: http_body::Body,
    ResB::Data: From<bytes::Bytes>,
{
    type Response = Response<Body<ResB>>;
    type Error = S::Error;
    type Future = ResponseFuture<S, ReqB>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<ReqB>) -> Self::Future {
        let shared = &self.shared;
        let inner = self.inner.clone();
        let settings = shared.settings();
        let mode = shared.mode();
        if mode == Mode::Off {
            return ResponseFuture::passed(inner, request, Arc::clone(shared));
        }
        if is_exempt(&settings.exempt, request.uri().path()) {
            shared.note_exempt();
            return ResponseFuture::passed(inner, request, Arc::clone(shared));
        }
        let now = shared.clock().now();
        let facts = Facts::read(&request, shared, &settings, self.accepted.take(now), now);
        shared.note_outside(facts.waited);
        let ends = settings.permit_ends;
        let asked = shared.ask(facts.task.priority(), facts.progress, facts.deadline, now);
        ResponseFuture::asked(asked, inner, request, facts, shared, ends)
    }
}

/// The stamp of the clone is its own: hyper makes one when it has read a request.
impl<S: Clone> Clone for Server<S> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            shared: Arc::clone(&self.shared),
            accepted: self.accepted.clone(),
        }
    }
}
