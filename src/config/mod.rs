//! What an operator may change, and the checks that stand between a typing error and an outage.
//!
//! [`Settings`] is a plain value with public fields: build it in code, or read it from a TOML file and
//! the environment (feature `config`). [`Settings::check`] is run by whoever takes it, at the start and
//! at every reload. It reports *every* fault at once, each with its key, its value and what is allowed,
//! so that a file is corrected in one round; a reload that fails leaves the running settings alone.
//!
//! Faults speak of keys as the file has them, with the unit in the name (`threshold_ms`), whether or
//! not a file was involved.
//!
//! ```
//! use std::time::Duration;
//! use dagor::{Mode, Settings};
//!
//! let mut settings = Settings { mode: Mode::Observe, ..Settings::default() };
//! settings.constants.threshold = Duration::from_millis(40);
//! settings.check()?;
//!
//! settings.constants.threshold = Duration::ZERO;
//! settings.refusal.status = 200;
//! let error = settings.check().unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "threshold_ms = 0, expected 0.1 to 10000 ms\n\
//!      refusal.status = 200, expected 400 to 599",
//! );
//! # Ok::<(), dagor::config::SettingsError>(())
//! ```
//!
//! # Reloading
//!
//! Everything here may change while requests are served. `FileWatch` (feature `config`) reads a file
//! again and says whether it changed; it has no thread and no timer, the caller decides when: on
//! `SIGHUP`, or every few seconds.

mod check;
mod concurrency;
#[cfg(feature = "config")]
mod document;
#[cfg(feature = "config")]
mod env;
mod fault;
#[cfg(feature = "config")]
mod file;
#[cfg(feature = "config")]
mod given;
#[cfg(feature = "config")]
mod nearest;
mod numbers;
#[cfg(feature = "config")]
mod read;
#[cfg(test)]
mod tests;
#[cfg(feature = "config")]
mod watch;

use std::{fmt, time::Duration};

use crate::{control::Constants, priority::Business};

pub use self::{
    check::check_businesses,
    concurrency::{Adaptive, Concurrency},
    fault::{Fault, SettingsError},
};
#[cfg(feature = "config")]
#[cfg_attr(docsrs, doc(cfg(feature = "config")))]
pub use self::{file::File, watch::FileWatch};

/// Everything about one service's overload control that may change while it runs.
///
/// The defaults suit a service whose handlers take milliseconds and whose callers give up after half a
/// second. The first two to look at are [`threshold`](Constants::threshold) and
/// [`concurrency`](Self::concurrency).
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Whether refusals are carried out (`mode`, default [`Mode::Enforce`]).
    ///
    /// Start a new service with [`Mode::Observe`] and read what it would have refused.
    pub mode: Mode,

    /// The numbers of the control law (`law`, then one key each; default [`Constants::dagor`]).
    pub constants: Constants,

    /// How many requests may be worked on at the same time (`[concurrency]`, default
    /// [`Concurrency::Adaptive`]).
    pub concurrency: Concurrency,

    /// How long a request may wait in the gate before it is refused (`longest_wait_ms`).
    ///
    /// 1 ms to 60 s and not below the threshold; default `None`, five times the
    /// threshold in force. Too low refuses bursts that would have been served in time; too high serves
    /// requests whose callers have already given up. A request's own deadline counts besides. Five
    /// times 20 ms is the longest wait that the measurements of the gate were made with.
    pub longest_wait: Option<Duration>,

    /// What a refused request is told (`[refusal]`).
    pub refusal: Refusal,

    /// Paths that are neither counted nor refused nor made to wait (`exempt`, default the health checks:
    /// `/grpc.health.v1.Health/*`, `/healthz`, `/livez`, `/readyz`).
    ///
    /// Each begins with `/`; a `*` at the end stands for any ending, as in `/grpc.health.v1.Health/*`.
    /// At most 1,024 of at most 1,024 bytes. Too few: an orchestrator whose health check is refused
    /// kills the instances that are busiest. Too many: what is exempt can overload the service.
    pub exempt: Vec<String>,

    /// When a request's permit is given back (`permit_ends`, default [`PermitEnds::Head`]).
    pub permit_ends: PermitEnds,

    /// The business of a request that names none (`default_business`, 0 to 255).
    ///
    /// Default `None`, the least important. Too important a number lets whoever sends no priority at
    /// all go before those who do.
    pub default_business: Option<Business>,

    /// Whether a time stamp on the request is believed (`request_start`, default
    /// [`RequestStart::Ignored`]).
    pub request_start: RequestStart,
}

