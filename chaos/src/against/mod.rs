//! A service of your own under a scenario.
//!
//! The service, any tower service that answers `http` requests, stands for the whole graph of the scenario. The
//! scenario's load comes to it, with its businesses, users and deadline; so do those faults that can be had at a door
//! (`delay`, `partition`, `pause`), and those criteria are judged that can be seen from there (`goodput`, `share`, `p99`,
//! `recovery`). All that a scenario asks beyond that is refused by name before anything runs.
//!
//! What the services of the scenario say is what yours is held against: the optimum is what *they* could do. So write
//! down one service with as many workers and as much service time as yours has.
//!
//! [`run`](Against::run) takes virtual time: the run has a tokio runtime of its own whose time is paused, every
//! `tokio::time` timer of the service is virtual too, and a minute takes as long as its events. Anything that waits for
//! something else than tokio's timers (sockets, files, threads) sees time jump, and is for
//! [`run_live`](Against::run_live). tokio's timers tick in milliseconds; so do waits of a run.
//!
//! # What a request looks like
//!
//! | part | what |
//! |---|---|
//! | path | `/b/<number>`: the number of the business, 0 the most important |
//! | [`chaos-business`](BUSINESS) | its name |
//! | [`chaos-user`](USER) | the user's number |
//! | extensions | [`Call`](crate::wire::Call) |
//!
//! A response is read to its end. It counts if it is there before the deadline, with a status of success and,
//! for gRPC, `grpc-status: 0`. At the deadline the client is gone: the service's future is dropped then, or goes
//! on for nobody if the scenario says `hang_up = false`.
//!
//! # Example: a limit that holds
//!
//! ```
//! use std::{sync::Arc, time::Duration};
//!
//! use chaos::{Scenario, scenario::Folder, wire::{Body, Request, Response}};
//! use dagor::{Admission, Clock, Concurrency, Settings};
//! use tokio::sync::Semaphore;
//! use tower::{BoxError, Layer as _, service_fn};
//!
//! // Four connections of 20 ms each: 200 requests a second. Three times as many come.
//! let scenario = r#"
//!     purpose = "Three times what the service can do"
//!     duration_s = 6
//!     warm_up_s = 2
//!     deadline_ms = 250
//!     [[service]]
//!     name = "search"
//!     workers = 4
//!     service_ms = 20
//!     distribution = "constant"
//!     [[business]]
//!     name = "query"
//!     entry = "search"
//!     [[load]]
//!     times_capacity = 3
//!     [[criterion]]
//!     name = "goodput"
//!     measure = "goodput"
//!     at_least = 0.9
//! "#;
//! let scenario = Scenario::parse("search.toml", scenario, Folder::BuiltIn)?;
//!
//! let connections = Arc::new(Semaphore::new(4));
//! let search = service_fn(move |_: Request| {
//!     let connections = Arc::clone(&connections);
//!     async move {
//!         let _connection = connections.acquire_owned().await?;
//!         tokio::time::sleep(Duration::from_millis(20)).await;
//!         Ok::<_, BoxError>(Response::new(Body::empty()))
//!     }
//! });
//! let alone = scenario.clone().against(search.clone()).run()?;
//! assert!(!alone.passed(), "{alone}");
//!
//! let settings = Settings {
//!     concurrency: Concurrency::Fixed(4.try_into()?),
//!     ..Settings::default()
//! };
//! let admission = Admission::builder("search").settings(settings).clock(Clock::tokio()).build()?;
//! let protected = admission.layer().layer(search);
//! scenario.against(protected).run()?.assert_passed();
//! # Ok::<(), BoxError>(())
//! ```

mod door;
mod drive;
mod result;
#[cfg(test)]
mod tests;
mod unfit;

use std::{fmt, io, panic::resume_unwind, thread, time::Duration};

use dagor::{Clock, client::BoxError};
use http::HeaderName;
use tokio::runtime::{Builder, Handle, Runtime};
use tower::Service;

pub use self::result::AgainstReport;
use crate::{scenario::Scenario, wire::Request};

/// The field with the name of a request's business.
pub const BUSINESS: HeaderName = HeaderName::from_static("chaos-business");
/// The field with the number of a request's user, from 0.
pub const USER: HeaderName = HeaderName::from_static("chaos-user");

