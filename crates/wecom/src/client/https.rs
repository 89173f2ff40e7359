//! The transport that most want: pooled connections over TLS (feature `https`).
//!
//! hyper-util's client with HTTP/1.1, which is what WeCom's documentation promises, over rustls with Mozilla's roots.
//! It speaks plain `http` too, for simulators. Which cryptography rustls uses is said here (ring), so no default of
//! the process is needed or changed.
//!
//! An enterprise whose proxy looks into TLS has an authority of its own, which stands with
//! [`with_roots`](Https::with_roots) beside Mozilla's. No type of rustls is in the interface, so that its next version
//! breaks nobody; who wants more of TLS (a certificate of one's own, a pinned one) gives a client made of hyper-util and
//! hyper-rustls, or any other, to [`build_with`](super::Builder::build_with).

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
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject as _},
};
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

    /// Returns a pool without connections that trusts Mozilla's roots.
    ///
    /// # Errors
    ///
    /// If the TLS library refuses its own settings.
    pub fn new() -> Result<Self, Invalid> {
        Self::trusting(mozilla())
    }

    /// Returns a pool without connections that trusts these roots too: certificates of authorities in PEM, one or more,
    /// between `-----BEGIN CERTIFICATE-----` and `-----END CERTIFICATE-----`; what stands around them is passed over.
    ///
    /// For a proxy that looks into TLS, and for a gateway or a simulator with a certificate of its own. Whoever has
    /// the key of such a root can read every token: give none that you do not have to.
    ///
    /// ```no_run
    /// # use wecom::{Client, Credential, Https};
    /// let https = Https::with_roots(&std::fs::read("/etc/ssl/proxy-ca.pem")?)?;
    /// let client = Client::builder(Credential::app("ww1", "secret")?).build_with(https)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no certificate in it, or one of them is torn or none of an authority; the error tells which.
    pub fn with_roots(pem: &[u8]) -> Result<Self, Invalid> {
        const ALLOWED: &str = "one or more certificates of authorities in PEM";
        let mut roots = mozilla();
        let mut count = 0;
        for root in CertificateDer::pem_slice_iter(pem) {
            count += 1;
            let wrong =
                |what: String| Invalid::new("roots", format!("no. {count}: {what}"), ALLOWED);
            // Of a text that is torn the error would quote a piece, which may be of a key.
            let root = root.map_err(|_| wrong("torn".to_owned()))?;
            roots.add(root).map_err(|error| wrong(error.to_string()))?;
        }
        if count == 0 {
            let what = format!("{} bytes without a certificate", pem.len());
            return Err(Invalid::new("roots", what, ALLOWED));
        }
        Self::trusting(roots)
    }

    fn trusting(roots: RootCertStore) -> Result<Self, Invalid> {
        let mut plain = HttpConnector::new();
        plain.enforce_http(false);
        plain.set_nodelay(true);
        plain.set_connect_timeout(Some(Self::CONNECT));
        let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| Invalid::new("transport", error, "TLS 1.2 and 1.3 with ring"))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls)
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

/// The roots that Mozilla trusts, as of the version of `webpki-roots` that was built in.
fn mozilla() -> RootCertStore {
    webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect()
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

    #[test]
    fn roots_that_are_none_are_named_by_their_place_and_not_quoted() {
        let refused = |pem: &str| Https::with_roots(pem.as_bytes()).unwrap_err().to_string();
        for (pem, told) in [
            ("", "0 bytes without a certificate"),
            ("/etc/ssl/ca.pem", "15 bytes without a certificate"),
            (
                "-----BEGIN PRIVATE KEY-----\nhidd\n-----END PRIVATE KEY-----\n",
                "59 bytes without a certificate",
            ),
            (
                "-----BEGIN CERTIFICATE-----\nhidd!\n-----END CERTIFICATE-----\n",
                "no. 1: torn",
            ),
            ("-----BEGIN CERTIFICATE-----\nhidd", "no. 1: torn"),
            (
                "-----BEGIN CERTIFICATE-----\nhidd\n-----END CERTIFICATE-----\n",
                "no. 1: invalid peer certificate: BadEncoding",
            ),
        ] {
            let error = refused(pem);
            assert_eq!(
                error,
                format!(
                    "roots is {told:?}; allowed: one or more certificates of authorities in PEM"
                )
            );
        }
    }
}
