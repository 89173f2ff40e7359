//! The layer in front of a service: decides, waits at the gate, and says its level on every response.
//!
//! # When to use it
//!
//! On every service that can be asked for more than it can do, HTTP or gRPC, as the outermost layer but for
//! the entry: an [`Entry`](crate::Entry) inside of it would set the priority after the decision, and the
//! decision would go by what the client sent. The first layer is the outermost in tower's `ServiceBuilder`
//! and tonic's `Server::layer`, the last one in axum's `Router::layer`.
//!
//! It answers a refusal with a *response*, so it fits stacks whose error must be `Infallible` (axum,
//! tonic), and it never looks at `poll_ready`: a `Pending` is not overload (tokio's cooperative budget
//! makes one out of nothing), and permits reserved there are hoarded by idle clones.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
//! use dagor::Admission;
//! use http::{Request, Response};
//! use tower::{ServiceBuilder, ServiceExt, service_fn};
//!
//! let admission = Admission::builder("orders").build()?;
//! let service = ServiceBuilder::new().layer(admission.layer()).service(service_fn(
//!     |_: Request<String>| async { Ok::<_, std::convert::Infallible>(Response::new(String::from("ok"))) },
//! ));
//! let response = service.oneshot(Request::new(String::new())).await?;
//! assert!(response.headers().contains_key("dagor-level"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modes
//!
//! In modes `observe` and `off` nothing is refused here, and every response says that the level is open:
//! callers obey what they read and would refuse it for us. What the level would be is in the
//! [`Snapshot`](crate::Snapshot) and told to observers.
//!
//! # Readiness
//!
//! Always ready. The inner service is cloned for each request and made ready in the request's future,
//! after the permit was granted.
//!
//! # Permits and bodies
//!
//! The permit ends with the response head, where most handlers have done their work; a slow reader then
//! takes no capacity. Where the work is in the stream, say [`PermitEnds::Body`](crate::PermitEnds::Body).
//! Either way the request counts as in flight until its body ended or was dropped.
//!
//! # Cancellation
//!
//! A future dropped while it waits leaves the gate at once; dropped while it runs it gives the permit
//! back and counts neither as served nor in the drain rate.
//!
//! hyper drops it when the client hangs up, with one exception: on HTTP/1 it does not read on, and so does
//! not see the end of the connection, while the body of a request waits to be asked for. Such a request
//! leaves with its turn, its deadline or the longest wait, whichever is first.

pub mod body;
mod exempt;
pub mod future;
mod layer;
mod level;
mod listen;
mod refusal;
mod request;
mod service;

pub use self::{layer::ServerLayer, service::Server};
