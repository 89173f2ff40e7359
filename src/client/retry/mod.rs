//! Retries that make nothing worse (feature `retry`): elsewhere, and few.
//!
//! A refused call did no work, so it is safe to repeat, but not where it was refused. [`RetryPolicy`]
//! repeats what a callee shed or the caller withheld, and tells the layers below through
//! [`Avoid`] which instances said no: put it above a balancer whose endpoints are
//! [instance-bound](super::Callee::instance) clients.
//!
//! # Why a budget
//!
//! Retries are wanted most when they harm most. So they are paid from a [`RetryBudget`]: each call pays
//! in 10 % of a retry, and what is saved up is bounded. Calls and retries together therefore never
//! exceed 1.1 times the calls, whatever happens, and a quiet hour buys no storm. A retry that was not sent
//! (withheld once more) keeps its payment for the next one.
//!
//! A failure is not retried unless [`also`](RetryPolicy::also) says so: a callee may have done its work.
//!
//! ```
//! # use std::convert::Infallible;
//! use dagor::client::{Avoid, Callee, RetryBudget, RetryPolicy, is_shed_response};
//! use http::{Request, Response};
//! use tower::{Layer, ServiceBuilder, ServiceExt, service_fn};
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let payments = Callee::new("payments");
//! let channel = |level| service_fn(move |_: Request<()>| async move {
//!     Ok::<_, Infallible>(Response::builder().header("dagor-level", level).body(()).unwrap())
//! });
//! let busy = payments.instance("10.0.0.7:80").layer(channel("8388608;w=9;r=4;shed"));
//! let idle = payments.instance("10.0.0.8:80").layer(channel("8388608;w=0;r=1"));
//!
//! // Stands for a balancer, one that prefers the busy instance.
//! let balancer = service_fn(move |request: Request<()>| {
//!     let avoid: Option<&Avoid> = request.extensions().get();
//!     let other = avoid.is_some_and(|avoid| avoid.contains("10.0.0.7:80"));
//!     if other { idle.clone().oneshot(request) } else { busy.clone().oneshot(request) }
//! });
//!
//! let policy = RetryPolicy::new(&RetryBudget::default());
//! let service = ServiceBuilder::new().retry(policy).service(balancer);
//! let mut refused = 0;
//! for _ in 0..100 {
//!     let response = service.clone().oneshot(Request::new(())).await.unwrap();
//!     refused += u32::from(is_shed_response(&response));
//! }
//! assert_eq!(refused, 90, "for 100 calls there are ten retries");
//! # });
//! # Ok::<(), std::io::Error>(())
//! ```

use std::{error::Error, fmt, future, sync::Arc, time::Duration};

use http::{HeaderMap, Method, Request, Response, StatusCode};
use tower::retry::Policy;

use super::{Avoid, BoxError, Refused};
use crate::{
    clock::Clock,
    error::{Withheld, find},
    task::Task,
};

mod budget;

pub use self::budget::RetryBudget;

/// Retries refused calls elsewhere, within a [`RetryBudget`]; see the [module](self).
///
/// The body of the request must be `Clone`: one that can be sent but once is not retried by tower anyway.
#[derive(Clone)]
pub struct RetryPolicy {
    budget: RetryBudget,
    clock: Clock,
    most: u32,
    also: Option<Arc<dyn Fn(&Method, &Attempt<'_>) -> bool + Send + Sync>>,
    /// Of this call: the retries made so far, and whether a paid one is still unsent.
    retries: u32,
    paid: bool,
    counted: bool,
}

/// The result of a call that was not refused, for [`RetryPolicy::also`] to judge.
#[derive(Debug)]
#[non_exhaustive]
pub enum Attempt<'a> {
    /// A response came.
    Answered {
        /// Its status.
        status: StatusCode,
        /// Its headers.
        headers: &'a HeaderMap,
    },
    /// None came.
    Failed(&'a (dyn Error + 'static)),
}

