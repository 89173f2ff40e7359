//! The caller's side: what the callee would refuse is not sent.
//!
//! Every response of a service under control says up to which priority it admits. A [`Client`] remembers
//! that for each instance and *withholds* the calls that would be refused: they fail at once with
//! [`Withheld`](crate::Withheld), cost the callee nothing, and are safe to try elsewhere. With the next call
//! that is sent, the instance learns how many there were, so that it does not take the quiet for
//! recovery.
//!
//! ```
//! use std::convert::Infallible;
//!
//! use dagor::{Priority, client::{Callee, is_shed_response}, is_withheld};
//! use http::{Request, Response};
//! use tower::{Service, ServiceBuilder};
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! // Stands for a channel to an overloaded instance: it admits business 0 alone, and says so.
//! let channel = tower::service_fn(|_: Request<()>| async {
//!     let response = Response::builder().status(503).header("dagor-level", "32768;w=9;r=4;shed");
//!     Ok::<_, Infallible>(response.body(()).unwrap())
//! });
//!
//! let payments = Callee::new("payments");
//! let mut service = ServiceBuilder::new().layer(payments.layer()).service(channel);
//!
//! let request = || Request::get("http://10.0.0.7:80/pay").body(()).unwrap();
//! let response = service.call(request()).await.expect("it is sent, for nothing is known yet");
//! assert!(is_shed_response(&response));
//!
//! let error = service.call(request()).await.unwrap_err();
//! assert!(is_withheld(&*error), "without a priority a call is the least important");
//!
//! let mut important = request();
//! important.extensions_mut().insert(Priority::MOST_IMPORTANT);
//! assert!(service.call(important).await.is_ok(), "sent, and the withheld one is reported with it");
//!
//! let snapshot = payments.snapshot();
//! let instance = &snapshot.instances[0];
//! assert_eq!(&*instance.instance, "10.0.0.7:80");
//! assert_eq!((instance.level.get(), instance.withheld), (32768, 1));
//! # });
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Whose priority
//!
//! That of the [`Task`](crate::Task) in the request's extensions, else of the [current](crate::Task::current)
//! task, else the [`Priority`](crate::Priority) in the extensions, else the callee's
//! [default](Builder::default_priority). A task also remembers that this callee served it, and its next
//! calls there are judged by their business alone.
//!
//! # What is kept of an instance
//!
//! Its level, as last heard, whatever the response was: an error, a refusal, a success. How many requests
//! wait and run there, as last heard, and how many calls are outstanding: the sum is the load that a
//! two-choice balancer goes by (feature `balance`). How many calls were withheld.
//!
//! An instance never heard of is open. There is no timed re-opening: after a silence of one
//! [time to live](Builder::ttl) one call passes as a probe, whatever its priority, and its answer
//! brings the new level. So silence never becomes permanent, and an overloaded instance gets one probe
//! a second from each caller and no flood.
//!
//! A response without level (a proxy's, or an instance of a version that has none) leaves the level as it
//! is. If for ten times to live every response is without, the level is forgotten: nothing else would lift
//! the last one heard of a service that no longer tells any.
//!
//! # Callees without DAGOR
//!
//! See [`feedback`]: the level is inferred from their refusals.
//!
//! # What it does not do
//!
//! It waits for nothing, retries nothing (the policy of feature `retry` does) and chooses no instance. It does not read the
//! level from trailers, nor a request's deadline from anything but its task.

use std::error::Error;

mod builder;
mod callee;
pub mod feedback;
pub mod future;
mod inference;
mod layer;
mod levels;
#[cfg(feature = "balance")]
mod load;
mod pass;
mod refused;
#[cfg(feature = "retry")]
pub mod retry;
mod sent;
mod service;
mod snapshot;
mod table;

#[doc(inline)]
pub use self::feedback::{Feedback, Fields, GrpcFeedback, HttpFeedback, Inferred, Sign};
#[cfg(feature = "retry")]
#[doc(inline)]
pub use self::retry::{Attempt, RetryBudget, RetryPolicy};
pub use self::{
    builder::Builder,
    callee::Callee,
    layer::ClientLayer,
    pass::Pass,
    refused::{Avoid, Refused, is_shed_response},
    service::Client,
    snapshot::{InstanceSnapshot, Snapshot},
};

/// Any error that can be sent to another thread: what a [`Client`] fails with.
///
/// [`is_withheld`](crate::is_withheld) tells a withheld call from a failure of the inner service.
pub type BoxError = Box<dyn Error + Send + Sync>;
