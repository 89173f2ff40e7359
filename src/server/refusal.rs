//! How a refusal is said: an HTTP response, or gRPC's own form of one.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};

use super::{body::Body, level::set_level};
use crate::{admission::Shared, config::Refusal, error::Shed, wire::Outcome};

/// How the peer wants to be refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Dialect {
    Http,
    #[cfg(feature = "grpc")]
    Grpc,
}

impl Dialect {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        #[cfg(feature = "grpc")]
        if crate::wire::grpc::is_grpc(headers) {
            return Self::Grpc;
        }
        let _ = headers;
        Self::Http
    }

    /// Returns the response to a request that was refused: never processed, with the level on it.
    pub(super) fn refuse<B>(self, shed: &Shed, shared: &Shared) -> Response<Body<B>> {
        let settings = shared.settings();
        let mut response = match self {
            Self::Http => http_refusal(&settings.refusal, shared),
            #[cfg(feature = "grpc")]
            Self::Grpc => grpc_refusal(&settings.refusal, shed, shared),
        };
        let field = shared.level_field(Outcome::Shed);
        set_level(response.headers_mut(), shared.names(), &field);
        response.extensions_mut().insert(shed.clone());
        response
    }
}

fn http_refusal<B>(refusal: &Refusal, shared: &Shared) -> Response<Body<B>> {
    let body = Bytes::from(refusal.body.clone());
    let mut response = Response::new(Body::full(body));
    // Checked when the settings were.
    *response.status_mut() =
        StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
    let seconds = shared.jitter_seconds(refusal.retry_after);
    response
        .headers_mut()
        .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    if let Ok(content_type) = HeaderValue::from_str(&refusal.content_type) {
        response
            .headers_mut()
            .insert(header::CONTENT_TYPE, content_type);
    }
    response
}

#[cfg(feature = "grpc")]
fn grpc_refusal<B>(refusal: &Refusal, shed: &Shed, shared: &Shared) -> Response<Body<B>> {
    use crate::wire::grpc;
    let pushback = shared.jitter(refusal.retry_after);
    let response = grpc::refusal(&grpc::message(&shed.to_string()), Some(pushback));
    response.map(|()| Body::full(Bytes::new()))
}