// === impl RetryPolicy ===

impl RetryPolicy {
    /// Returns a policy that retries refused calls at once, at most twice, paid from `budget`.
    #[must_use]
    pub fn new(budget: &RetryBudget) -> Self {
        Self {
            budget: budget.clone(),
            clock: Clock::default(),
            most: 2,
            also: None,
            retries: 0,
            paid: false,
            counted: false,
        }
    }

    /// Sets how often one call is retried at most. Default 2; 0 turns retries off.
    #[must_use]
    pub const fn most(mut self, most: u32) -> Self {
        self.most = most;
        self
    }

    /// Sets the clock that the deadline of a task is held against: past it nothing is retried. Default the
    /// system's.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Also retries what `also` returns true for, of the results that are no refusals.
    ///
    /// Such a call may have been processed: only for methods that may be repeated. It may go to the same
    /// instance again.
    #[must_use]
    pub fn also<F>(mut self, also: F) -> Self
    where
        F: Fn(&Method, &Attempt<'_>) -> bool + Send + Sync + 'static,
    {
        self.also = Some(Arc::new(also));
        self
    }

    /// Returns whether this result of `request` leads to a retry, having noted where not to go again.
    fn wants<B, R>(
        &self,
        request: &mut Request<B>,
        result: &Result<Response<R>, BoxError>,
    ) -> bool {
        if let Some(instance) = refused_by(result) {
            let avoid: &mut Avoid = request.extensions_mut().get_or_insert_default();
            avoid.add(instance);
            return true;
        }
        let attempt = match result {
            Ok(response) => Attempt::Answered {
                status: response.status(),
                headers: response.headers(),
            },
            Err(error) => Attempt::Failed(&**error),
        };
        let also = self.also.as_ref();
        also.is_some_and(|also| also(request.method(), &attempt))
    }

    fn in_time<B>(&self, request: &Request<B>) -> bool {
        let task = request.extensions().get().cloned().or_else(Task::current);
        let deadline: Option<Duration> = task.and_then(|task| task.deadline());
        deadline.is_none_or(|deadline| self.clock.now() < deadline)
    }

    /// Returns whether one more retry is paid for.
    fn pay(&mut self) -> bool {
        self.paid = self.paid || self.budget.withdraw();
        self.paid
    }
}

impl<B: Clone, R> Policy<Request<B>, Response<R>, BoxError> for RetryPolicy {
    type Future = future::Ready<()>;

    fn retry(
        &mut self,
        request: &mut Request<B>,
        result: &mut Result<Response<R>, BoxError>,
    ) -> Option<Self::Future> {
        if !self.counted {
            self.counted = true;
            self.budget.deposit();
        }
        // What was paid for is used up once it was sent.
        self.paid = self.paid && withheld(result).is_some();
        let again = self.wants(request, result)
            && self.retries < self.most
            && self.in_time(request)
            && self.pay();
        if again {
            self.retries += 1;
            return Some(future::ready(()));
        }
        if self.paid {
            self.paid = false;
            self.budget.refund();
        }
        None
    }

    fn clone_request(&mut self, request: &Request<B>) -> Option<Request<B>> {
        Some(request.clone())
    }
}

impl fmt::Debug for RetryPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryPolicy")
            .field("budget", &self.budget)
            .field("most", &self.most)
            .finish_non_exhaustive()
    }
}

/// Returns the instance that refused, or from which the call was withheld.
fn refused_by<R>(result: &Result<Response<R>, BoxError>) -> Option<&Arc<str>> {
    match result {
        Ok(response) => {
            let refused: &Refused = response.extensions().get()?;
            Some(refused.instance())
        }
        Err(_) => withheld(result).map(|withheld| &withheld.instance),
    }
}

fn withheld<R>(result: &Result<Response<R>, BoxError>) -> Option<&Withheld> {
    find(&**result.as_ref().err()?)
}
