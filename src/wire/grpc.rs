//! A refusal in gRPC's own terms, and how to tell that a request wants one.
//!
//! gRPC clients take an HTTP status other than 200 for a broken proxy. A refusal is therefore a head that
//! is also the trailers ("trailers-only"): status 200, `grpc-status` 8 (`RESOURCE_EXHAUSTED`), and in
//! `grpc-retry-pushback-ms` how long the client's retries should stay away. The level travels beside it
//! under the same name and in the same text as everywhere.
//!
//! ```
//! use std::time::Duration;
//!
//! use dagor::wire::grpc;
//! use http::{HeaderMap, HeaderValue};
//!
//! let mut request = HeaderMap::new();
//! request.insert("content-type", HeaderValue::from_static("application/grpc+proto"));
//! assert!(grpc::is_grpc(&request));
//!
//! let message = grpc::message("overloaded: 100 % busy");
//! let refusal = grpc::refusal(&message, Some(Duration::from_millis(1500)));
//! assert_eq!(refusal.status(), 200);
//! assert_eq!(refusal.headers()["grpc-status"], "8");
//! assert_eq!(refusal.headers()["grpc-message"], "overloaded: 100 %25 busy");
//! assert_eq!(refusal.headers()["grpc-retry-pushback-ms"], "1500");
//! ```

use std::{fmt::Write, time::Duration};

use ::http::{HeaderMap, HeaderName, HeaderValue, Response, header::CONTENT_TYPE};

const CONTENT: &str = "application/grpc";
const STATUS: HeaderName = HeaderName::from_static("grpc-status");
const MESSAGE: HeaderName = HeaderName::from_static("grpc-message");
const PUSHBACK: HeaderName = HeaderName::from_static("grpc-retry-pushback-ms");

/// Returns whether these are the headers of a gRPC message: the content type is `application/grpc`, with
/// or without a suffix (`+proto`) or parameters.
///
/// gRPC-Web (`application/grpc-web`) is not: it is answered like any HTTP request.
#[must_use]
pub fn is_grpc(headers: &HeaderMap) -> bool {
    let Some(content) = headers.get(CONTENT_TYPE) else {
        return false;
    };
    let Some((content, rest)) = content.as_bytes().split_at_checked(CONTENT.len()) else {
        return false;
    };
    content.eq_ignore_ascii_case(CONTENT.as_bytes())
        && matches!(rest.first(), None | Some(b'+' | b';' | b' '))
}

/// Returns a text as the value of `grpc-message`: percent-encoded, whatever it contains.
///
/// # Panics
///
/// Never: what comes of it is printable ASCII.
#[must_use]
pub fn message(text: &str) -> HeaderValue {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' '..=b'~' if byte != b'%' => encoded.push(char::from(byte)),
            // Writing to a String does not fail.
            _ => drop(write!(encoded, "%{byte:02X}")),
        }
    }
    HeaderValue::try_from(encoded).expect("printable ASCII is a valid header")
}

/// Returns the head that refuses a request: `RESOURCE_EXHAUSTED`, with [`message`] and, where there is one,
/// the time for which the client should not retry (in whole milliseconds, at most `i32::MAX` of them).
///
/// The response is complete with an empty body; the level is put onto it like onto any other.
#[must_use]
pub fn refusal(message: &HeaderValue, pushback: Option<Duration>) -> Response<()> {
    let mut response = Response::new(());
    let headers = response.headers_mut();
    headers.reserve(5);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(CONTENT));
    headers.insert(STATUS, HeaderValue::from_static("8"));
    headers.insert(MESSAGE, message.clone());
    if let Some(pushback) = pushback {
        headers.insert(PUSHBACK, milliseconds(pushback).into());
    }
    response
}

fn milliseconds(duration: Duration) -> i32 {
    i32::try_from(duration.as_millis()).unwrap_or(i32::MAX)
}
