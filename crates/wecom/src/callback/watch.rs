//! What is told of each callback: metrics (feature `metrics`) and tracing (feature `tracing`).
//!
//! | metric | kind | labels | means |
//! |---|---|---|---|
//! | `wecom_callbacks_total` | counter | outcome | requests, by what became of them |
//! | `wecom_callback_seconds` | histogram | outcome | from a request's head to its answer |
//! | `wecom_callback_handlers_total` | counter | outcome | handlers that ended, by what became of them |
//!
//! The `outcome` of a request is `durable`, `repeated` (durable, and another copy of it had come before), `echoed`,
//! `failed`, `late`, `busy`, `torn` (its body did not come in time), `cancelled` (the sender hung up), or the
//! [reason](Rejected::reason) of a refusal: 17 in all. That of a handler is `durable`, `failed`, `overdue` (it took too long
//! and was dropped) or `broken` (it panicked, or the runtime ended); requests that were answered `late` show up there in the
//! end. No label and no event bears an id, a name or a piece of a message. Units are told to the recorder when a router
//! is made.
//!
//! Worth an alarm: `stale` (a clock is wrong), `cipher`, `receive_id` and `corp` (a setting is wrong), which nobody can
//! cause who does not know the token; `failed`, `late`, `busy`, `overdue` and `broken`. Those are told at WARN once a
//! minute each, and otherwise at DEBUG, as is what any stranger can cause, with the parameter or the length that is wrong.

use axum::http::StatusCode;

use super::{receiver::Receiver, rejected::Rejected};

/// What became of a request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Outcome {
    Durable,
    Repeated,
    Echoed,
    Failed,
    Late,
    Busy,
    /// The body did not come, or not in time.
    Torn,
    /// The sender hung up before there was an answer.
    Cancelled,
    Rejected(Rejected),
}

/// How a handler ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Ended {
    Durable,
    Failed,
    /// It was dropped, having taken too long.
    Overdue,
    /// It panicked, or was dropped with its runtime.
    Broken,
}

/// Tells what happens at one address. Costs nothing without the features.
pub(super) struct Watch {
    #[cfg(any(feature = "metrics", feature = "tracing"))]
    clock: crate::clock::Clock,
    /// When each outcome was last told at WARN.
    #[cfg(feature = "tracing")]
    told: std::sync::Mutex<std::collections::BTreeMap<&'static str, std::time::Duration>>,
}

/// A request that is under way. Dropped before it has ended it counts as cancelled.
pub(super) struct Ongoing<'a> {
    watch: &'a Watch,
    outcome: Outcome,
    #[cfg(feature = "metrics")]
    begun: std::time::Duration,
}

// === impl Outcome ===

impl Outcome {
    pub(super) const fn status(self) -> StatusCode {
        match self {
            Self::Durable | Self::Repeated | Self::Echoed => StatusCode::OK,
            Self::Failed | Self::Late | Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::Torn | Self::Cancelled => StatusCode::REQUEST_TIMEOUT,
            Self::Rejected(rejected) => rejected.status(),
        }
    }

    #[cfg(any(feature = "metrics", feature = "tracing"))]
    const fn name(self) -> &'static str {
        match self {
            Self::Durable => "durable",
            Self::Repeated => "repeated",
            Self::Echoed => "echoed",
            Self::Failed => "failed",
            Self::Late => "late",
            Self::Busy => "busy",
            Self::Torn => "torn",
            Self::Cancelled => "cancelled",
            Self::Rejected(rejected) => rejected.reason(),
        }
    }

    /// Returns what is wrong with a request that is refused, in words; what depends on a secret reads alike.
    #[cfg(feature = "tracing")]
    fn why(self) -> Option<String> {
        match self {
            Self::Rejected(rejected) => Some(rejected.to_string()),
            _ => None,
        }
    }

    /// Returns what to tell of it, and whether somebody should look.
    #[cfg(feature = "tracing")]
    const fn message(self) -> Option<(&'static str, bool)> {
        match self {
            Self::Durable | Self::Repeated | Self::Echoed => None,
            Self::Failed | Self::Late | Self::Busy => {
                Some(("a callback is not durable, to be sent again", true))
            }
            Self::Torn | Self::Cancelled => Some(("a callback broke off", false)),
            Self::Rejected(rejected) => Some(("a callback is refused", rejected.was_signed())),
        }
    }
}

