//! Callees that speak no DAGOR: what their answers say is read by a [`Feedback`], and the caller infers
//! a level of its own from it.
//!
//! # Signals
//!
//! A refusal (429, 503, `RESOURCE_EXHAUSTED`, a quota's error code) is the only sign such a callee gives.
//! Every call that is wanted counts as demand, sent or not; every call that was served counts as
//! served. From these the law that a callee would run is run here, for each instance by itself: two
//! instances, or two tenants under names of their own, never affect each other.
//!
//! # When it tightens
//!
//! A window in which a call was refused counts as overloaded, be it one: the level falls by 5 % of what it
//! admits, or at once to 1.4 times what was served if that is less. It stops at what keeps 1 % of the
//! demand.
//!
//! # When it relaxes
//!
//! Not before one second has passed since the last refusal, nor before its `Retry-After` has (of which
//! no more than [`longest_hold`](super::Builder::longest_hold) is believed). Then it rises by 1 % of the
//! demand a window, after five seconds without refusal by 5 %, after ten by 20 %, up to open.
//!
//! Meanwhile a trickle always passes: one call for each time to live in which nothing was heard.
//!
//! # What comes of it
//!
//! Simulated with three times the demand that a quota of 100 a second has room for, a quarter of it
//! important: counted in tenths of a second, 2 % of the calls sent are refused, 98 % of the important ones
//! are served and 88 % of the quota is used; counted in whole seconds 7 %, 94 % and 96 %.
//!
//! # Idle gap
//!
//! An instance that nobody wanted for a window opens its level, unless it refused within the last ten
//! seconds or is held: little traffic is all gaps.
//!
//! # Units
//!
//! Windows are those of the [`Constants`](crate::control::Constants): 100 ms to 1 s. The seconds above are
//! multiples of the longest window. Callees whose quota counts minutes or hours refuse until that
//! minute is over; give [`constants`](super::Builder::constants) a longer longest window for them, so
//! that the rise is as slow as the quota.
//!
//! # Example: any response type
//!
//! A client that is no service of `http` requests asks directly, with [`Callee::decide`]:
//!
//! ```
//! use std::time::Duration;
//!
//! use dagor::{Priority, client::{Callee, Sign}};
//!
//! let callee = Callee::new("contacts");
//! let pass = callee.decide("tenant 7", Priority::MOST_IMPORTANT)?;
//! // ... the call is made, and its answer says: slow down for a minute.
//! pass.settle(Sign::Refused { retry_after: Some(Duration::from_secs(60)) });
//! # Ok::<(), dagor::Withheld>(())
//! ```
//!
//! [`Callee::decide`]: super::Callee::decide

use std::{fmt, sync::Arc, time::Duration};

use http::{HeaderMap, HeaderName, Response, StatusCode, header::RETRY_AFTER};

/// What an answer says of the instance that gave it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Sign {
    /// It did the work; whether with success is another matter.
    Served,
    /// It refused, being too busy or the quota being used up.
    Refused {
        /// How long it asks to be left alone, where it says so.
        retry_after: Option<Duration>,
    },
    /// Neither: the call failed, and nothing follows from it for the level.
    Failed,
}

/// Reads from the results of calls whether the callee refused.
///
/// `Res` is the inner service's response and `E` its error, of whatever kind. A function of the result
/// is a feedback:
///
/// ```
/// use dagor::client::{Callee, Feedback, Sign};
///
/// struct Reply { errcode: i64 }
///
/// let feedback = |result: &Result<Reply, std::io::Error>| match result {
///     Ok(Reply { errcode: 45009 }) => Sign::Refused { retry_after: None },
///     Ok(_) => Sign::Served,
///     Err(_) => Sign::Failed,
/// };
/// assert_eq!(feedback.classify(&Ok(Reply { errcode: 0 })), Sign::Served);
/// let layer = Callee::new("contacts").layer().feedback(feedback);
/// ```
pub trait Feedback<Res, E> {
    /// Returns what the result says of the instance.
    fn classify(&self, result: &Result<Res, E>) -> Sign;
}

/// Marks a layer or service whose level comes from the fields of the responses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fields;

/// Marks a layer or service whose level is inferred from a [`Feedback`].
pub struct Inferred<F>(pub(super) Arc<F>);

/// Reads HTTP: 429 and 503 are refusals, with `Retry-After` in seconds.
///
/// A `Retry-After` that is a date is taken as a refusal without one: it could only be understood by
/// trusting that both calendars agree. Errors count as failed, all other responses as served.
///
/// ```
/// use dagor::client::{Feedback, HttpFeedback, Sign};
/// use http::Response;
///
/// let busy = Response::builder().status(503).header("retry-after", "2").body(()).unwrap();
/// let sign = HttpFeedback.classify(&Ok::<_, std::io::Error>(busy));
/// assert_eq!(sign, Sign::Refused { retry_after: Some(std::time::Duration::from_secs(2)) });
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct HttpFeedback;

/// Reads gRPC: status 8 (`RESOURCE_EXHAUSTED`) is a refusal, with `grpc-retry-pushback-ms`.
///
/// Only the response head is read, which is where a server that refuses without working says so
/// (a response of trailers only). A status that follows a body is one of work that was done. A response
/// without any gRPC status is read like [`HttpFeedback`], for it may come from a proxy.
#[derive(Clone, Copy, Debug, Default)]
pub struct GrpcFeedback;

const GRPC_STATUS: HeaderName = HeaderName::from_static("grpc-status");
const GRPC_PUSHBACK: HeaderName = HeaderName::from_static("grpc-retry-pushback-ms");

// === impl Feedback ===

impl<F, Res, E> Feedback<Res, E> for F
where
    F: Fn(&Result<Res, E>) -> Sign,
{
    fn classify(&self, result: &Result<Res, E>) -> Sign {
        self(result)
    }
}

impl<B, E> Feedback<Response<B>, E> for HttpFeedback {
    fn classify(&self, result: &Result<Response<B>, E>) -> Sign {
        match result {
            Ok(response) => http_sign(response.status(), response.headers()),
            Err(_) => Sign::Failed,
        }
    }
}

impl<B, E> Feedback<Response<B>, E> for GrpcFeedback {
    fn classify(&self, result: &Result<Response<B>, E>) -> Sign {
        let Ok(response) = result else {
            return Sign::Failed;
        };
        let headers = response.headers();
        match headers.get(GRPC_STATUS) {
            None => http_sign(response.status(), headers),
            Some(status) if status == "8" => Sign::Refused {
                // A negative one says "do not retry", not for how long.
                retry_after: number(headers, &GRPC_PUSHBACK).map(Duration::from_millis),
            },
            Some(_) => Sign::Served,
        }
    }
}

// === impl Inferred ===

impl<F> Inferred<F> {
    pub(super) fn classify<Res, E>(&self, result: &Result<Res, E>) -> Sign
    where
        F: Feedback<Res, E>,
    {
        self.0.classify(result)
    }
}

impl<F> Clone for Inferred<F> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<F> fmt::Debug for Inferred<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Inferred")
    }
}

fn http_sign(status: StatusCode, headers: &HeaderMap) -> Sign {
    match status {
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => Sign::Refused {
            retry_after: number(headers, &RETRY_AFTER).map(Duration::from_secs),
        },
        _ => Sign::Served,
    }
}

fn number(headers: &HeaderMap, name: &HeaderName) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}
