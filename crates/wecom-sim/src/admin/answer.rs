//! What is answered, and what is said of requests that are wrong.

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use http_body_util::Full;
use serde::Serialize;
use serde_json::{Value, json};

use crate::{callback::Unverified, given::Faulty, world::Mistake};

/// What is answered with 200, or what is wrong.
pub(super) type Answer = Result<Value, Fault>;

/// What is wrong with a request.
#[derive(Debug)]
pub(super) enum Fault {
    /// The body or query: 400.
    Faulty(Faulty),
    /// What it asks for cannot be: 400.
    Mistake(String),
    /// What it asks for is not there: 404.
    NotThere(String),
    /// The method; these are some: 405.
    Method(&'static str),
    /// The body has more bytes than are read: 413.
    TooLong,
    /// The address does not answer as it must: 409.
    Unverified(Unverified),
}

/// Returns something as it is answered.
pub(super) fn told(what: impl Serialize) -> Answer {
    serde_json::to_value(what).map_err(|error| Fault::Mistake(error.to_string()))
}

/// Says that something is not there.
pub(super) fn not_there<T>(what: &str, id: &str) -> Result<T, Fault> {
    Err(Fault::NotThere(format!("there is no {what} {id:?}")))
}

/// Returns the response.
pub(super) fn response(answered: Answer) -> Response<Full<Bytes>> {
    let (status, body, allow) = match answered {
        Ok(value) => (StatusCode::OK, value, None),
        Err(fault) => fault.told(),
    };
    let mut text = body.to_string();
    text.push('\n');
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let json = HeaderValue::from_static("application/json");
    headers.insert(header::CONTENT_TYPE, json);
    if let Some(allow) = allow {
        headers.insert(header::ALLOW, HeaderValue::from_static(allow));
    }
    response
}

// === impl Fault ===

impl Fault {
    fn told(self) -> (StatusCode, Value, Option<&'static str>) {
        let (status, error, allow) = match self {
            Self::Faulty(faulty) => {
                let mistakes: Vec<String> = faulty.mistakes().map(ToString::to_string).collect();
                let body = json!({ "error": faulty.to_string(), "mistakes": mistakes });
                return (StatusCode::BAD_REQUEST, body, None);
            }
            Self::Mistake(told) => (StatusCode::BAD_REQUEST, told, None),
            Self::NotThere(told) => (StatusCode::NOT_FOUND, told, None),
            Self::Method(allow) => {
                let told = format!("expected the method {allow}");
                (StatusCode::METHOD_NOT_ALLOWED, told, Some(allow))
            }
            Self::TooLong => {
                let most = super::LONGEST_BODY;
                let told = format!("expected a body of at most {most} bytes");
                (StatusCode::PAYLOAD_TOO_LARGE, told, None)
            }
            Self::Unverified(why) => {
                let told = format!("the callback address is not verified: {why}");
                (StatusCode::CONFLICT, told, None)
            }
        };
        (status, json!({ "error": error }), allow)
    }
}

impl From<Faulty> for Fault {
    fn from(faulty: Faulty) -> Self {
        Self::Faulty(faulty)
    }
}

impl From<Mistake> for Fault {
    fn from(mistake: Mistake) -> Self {
        Self::Mistake(mistake.to_string())
    }
}

impl From<Unverified> for Fault {
    fn from(why: Unverified) -> Self {
        Self::Unverified(why)
    }
}
