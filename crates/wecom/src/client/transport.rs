//! What carries a request to WeCom and the answer back: any tower service of HTTP requests.

use std::{
    error::Error as StdError,
    fmt,
    future::{Future, poll_fn},
};

use bytes::Bytes;
use http::{Request, Response, header::CONTENT_LENGTH};
use http_body::Body;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use tower_service::Service;

use crate::error::BoxError;

/// A tower service that takes HTTP requests; implemented for all that fit, not by hand.
///
/// The service is cloned for each request and asked whether it is ready, so layers that limit or buffer work as
/// elsewhere. In the extensions of a request are its [`Api`](crate::Api), its [`CorpId`](crate::CorpId), its
/// [`Rank`](crate::Rank), and with feature `dagor` its `Priority`, by which layers can tell calls apart.
///
/// The address of a request holds the token: a layer that logs addresses logs tokens.
pub trait Transport: Clone + Send + Sync + 'static {
    /// Sends a request and reads the whole answer, of which at most `longest` bytes.
    ///
    /// # Errors
    ///
    /// What the service fails with, or that the answer is too long.
    fn exchange(
        &self,
        request: Request<Full<Bytes>>,
        longest: usize,
    ) -> impl Future<Output = Result<Response<Bytes>, BoxError>> + Send;
}

/// An answer of more bytes than may be.
#[derive(Debug)]
pub(super) struct TooLong {
    pub(super) status: u16,
}

impl<S, B> Transport for S
where
    S: Service<Request<Full<Bytes>>, Response = Response<B>> + Clone + Send + Sync + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
    B: Body + Send,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    async fn exchange(
        &self,
        request: Request<Full<Bytes>>,
        longest: usize,
    ) -> Result<Response<Bytes>, BoxError> {
        let mut service = self.clone();
        poll_fn(|cx| service.poll_ready(cx))
            .await
            .map_err(Into::into)?;
        let response = service.call(request).await.map_err(Into::into)?;
        let (head, body) = response.into_parts();
        let too_long = || TooLong {
            status: head.status.as_u16(),
        };
        let told = head.headers.get(CONTENT_LENGTH);
        let told = told.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        // What is told is refused before a byte of it is read.
        if told.is_some_and(|length| usize::try_from(length).map_or(true, |l| l > longest)) {
            return Err(too_long().into());
        }
        let body = Limited::new(body, longest).collect().await;
        let body = body.map_err(|error| match error.downcast::<LengthLimitError>() {
            Ok(_) => too_long().into(),
            Err(error) => error,
        })?;
        Ok(Response::from_parts(head, body.to_bytes()))
    }
}

// === impl TooLong ===

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the answer is longer than it may be")
    }
}

impl StdError for TooLong {}
