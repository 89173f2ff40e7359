//! What is told of each call and callback: metrics (feature `metrics`) and tracing (feature `tracing`). Nothing to call:
//! it happens by itself.
//!
//! # Metrics
//!
//! | metric | kind | labels | means |
//! |---|---|---|---|
//! | `wecom_calls_total` | counter | api, class | calls that have ended; class `ok`, one of the nine, or `cancelled` for one whose future was dropped |
//! | `wecom_call_seconds` | histogram | api | from each request to its whole answer, or to its time-out; a call that is repeated has two |
//! | `wecom_waited_seconds` | histogram | api | what each request waited for its room and its token |
//! | `wecom_throttled_total` | counter | api, errcode | answers 45009, 45033, 45035 and 45036 |
//! | `wecom_token_fetches_total` | counter | result | tokens fetched: `ok`, or the class of why not |
//! | `wecom_breakers_opened_total` | counter | | secrets that were refused, so that nothing is fetched for a while |
//! | `wecom_store_failures_total` | counter | what | shared stores that did not answer |
//! | `wecom_callbacks_total` | counter | outcome | requests to a router of callbacks (feature `axum`): `durable`, `repeated`, `echoed`, `failed`, `late`, `busy`, `torn`, `cancelled`, or the [reason](crate::callback::Rejected::reason) of a refusal |
//! | `wecom_callback_seconds` | histogram | outcome | from a callback's head to its answer |
//!
//! Labels are bounded: APIs and what failed are named in code, classes are eleven, outcomes 17. There is no corp among them: a
//! platform has 30,000, and each would be a series of its own.
//!
//! Units are told to the recorder when a client is made, so install the recorder before.
//!
//! # Tracing
//!
//! Each call is a span `wecom.call` at level INFO with the fields `api`, `corp`, `attempts`, `class` and `errcode`; the
//! last three are recorded when it ends. An `errcode` is an event with its `hint`: at WARN when it is news, which is
//! when the last one of this API was another or is a minute past, otherwise at DEBUG. An answer that says that a part
//! of the body was not applied is an event at ERROR.
//!
//! A callback is an event: at WARN, once a minute for each outcome, where a setting or a handler is at fault, such as a
//! message for another corp, which the peer is never told; otherwise at DEBUG.

use std::time::Duration;

use crate::{
    error::{Class, Errcode, Error, Kind},
    name::{Api, CorpId},
};

mod log;
mod meter;

pub(crate) use self::log::Span;

/// Tells what happens in one client. Costs nothing without the features. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    log: log::Log,
}

/// One call that is under way. Dropped before it has ended it counts as cancelled.
#[derive(Debug)]
pub(crate) struct Ongoing {
    api: Api,
    span: Span,
    attempts: u32,
    over: bool,
}

// === impl Watch ===

impl Watch {
    pub(crate) fn new(corp: CorpId) -> Self {
        meter::describe();
        Self {
            log: log::Log::new(corp),
        }
    }

    /// A call begins.
    pub(crate) fn begin(&self, api: Api) -> Ongoing {
        Ongoing {
            span: self.log.span(api),
            api,
            attempts: 0,
            over: false,
        }
    }

    /// An answer came, or did not within the time it may take.
    pub(crate) fn answered<R>(&self, api: Api, result: &Result<R, Error>, took: Duration) {
        meter::took(api, took);
        let Err(error) = result else { return };
        match error.kind() {
            Kind::Refused(refused) => {
                meter::throttled(api, refused.errcode);
                self.log.refused(api, error.class(), refused);
            }
            Kind::PartlyApplied { hint } => self.log.partly_applied(api, hint.as_deref()),
            _ => {}
        }
    }

    /// A request waited so long for its room and its token.
    pub(crate) fn waited(&self, api: Api, waited: Duration) {
        meter::waited(api, waited);
    }

    /// A token was fetched, or could not be.
    pub(crate) fn fetched(&self, result: Result<(), &Error>) {
        meter::fetched(result.err().map(Error::class));
        self.log.fetched(result);
    }

    /// The secret was refused: nothing is fetched for so long.
    pub(crate) fn breaker_opened(&self, errcode: Errcode, pause: Duration) {
        meter::breaker_opened();
        self.log.breaker_opened(errcode, pause);
    }

    /// The store that processes share did not answer; a token at hand is used on.
    pub(crate) fn store_failed(&self, what: &'static str) {
        meter::store_failed(what);
        self.log.store_failed(what);
    }
}

// === impl Ongoing ===

impl Ongoing {
    /// Returns the span that the call belongs in.
    pub(crate) fn span(&self) -> Span {
        self.span.clone()
    }

    /// A request is sent.
    pub(crate) fn attempted(&mut self) {
        self.attempts += 1;
    }

    /// The call has ended.
    pub(crate) fn ended<R>(mut self, result: &Result<R, Error>) {
        let error = result.as_ref().err();
        let class = error.map(Error::class);
        self.over(
            class.map_or("ok", Class::name),
            error.and_then(Error::errcode),
        );
    }

    fn over(&mut self, class: &'static str, errcode: Option<Errcode>) {
        self.over = true;
        meter::called(self.api, class);
        self.span.end(class, errcode, self.attempts);
    }
}

impl Drop for Ongoing {
    fn drop(&mut self) {
        if !self.over {
            self.over("cancelled", None);
        }
    }
}
