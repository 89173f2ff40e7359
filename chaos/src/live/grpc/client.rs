//! tonic's channel as a link.

use std::{
    fmt,
    net::SocketAddr,
    sync::{Mutex, PoisonError},
};

use http::{HeaderValue, StatusCode, uri::PathAndQuery};
use http_body_util::BodyExt as _;
use tonic::{
    Code, Status,
    client::Grpc,
    metadata::MetadataMap,
    transport::{Channel, Endpoint},
};

use super::{GRPC_STATUS, STATUS, STREAMS, codec::Plain};
use crate::{
    live::channel::{Address, depart},
    wire::{Answer, Answering, Body, Exchange, Request, Response, Unreachable, respond},
};

/// One connection over HTTP/2, which is made when it is first needed and again when it broke.
pub(in crate::live) struct GrpcChannel {
    to: Address,
    /// Where it was made for: an instance may come back elsewhere.
    made: Mutex<Option<(SocketAddr, Channel)>>,
}

impl GrpcChannel {
    /// A channel to whoever listens there.
    pub(in crate::live) const fn new(to: Address) -> Self {
        Self {
            to,
            made: Mutex::new(None),
        }
    }

    /// Returns the channel, on the current runtime.
    fn channel(&self) -> Result<Channel, tonic::transport::Error> {
        let address = self.to.get();
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, channel)) = &*made
            && *at == address
        {
            return Ok(channel.clone());
        }
        let channel = Endpoint::from_shared(format!("http://{address}"))?
            .buffer_size(STREAMS)
            .http2_max_concurrent_reset_streams(STREAMS)
            .http2_max_local_error_reset_streams(STREAMS)
            .connect_lazy();
        *made = Some((address, channel.clone()));
        Ok(channel)
    }
}

impl Exchange for GrpcChannel {
    fn send(&self, request: Request) -> Answering {
        let channel = self.channel();
        Box::pin(async move { exchange(channel?, request).await })
    }
}

impl fmt::Debug for GrpcChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GrpcChannel").field(&self.to).finish()
    }
}

async fn exchange(channel: Channel, request: Request) -> Answer {
    let (parts, body) = depart(request).into_parts();
    let message = body.collect().await?.to_bytes();
    let path = parts.uri.path_and_query().cloned();
    let path = path.unwrap_or(PathAndQuery::from_static("/"));
    let metadata = MetadataMap::from_headers(parts.headers);
    let request = tonic::Request::from_parts(metadata, parts.extensions, message);
    let mut client = Grpc::new(channel);
    client.ready().await?;
    match client.unary(request, path, Plain).await {
        Ok(response) => {
            let (metadata, message, _) = response.into_parts();
            let mut response = Response::new(Body::full(message));
            *response.headers_mut() = metadata.into_headers();
            Ok(response)
        }
        Err(status) => heard(status),
    }
}

/// Returns what a gRPC status says, in terms of HTTP as far as that is where it came from.
fn heard(status: Status) -> Answer {
    if std::error::Error::source(&status).is_some() {
        // It is tonic's own: the connection could not be made, or broke.
        return match status.code() {
            Code::Unavailable => Err(Unreachable.into()),
            _ => Err(status.into()),
        };
    }
    let mut headers = status.metadata().clone().into_headers();
    let sent = headers.remove(STATUS);
    let sent = sent.and_then(|sent| StatusCode::from_bytes(sent.as_bytes()).ok());
    let own = match status.code() {
        // As a policy at the callee says it that speaks gRPC.
        Code::ResourceExhausted => StatusCode::OK,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    let mut response = respond(sent.unwrap_or(own));
    let code = HeaderValue::from(i32::from(status.code()));
    headers.insert(GRPC_STATUS, code);
    *response.headers_mut() = headers;
    Ok(response)
}
