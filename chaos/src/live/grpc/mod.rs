//! gRPC's side: one unary method of bytes, whatever its path, with a codec of our own.
//!
//! The instance is a layer of tonic's server, as dagor's is, so that a policy sees the request's head and answers in
//! its place. Where the instance served the request, tonic's method decodes the message and answers it; where it
//! refused or failed, the answer is a head without a message, with a gRPC status. A status of HTTP that gRPC does not
//! have travels in the field [`STATUS`], so that a caller's policy hears the same as over HTTP.

mod client;
mod codec;
mod server;

use http::{HeaderName, HeaderValue, StatusCode};

pub(super) use self::{
    client::GrpcChannel,
    server::{GateLayer, Method, server},
};
use crate::wire::Response;

/// The status of HTTP behind a gRPC status that is not OK.
const STATUS: HeaderName = HeaderName::from_static("chaos-status");
/// The status that gRPC has of its own.
const GRPC_STATUS: HeaderName = HeaderName::from_static("grpc-status");

/// Streams and resets that the servers and callers of a run can have at once. The defaults of h2 are limits
/// against attacks, in which callers that hang up in masses would be caught: the connection of all of them breaks.
const STREAMS: usize = 100_000;

/// Returns the gRPC status of a response that is no success; `None` for a success or if it has one already.
fn code(response: &Response) -> Option<HeaderValue> {
    if response.headers().contains_key(GRPC_STATUS) {
        return None;
    }
    let code = match response.status() {
        status if status.is_success() => return None,
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS => {
            tonic::Code::ResourceExhausted
        }
        _ => tonic::Code::Internal,
    };
    Some(HeaderValue::from(i32::from(code)))
}
