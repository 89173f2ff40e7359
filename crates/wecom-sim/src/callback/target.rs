//! Where the callbacks of an enterprise go, and with what keys.

use std::fmt;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Uri, header};
use http_body_util::Full;
use wecom::callback::{Keys, Sealed};

use super::event::{Event, Form};
use crate::{
    profile::{CallbackTo, Corp, names::URL},
    world::{Mistake, Random},
};

/// Where the callbacks of an enterprise go.
pub(super) struct Target {
    url: String,
    keys: Keys,
    corp: String,
    /// For a third party.
    suite: Option<String>,
}

// === impl Target ===

impl Target {
    /// Returns where these go.
    pub(super) fn new(to: &CallbackTo, corp: &str, suite: Option<String>) -> Result<Self, Mistake> {
        let CallbackTo {
            url,
            token,
            encoding_aes_key,
        } = to;
        if !(URL.fits)(url) {
            return Err(Mistake(format!(
                "callback.url = {url:?}, expected {}",
                URL.said
            )));
        }
        let receive_id = suite.as_deref().unwrap_or(corp);
        let keys = Keys::new(token, encoding_aes_key, receive_id)
            .map_err(|invalid| Mistake(format!("callback: {invalid}")))?;
        Ok(Self {
            url: url.clone(),
            keys,
            corp: String::from(corp),
            suite,
        })
    }

    /// Returns where these go, of an enterprise as the profile has it.
    pub(super) fn of(corp: &Corp) -> Result<Option<Self>, Mistake> {
        let to = corp.callback.as_ref();
        to.map(|to| Self::new(to, &corp.id, corp.suite()))
            .transpose()
    }

    /// Returns the address.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Returns the `POST` that tells of an event.
    pub(super) fn request(&self, event: &Event, at_s: u64, random: &Random) -> Request<Bytes> {
        let form = match &self.suite {
            Some(suite) => Form::Suite {
                suite,
                corp: &self.corp,
            },
            None => Form::Enterprise(&self.corp),
        };
        let sealed = self.seal(event.xml(form).as_bytes(), at_s, random);
        let to_user = self.suite.as_deref().unwrap_or(&self.corp);
        let body = sealed.callback_body(to_user, "");
        let mut request = self.with_query(Method::POST, &sealed.query(), Bytes::from(body));
        let xml = HeaderValue::from_static("text/xml");
        request.headers_mut().insert(header::CONTENT_TYPE, xml);
        request
    }

    /// Returns the `GET` that verifies the address, and what it must be answered with.
    pub(super) fn echo(&self, at_s: u64, random: &Random) -> (Request<Bytes>, String) {
        // Digits, as WeCom sends.
        let plain = random.next().to_string();
        let sealed = self.seal(plain.as_bytes(), at_s, random);
        let request = self.with_query(Method::GET, &sealed.echo_query(), Bytes::new());
        (request, plain)
    }

    fn seal(&self, plain: &[u8], at_s: u64, random: &Random) -> Sealed {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&random.next().to_le_bytes());
        bytes[8..].copy_from_slice(&random.next().to_le_bytes());
        let nonce = format!("{:010}", random.next() % 10_000_000_000);
        self.keys.seal_with(plain, at_s, &nonce, bytes)
    }

    fn with_query(&self, method: Method, query: &str, body: Bytes) -> Request<Bytes> {
        let uri = format!("{}?{query}", self.url);
        let mut request = Request::new(body);
        *request.method_mut() = method;
        // An address was parsed before, and a query is percent-encoded: together they always parse.
        *request.uri_mut() = uri.parse::<Uri>().unwrap_or_default();
        if let Some(host) = request.uri().authority()
            && let Ok(host) = HeaderValue::from_str(host.as_str())
        {
            request.headers_mut().insert(header::HOST, host);
        }
        request
    }
}

/// Without keys.
impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// Returns a request that can be sent again.
pub(super) fn again(request: &Request<Bytes>) -> Request<Full<Bytes>> {
    request.clone().map(Full::new)
}
