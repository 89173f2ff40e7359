//! Where a task begins: the priority is set here, once, and copied by every service behind.
//!
//! Put the layer in front of the service that the outside world talks to. For every request it
//!
//! 1. removes the `dagor-*` fields that the client sent, unless the peer is [trusted](Trust), and counts
//!    them: whoever could set a priority would set the best one; and the level from what such a peer is
//!    answered, since it would withhold by a priority that is not the one it has here;
//! 2. looks up the [`Business`](crate::Business) in a [`Table`] of routes;
//! 3. finds the user (from a hook, else the host the request came from) and, through a keyed hash that
//!    changes every hour, where they stand: [`UserHash`];
//! 4. begins a [`Task`](crate::Task) of that priority and, if set, a deadline; it is in the request's
//!    extensions and current while the handler runs, where the calls made on its behalf find it.
//!
//! What is unknown (a route in no table, a request of nobody, a field that does not parse) is the least
//! important, never an error. Health checks are exempt: they begin no task.
//!
//! The level is for trusted callers. Others get plain refusals: a 503 (or `RESOURCE_EXHAUSTED`) that says
//! when to come back, and no `dagor-level`.
//!
//! It belongs around everything else, so that layers behind it find the task, and around the layer of an
//! [`Admission`](crate::Admission) above all: inside of that it would set the priority after the decision,
//! and a client's `dagor-priority: 0, 0` would count. The first layer is the outermost in tower's
//! `ServiceBuilder` and tonic's `Server::layer`; in axum's `Router::layer` it is the last one added. Of axum,
//! put it around the whole router: what is nested in another router sees paths without their prefix.
//!
//! *Why an hour?* A task, and a session of them, should be served or refused as a whole; within the
//! hour the same users are. And nobody should be last for ever. *Why a hash?* All replicas of an entry
//! come to the same order without talking to each other. A task under way keeps its priority when the
//! hour ends, because it was computed once.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! use std::convert::Infallible;
//!
//! use dagor::{Entry, Task};
//! use http::{Request, Response};
//! use tower::{ServiceBuilder, ServiceExt, service_fn};
//!
//! let entry = Entry::builder()
//!     .business("/login", 0)
//!     .business("POST /checkout", 1)
//!     .business("/catalogue/*", 4)
//!     .user(|request| request.headers.get("x-account").cloned())
//!     .build()?;
//!
//! // The handler, and every call it makes, is part of the task.
//! let handler = service_fn(async |_: Request<String>| {
//!     let task = Task::current().expect("behind an entry");
//!     Ok::<_, Infallible>(Response::new(task.priority()))
//! });
//! let service = ServiceBuilder::new().layer(entry.clone()).service(handler);
//!
//! let request = Request::post("/checkout")
//!     .header("x-account", "alice")
//!     .header("dagor-priority", "0, 0") // no use
//!     .body(String::new())?;
//! let alice = service.clone().oneshot(request).await?.into_body();
//! assert_eq!(alice.business().get(), 1);
//!
//! let request = Request::get("/catalogue/shoes").header("x-account", "alice").body(String::new())?;
//! let again = service.oneshot(request).await?.into_body();
//! assert_eq!(again.business().get(), 4);
//! assert_eq!(again.user(), alice.user(), "the same all through the hour");
//!
//! // The table can change while the service runs.
//! entry.set_table(dagor::entry::Table::from_entries([("/catalogue/*", 2)])?);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! # Ok::<(), std::io::Error>(())
//! ```

#[cfg(feature = "axum")]
mod axum;
mod builder;
mod error;
mod future;
mod layer;
mod patterns;
mod rules;
mod service;
mod table;
#[cfg(test)]
mod tests;
mod user;

pub use self::{
    builder::EntryBuilder,
    error::{EntryError, Fault, Problem},
    future::ResponseFuture,
    layer::EntryLayer,
    rules::Trust,
    service::Entry,
    table::Table,
    user::UserHash,
};
