//! The service in front of a callee: decides before sending, listens to what comes back.

use std::{
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::{Request, Response, Uri};
use tower_service::Service;

use super::{
    Avoid, BoxError, ClientLayer, Feedback, Fields, Inferred,
    future::ResponseFuture,
    layer::Target,
    levels::Instance,
    sent::{Caller, Sent},
};
use crate::{error::Withheld, wire};

/// A service whose calls are withheld where the callee would refuse them; made by a [`ClientLayer`].
///
/// `poll_ready` is the inner service's. It decides nothing: which request comes is not known there. A
/// call that is withheld does not use what the inner service reserved when it became ready (a permit of
/// a concurrency limit, a slot of a buffer); the reservation stays for this clone's next call, or is
/// given up when the clone is dropped. Code that calls `clone().oneshot(request)` holds none; a clone
/// that lives long below a limit that is scarce holds at most one.
///
/// A call whose deadline has passed is sent all the same, with nothing left of its time: whether it is
/// worth anything is for the code above to say, and the callee refuses it at once.
#[derive(Clone, Debug)]
pub struct Client<S, P = Fields> {
    inner: S,
    layer: ClientLayer<P>,
}

impl<S, P> Client<S, P> {
    pub(super) const fn new(inner: S, layer: ClientLayer<P>) -> Self {
        Self { inner, layer }
    }

    /// Returns the service inside.
    pub const fn get_ref(&self) -> &S {
        &self.inner
    }

    /// Returns the service inside, to be changed.
    pub const fn get_mut(&mut self) -> &mut S {
        &mut self.inner
    }

    /// Returns the service inside and drops the rest.
    pub fn into_inner(self) -> S {
        self.inner
    }

    /// Returns the instance that all calls go to, if it is always the same.
    #[cfg(feature = "balance")]
    pub(super) const fn bound(&self) -> Option<&Arc<Instance>> {
        match &self.layer.target {
            Target::Bound(instance) => Some(instance),
            Target::Authority => None,
        }
    }

    /// Returns the instance of a request, and on whose behalf it is made.
    ///
    /// # Errors
    ///
    /// If the request was already refused by that instance.
    fn address<B>(
        &self,
        request: &Request<B>,
        now: Duration,
    ) -> Result<(Arc<Instance>, Caller), Withheld> {
        let callee = &self.layer.callee;
        let instance = match &self.layer.target {
            Target::Authority => {
                callee.find(host(request.uri()).unwrap_or_else(|| callee.name()), now)
            }
            Target::Bound(instance) => {
                instance.touch(now);
                Arc::clone(instance)
            }
        };
        let avoid: Option<&Avoid> = request.extensions().get();
        if avoid.is_some_and(|avoid| avoid.contains(instance.name())) {
            return Err(callee.withheld(&instance, None));
        }
        let caller = Caller::of(request.extensions(), callee);
        Ok((instance, caller))
    }
}

impl<S, B, R> Service<Request<B>> for Client<S, Fields>
where
    S: Service<Request<B>, Response = Response<R>>,
    S::Error: Into<BoxError>,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = ResponseFuture<S::Future, Fields>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let callee = &self.layer.callee;
        let now = callee.now();
        let decided = self.address(&request, now).and_then(|(instance, caller)| {
            callee.judge(&instance, caller.rank(), now)?;
            Ok((instance, caller))
        });
        match decided {
            Err(withheld) => ResponseFuture::withheld(withheld, Fields),
            Ok((instance, caller)) => {
                let headers = request.headers_mut();
                wire::write_priority(headers, callee.names(), &caller.field(now));
                let mut sent = Sent::new(callee, &instance, caller.task);
                sent.attach_demand(headers);
                ResponseFuture::sent(self.inner.call(request), sent, Fields)
            }
        }
    }
}

impl<S, B, F> Service<Request<B>> for Client<S, Inferred<F>>
where
    S: Service<Request<B>>,
    S::Error: Into<BoxError>,
    F: Feedback<S::Response, S::Error>,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = ResponseFuture<S::Future, Inferred<F>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let callee = &self.layer.callee;
        let level_from = self.layer.level_from.clone();
        let now = callee.now();
        let decided = self.address(&request, now).and_then(|(instance, caller)| {
            callee.judge_by_inference(&instance, caller.rank(), now)?;
            Ok(Sent::new(callee, &instance, caller.task))
        });
        match decided {
            Err(withheld) => ResponseFuture::withheld(withheld, level_from),
            Ok(sent) => ResponseFuture::sent(self.inner.call(request), sent, level_from),
        }
    }
}

/// Returns the host and port of a URI, without the user's name and password that may precede them.
fn host(uri: &Uri) -> Option<&str> {
    let authority = uri.authority()?.as_str();
    Some(
        authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host),
    )
}