// === impl Ended ===

impl Ended {
    #[cfg(any(feature = "metrics", feature = "tracing"))]
    const fn name(self) -> &'static str {
        match self {
            Self::Durable => "durable",
            Self::Failed => "failed",
            Self::Overdue => "overdue",
            Self::Broken => "broken",
        }
    }

    /// Returns what to tell of it beyond what is told of the requests that wait for it.
    #[cfg(feature = "tracing")]
    const fn message(self) -> Option<&'static str> {
        match self {
            Self::Durable | Self::Failed => None,
            Self::Overdue => Some("a callback's handler took too long and is dropped"),
            Self::Broken => Some("a callback's handler panicked, or its runtime ended"),
        }
    }
}

// === impl Watch ===

impl Watch {
    pub(super) fn new(receiver: &Receiver) -> Self {
        #[cfg(feature = "metrics")]
        describe();
        #[cfg(not(any(feature = "metrics", feature = "tracing")))]
        let _ = receiver;
        Self {
            #[cfg(any(feature = "metrics", feature = "tracing"))]
            clock: receiver.clock(),
            #[cfg(feature = "tracing")]
            told: std::sync::Mutex::default(),
        }
    }

    pub(super) fn begin(&self) -> Ongoing<'_> {
        Ongoing {
            watch: self,
            outcome: Outcome::Cancelled,
            #[cfg(feature = "metrics")]
            begun: self.clock.now(),
        }
    }

    pub(super) fn handler_ended(&self, ended: Ended) {
        #[cfg(feature = "metrics")]
        metrics::counter!("wecom_callback_handlers_total", "outcome" => ended.name()).increment(1);
        #[cfg(feature = "tracing")]
        if let Some(message) = ended.message() {
            self.tell(ended.name(), (message, true), None);
        }
        let _ = ended;
    }

    #[cfg(feature = "tracing")]
    fn tell(&self, name: &'static str, told: (&'static str, bool), why: Option<&str>) {
        let (message, is_grave) = told;
        if is_grave && self.is_news(name) {
            tracing::warn!(outcome = name, why, message);
        } else {
            tracing::debug!(outcome = name, why, message);
        }
    }

    /// Returns whether this outcome has not been told within the last minute; if so, it has now.
    #[cfg(feature = "tracing")]
    fn is_news(&self, name: &'static str) -> bool {
        let now = self.clock.now();
        let mut told = self
            .told
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let next = told
            .get(name)
            .map(|last| *last + std::time::Duration::from_secs(60));
        let is_news = next.is_none_or(|next| next <= now);
        if is_news {
            told.insert(name, now);
        }
        is_news
    }
}

// === impl Ongoing ===

impl Ongoing<'_> {
    pub(super) fn end(mut self, outcome: Outcome) {
        self.outcome = outcome;
    }
}

impl Drop for Ongoing<'_> {
    fn drop(&mut self) {
        let Self { watch, outcome, .. } = self;
        #[cfg(feature = "metrics")]
        {
            let took = watch.clock.now().saturating_sub(self.begun);
            let name = outcome.name();
            metrics::counter!("wecom_callbacks_total", "outcome" => name).increment(1);
            metrics::histogram!("wecom_callback_seconds", "outcome" => name).record(took);
        }
        #[cfg(feature = "tracing")]
        if let Some(told) = outcome.message() {
            watch.tell(outcome.name(), told, outcome.why().as_deref());
        }
        let _ = (watch, outcome);
    }
}

#[cfg(feature = "metrics")]
fn describe() {
    metrics::describe_counter!(
        "wecom_callbacks_total",
        metrics::Unit::Count,
        "Callbacks, by what became of them"
    );
    metrics::describe_counter!(
        "wecom_callback_handlers_total",
        metrics::Unit::Count,
        "Handlers of callbacks that ended, by what became of them"
    );
    metrics::describe_histogram!(
        "wecom_callback_seconds",
        metrics::Unit::Seconds,
        "From a callback's head to its answer"
    );
}
