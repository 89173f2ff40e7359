//! Overload control for a call graph of services, as tower layers, after DAGOR.
//!
//! A service measures how long requests wait before they start. When the mean passes 20 ms it lowers its
//! admission *level*, and requests whose *priority* is not below it are refused; when calm it raises the level
//! again. The level travels on every response, so that callers withhold what would be refused.
//!
#![cfg_attr(feature = "http", doc = "```")]
#![cfg_attr(not(feature = "http"), doc = "```ignore")]
//! # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
//! use dagor::{Admission, Callee, Entry, client::BoxError};
//! use http::{Request, Response};
//! use tower::{ServiceBuilder, ServiceExt, service_fn};
//!
//! // The service: one admission for all that serves it, as a layer in front.
//! let admission = Admission::builder("payments").build()?;
//! let payments = ServiceBuilder::new()
//!     .layer(admission.layer())
//!     .service(service_fn(async |_: Request<()>| Ok::<_, BoxError>(Response::new(String::from("paid")))));
//!
//! // Its caller, which obeys the level of each instance. A channel to it stands between them.
//! let callee = Callee::new("payments");
//! let channel = ServiceBuilder::new().layer(callee.layer()).service(payments);
//!
//! // Where a task begins: the priority is set once and found by every call made on its behalf.
//! let shop = ServiceBuilder::new()
//!     .layer(Entry::builder().business("/checkout", 1).build()?)
//!     .service(service_fn(move |_: Request<()>| {
//!         let pay = Request::post("http://10.0.0.7:80/pay").body(()).unwrap();
//!         channel.clone().oneshot(pay)
//!     }));
//!
//! let response = shop.oneshot(Request::post("/checkout").body(())?).await?;
//! assert!(response.status().is_success());
//!
//! let seen = admission.snapshot();
//! assert!(seen.level.is_open(), "nothing to refuse yet");
//! assert_eq!(seen.businesses[1].arrived, 1, "the checkout's business came along");
//! assert_eq!(&*callee.snapshot().instances[0].instance, "10.0.0.7:80");
//! # Ok::<(), BoxError>(())
//! # }).unwrap();
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # A request's path
//!
//! ```text
//!      the service that calls                        the service that is called
//!
//!   entry          caller                 count         level         gate            work
//!   sets the  -->  below the   -------->  demand,  -->  priority -->  waits,     -->  holds
//!   priority       level heard  request   always        below it      best first      a permit
//!                     | no                                 | no          | full,         |
//!                     v                                    v             v evicted, late |
//!                  withheld                              shed          shed              |
//!                  (never sent)                            |             |               |
//!                     ^                                    v             v               v
//!                     +------------ every response carries the level of the instance ----+
//! ```
//!
//! Every 100 ms, or 2,000 requests, a window closes: its mean wait and the demand per priority give the
//! next level. What was withheld counts as demand too; callers report it with the next call they send.
//!
//! # What it does
//!
//! - Serves the important requests, and whole users of equal importance, completely, at the capacity the
//!   service has, whatever is offered.
//! - Bounds the wait: the queue is in front of the work, ordered by importance, twice the threshold long;
//!   nobody waits longer than five times the threshold, or past their own deadline.
//! - Answers a refusal with a response (503, 429, gRPC `RESOURCE_EXHAUSTED`), which says when to come back and
//!   that nothing was done.
//! - Works with one admission for HTTP, gRPC and jobs at once, and with callees that know nothing of it.
//! - Can be watched before it acts, and changed while it runs.
//!
//! # What it does not do
//!
//! It counts no quotas, isolates no tenants, knows no cost per request, and chooses no instance. It trusts the
//! fields of whoever reaches the service, so outsiders must come through an entry. With fewer than ten
//! requests a second the level is not lowered; the gate alone protects then. Without a gate
//! ([`Concurrency::Unlimited`]) it controls less well. The README has the figures.
//!
//! # Modules
//!
//! | module | what it decides | needs |
//! |---|---|---|
//! | [`admission`] | whether this service serves a request now; the handle of a service | |
#![cfg_attr(
    feature = "http",
    doc = "| [`server`] | the same for HTTP and gRPC, as a layer | `http` |"
)]
#![cfg_attr(
    feature = "http",
    doc = "| [`client`] | whether to send a call at all | `http` |"
)]
#![cfg_attr(
    feature = "http",
    doc = "| [`entry`] | which priority a task has, where it begins | `http` |"
)]
#![cfg_attr(
    not(feature = "http"),
    doc = "| `server`, `client`, `entry` | the layers | `http` |"
)]
//! | [`control`] | the next level, from what a window saw: the law, as a plain value | |
//! | [`queuing_time`] | where the waits before the layer are measured | |
//! | [`priority`] | who goes before whom: the words that all others use | |
//! | [`wire`] | how priority, level and demand travel | |
//! | [`task`] | how the priority reaches the calls made for a request | |
//! | [`config`] | what an operator may change, and its checks | `config` for files |
//! | [`observe`] | what is told to whom, as it happens | |
#![cfg_attr(
    feature = "metrics",
    doc = "| [`metrics`] | the same through the `metrics` facade | `metrics` |"
)]
#![cfg_attr(
    not(feature = "metrics"),
    doc = "| `metrics` | the same through the `metrics` facade | `metrics` |"
)]
//! | [`error`] | what a refusal looks like to the code around it | |
//! | [`clock`] | what time it is | |
//!
//! Start with [`admission`] and `server`; add `client` where you own the callers, and `entry` where the outside
//! world comes in.
//!
//! # Crate features
//!
//! - `http` (default): the server, caller and entry layers over `http` requests.
//! - `grpc`: answers gRPC in gRPC's own terms. Needs no gRPC library.
//! - `axum`: `Admission::listener` for `axum::serve`; the peer's address from axum's `ConnectInfo`.
//! - `tonic`: `Admission::incoming` for `serve_with_incoming`. Implies `grpc`.
//! - `balance`: `tower::load::Load` on the caller's service, for tower's two-choice balancer.
//! - `retry`: a `tower::retry` policy with a budget, which never retries where it was refused.
//! - `config`: settings from a TOML file and the environment, reloadable.
//! - `metrics`: an observer that exports through the `metrics` facade.
//! - `tracing`: events on level edges and on what needs an operator's eye.
//! - `full`: all of these.
//!
//! # Minimum supported Rust version
//!
//! 1.88.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod admission;
#[cfg(feature = "http")]
pub mod client;
pub mod clock;
pub mod config;
pub mod control;
#[cfg(feature = "http")]
pub mod entry;
pub mod error;
mod gate;
#[cfg(feature = "metrics")]
#[cfg_attr(docsrs, doc(cfg(feature = "metrics")))]
pub mod metrics;
pub mod observe;
pub mod priority;
pub mod queuing_time;
#[cfg(feature = "http")]
pub mod server;
mod sync;
pub mod task;
#[cfg(feature = "tracing")]
mod trace;
#[cfg(feature = "http")]
mod unknown;
pub mod wire;

#[cfg(feature = "http")]
#[doc(inline)]
pub use crate::client::Callee;
#[doc(inline)]
pub use crate::{
    admission::{Admission, Admitted, Snapshot},
    clock::Clock,
    config::{Concurrency, Mode, PermitEnds, Settings, SettingsError},
    error::{Reason, Shed, Withheld, is_shed, is_withheld},
    observe::Observer,
    priority::{Business, Level, OutOfRange, Priority, Progress, User},
    task::Task,
};

#[cfg(feature = "http")]
#[doc(inline)]
pub use crate::entry::{Entry, EntryLayer};

/// The guide's code, compiled and run as documentation tests.
#[cfg(all(doctest, feature = "full"))]
#[doc = include_str!("../docs/guide.md")]
mod guide {}
