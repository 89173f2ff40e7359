//! The transport that most want: pooled connections over TLS (feature `https`).
//!
//! hyper-util's client with HTTP/1.1, which is what WeCom's documentation promises, over rustls with Mozilla's roots.
//! It speaks plain `http` too, for simulators. Which cryptography rustls uses is said here (ring), so no default of
//! the process is needed or changed.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, Error, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};
use rustls::crypto::ring;
use tower_service::Service;

use crate::error::Invalid;

/// A pool of connections, HTTP/1.1 over TLS or plain. Cheap to clone; clones share the pool.
///
/// Make one for a process and give a clone to each client: connections are shared by all enterprises.
#[derive(Clone)]
pub struct Https(Client<HttpsConnector<HttpConnector>, Full<Bytes>>);

// === impl Https ===

impl Https {
    /// How long a connection is kept that nobody uses. Assumed: shorter than what WeCom's proxies keep it, so that few
    /// requests meet one that is just being closed.
    const IDLE: Duration = Duration::from_secs(30);
    /// Most unused connections that are kept; more are made when they are needed.
    const MOST_IDLE: usize = 256;
    /// How long making a connection may take; goes on for the next call when the one that began it has given up.
    const CONNECT: Duration = Duration::from_secs(10);

    /// Returns a pool without connections.
    ///
    /// # Errors
    ///
    /// If the TLS library refuses its own settings.
    pub fn new() -> Result<Self, Invalid> {
        let mut plain = HttpConnector::new();
        plain.enforce_http(false);
        plain.set_nodelay(true);
        plain.set_connect_timeout(Some(Self::CONNECT));
        let connector = HttpsConnectorBuilder::new()
            .with_provider_and_webpki_roots(Arc::new(ring::default_provider()))
            .map_err(|error| Invalid::new("transport", error, "TLS 1.2 and 1.3 with ring"))?
            .https_or_http()
            .enable_http1()
            .wrap_connector(plain);
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(Self::IDLE)
            .pool_max_idle_per_host(Self::MOST_IDLE)
            .build(connector);
        Ok(Self(client))
    }
}

impl Service<Request<Full<Bytes>>> for Https {
    type Response = Response<Incoming>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Incoming>, Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Full<Bytes>>) -> Self::Future {
        Box::pin(self.0.call(request))
    }
}

impl fmt::Debug for Https {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Https")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_default_of_the_process_is_needed_or_changed() {
        assert!(Https::new().is_ok());
        assert!(rustls::crypto::CryptoProvider::get_default().is_none());
    }
}
