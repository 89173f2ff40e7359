//! One request and its answer.

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use serde::de::DeserializeOwned;

use super::{
    reply,
    transport::{TooLong, Transport},
};
use crate::{
    clock::Clock,
    error::{BoxError, Error, Kind, TimedOut, Unreadable},
    name::Api,
    observe::Watch,
};

/// Where WeCom is and what its answers may take.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// Scheme, authority and perhaps a prefix, such as `https://qyapi.weixin.qq.com`, without a slash at its end.
    pub(super) base: Box<str>,
    /// How long an answer may take.
    pub(super) timeout: Duration,
    /// How long an answer may be, in bytes.
    pub(super) longest: usize,
    pub(super) watch: Watch,
    pub(super) clock: Clock,
}

// === impl Line ===

impl Line {
    /// Sends a request and reads the answer.
    pub(super) async fn exchange<R: DeserializeOwned>(
        &self,
        transport: &impl Transport,
        api: Api,
        request: Request<Full<Bytes>>,
    ) -> Result<R, Error> {
        let begun = self.clock.now();
        let exchange = transport.exchange(request, self.longest);
        let result = match tokio::time::timeout(self.timeout, exchange).await {
            Ok(Ok(answer)) => reply::read(&answer),
            Ok(Err(error)) => Err(failure(error)),
            Err(_) => Err(Kind::Lost(TimedOut(self.timeout).into())),
        };
        let result = result.map_err(|kind| Error::new(api, kind));
        let took = self.clock.now().saturating_sub(begun);
        self.watch.answered(api, &result, took);
        result
    }
}

/// Returns what it means that a transport failed.
fn failure(error: BoxError) -> Kind {
    if let Some(TooLong { status }) = error.downcast_ref() {
        return Kind::Unreadable(Unreadable {
            status: *status,
            why: "the body is longer than an answer may be",
        });
    }
    // A layer around the transport withheld the call: nothing was sent.
    #[cfg(feature = "dagor")]
    if let Some(withheld) = crate::error::find::<dagor::Withheld>(&*error) {
        return Kind::Withheld(withheld.clone());
    }
    #[cfg(feature = "https")]
    if let Some(failed) = crate::error::find::<hyper_util::client::legacy::Error>(&*error)
        && failed.is_connect()
    {
        return Kind::NotConnected(error);
    }
    Kind::Lost(error)
}