/// What happens to a request that the level would refuse.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Mode {
    /// It is refused (`"enforce"`).
    #[default]
    Enforce,
    /// It is counted as one that would have been refused, and served (`"observe"`); callers are told
    /// an open level, so they withhold nothing either.
    Observe,
    /// Nothing is measured, decided or counted (`"off"`).
    Off,
}

/// When a request gives its permit back.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum PermitEnds {
    /// With the head of the response (`"head"`): a slow reader cannot hold the service's capacity.
    #[default]
    Head,
    /// With the end of the body (`"body"`): for services whose work is in the stream.
    Body,
}

/// Whether the time stamp that a proxy puts on a request counts as its arrival.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum RequestStart {
    /// It does not (`"ignored"`): right whenever a stranger can send one.
    #[default]
    Ignored,
    /// It does (`"trusted"`): right behind a proxy that overwrites it and keeps the same time.
    Trusted,
}

/// The answer to a refused request over plain HTTP; gRPC has its own words.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Refusal {
    /// The status code (`refusal.status`, 400 to 599, default 503).
    ///
    /// 503 is retried elsewhere by most proxies; 429 is for those that would count a 503 as a fault of
    /// the instance and eject it.
    pub status: u16,

    /// The body (`refusal.body`, at most 64 KiB, default one short line). Long ones make refusing
    /// dear, when being cheap is its whole point.
    pub body: String,

    /// The body's `Content-Type` (`refusal.content_type`, default `text/plain; charset=utf-8`).
    pub content_type: String,

    /// The bounds that `Retry-After` is drawn from, evenly (`refusal.retry_after_seconds`, 0 s to 1 h
    /// each, low before high, default 1 s to 3 s).
    ///
    /// HTTP tells whole seconds, rounded up; gRPC tells milliseconds. Too low and refused
    /// clients are back before the level can have moved; equal bounds and they are back all at once.
    pub retry_after: (Duration, Duration),
}

// === impl Settings ===

impl Default for Settings {
    fn default() -> Self {
        let exempt = ["/grpc.health.v1.Health/*", "/healthz", "/livez", "/readyz"];
        Self {
            mode: Mode::default(),
            constants: Constants::default(),
            concurrency: Concurrency::default(),
            longest_wait: None,
            refusal: Refusal::default(),
            exempt: exempt.map(String::from).into(),
            permit_ends: PermitEnds::default(),
            default_business: None,
            request_start: RequestStart::default(),
        }
    }
}

// === impl Mode ===

impl Mode {
    /// Returns the word used in files, metrics and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Enforce => "enforce",
            Self::Observe => "observe",
            Self::Off => "off",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

// === impl PermitEnds ===

impl PermitEnds {
    /// Returns the word used in files, metrics and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Head => "head",
            Self::Body => "body",
        }
    }
}

impl fmt::Display for PermitEnds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

// === impl RequestStart ===

impl RequestStart {
    /// Returns the word used in files, metrics and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ignored => "ignored",
            Self::Trusted => "trusted",
        }
    }
}

impl fmt::Display for RequestStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

// === impl Refusal ===

impl Default for Refusal {
    fn default() -> Self {
        Self {
            status: 503,
            body: String::from("overloaded, try again later\n"),
            content_type: String::from("text/plain; charset=utf-8"),
            retry_after: (Duration::from_secs(1), Duration::from_secs(3)),
        }
    }
}