/// A service about to be run under a scenario; begun by [`Scenario::against`].
#[must_use = "nothing runs before `run` or `run_live`"]
pub struct Against<F> {
    scenario: Scenario,
    make: F,
    name: String,
    seed: u64,
}

/// Why a scenario cannot be run against a service. Displays one fault a line, all of them.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AgainstError(Vec<String>);

impl Scenario {
    /// Puts a service of your own in the place of the scenario's services; see [`against`](crate::against).
    pub fn against<S>(self, service: S) -> Against<impl FnOnce() -> S> {
        self.against_made(move || service)
    }

    /// The same with a service that needs a tokio runtime to be made: `make` is called on that of the run.
    pub fn against_made<S, F: FnOnce() -> S>(self, make: F) -> Against<F> {
        Against {
            seed: self.seed,
            scenario: self,
            make,
            name: "own".into(),
        }
    }
}

impl<F> Against<F> {
    /// Sets what the service is called in the report. Default `own`.
    pub fn policy_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the seed of everything that is drawn. Default: the scenario's.
    pub const fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Runs it in virtual time, on one thread.
    ///
    /// The same seed brings the same tasks at the same moments; what the service does is the same if the service is.
    ///
    /// # Errors
    ///
    /// If the scenario asks for what cannot be done or seen from outside the service, everything of that at once; or if
    /// the system gives no runtime.
    ///
    /// # Panics
    ///
    /// If the service does.
    pub fn run<S, B>(self) -> Result<AgainstReport, AgainstError>
    where
        F: FnOnce() -> S + Send,
        S: Service<Request, Response = http::Response<B>> + Clone + Send + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send + 'static,
        B: http_body::Body + Send + 'static,
        B::Error: Into<BoxError>,
    {
        self.run_on(paused)
    }

    /// Runs it in real time, on a runtime with as many threads as the machine has cores.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run).
    ///
    /// # Panics
    ///
    /// If the service does.
    pub fn run_live<S, B>(self) -> Result<AgainstReport, AgainstError>
    where
        F: FnOnce() -> S + Send,
        S: Service<Request, Response = http::Response<B>> + Clone + Send + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send + 'static,
        B: http_body::Body + Send + 'static,
        B::Error: Into<BoxError>,
    {
        self.run_on(|| Builder::new_multi_thread().enable_all().build())
    }

    fn run_on<S, B>(
        self,
        runtime: impl FnOnce() -> io::Result<Runtime> + Send,
    ) -> Result<AgainstReport, AgainstError>
    where
        F: FnOnce() -> S + Send,
        S: Service<Request, Response = http::Response<B>> + Clone + Send + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send + 'static,
        B: http_body::Body + Send + 'static,
        B::Error: Into<BoxError>,
    {
        let faults = unfit::unfit(&self.scenario);
        if !faults.is_empty() {
            return Err(AgainstError(faults));
        }
        let Self {
            scenario,
            make,
            name,
            seed,
        } = self;
        let scenario = result::as_seen_from_outside(scenario);
        let work = || {
            let runtime =
                runtime().map_err(|error| AgainstError(vec![format!("runtime: {error}")]))?;
            Ok(runtime.block_on(async {
                let service = make();
                drive::drive(scenario.clone(), seed, service).await
            }))
        };
        let outcome = elsewhere_if_needed(work)?;
        Ok(AgainstReport::new(name, seed, &scenario, outcome))
    }
}

/// A runtime of virtual time, on one thread.
fn paused() -> io::Result<Runtime> {
    // The process's epoch must not lie after the moment at which time stands still: clocks would be late by that.
    let _: Duration = Clock::system().now();
    Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
}

/// A runtime cannot be driven from within another, which is where a `#[tokio::test]` calls from.
fn elsewhere_if_needed<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    if Handle::try_current().is_err() {
        return work();
    }
    let done = thread::scope(|scope| scope.spawn(work).join());
    done.unwrap_or_else(|panic| resume_unwind(panic))
}

impl<F> fmt::Debug for Against<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Against")
            .field("scenario", &self.scenario.name)
            .field("name", &self.name)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

impl AgainstError {
    /// Returns what does not fit, one sentence each.
    pub fn faults(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl fmt::Display for AgainstError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for AgainstError {}

/// The guide's page, so that its code is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/chaos/own-service.md")]
struct Guide;
