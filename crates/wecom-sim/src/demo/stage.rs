//! Where the acts play: a simulation on a port of this machine, clients of it, and its admin interface.

use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt as _, Full};
use hyper_util::{
    client::legacy::{Client as Http, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use wecom::{
    BoxError, Client, Credential, Https,
    limit::{Limiter, Limits, LocalLimiter},
    token::Egress,
};
use wecom_sim::{Profile, Running, Sim};

/// A simulation, and what the acts need of it.
pub(super) struct Stage {
    running: Running,
    http: Http<HttpConnector, Full<Bytes>>,
    transport: Https,
    /// All clients call from one address.
    egress: Egress,
}

/// The enterprise of all acts but one.
pub(super) const CORP: &str = "ww1";
pub(super) const SECRET: &str = "secret1";

const PROFILE: &str = r#"
[[corp]]
id = "ww1"
secret = "secret1"
more_members = 20

[[corp]]
id = "ww2"
secret = "secret2"
more_members = 1
"#;

// === impl Stage ===

impl Stage {
    pub(super) async fn new() -> Result<Self, BoxError> {
        let sim = Sim::new(&Profile::parse(PROFILE)?)?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        Ok(Self {
            running: sim.listen(listener)?,
            http: Http::builder(TokioExecutor::new()).build_http(),
            transport: Https::new()?,
            egress: Egress::default(),
        })
    }

    /// Returns the base of all addresses.
    pub(super) fn base(&self) -> String {
        format!("http://{}", self.running.addr())
    }

    pub(super) async fn close(self) {
        self.running.stop().await;
    }

    /// Returns a client with the documented limits.
    pub(super) fn client(&self, corp: &str, secret: &str) -> Result<Client<Https>, BoxError> {
        self.limited(corp, secret, Limits::default())
    }

    /// Returns a client with these limits.
    pub(super) fn limited(
        &self,
        corp: &str,
        secret: &str,
        limits: Limits,
    ) -> Result<Client<Https>, BoxError> {
        let limiter: Arc<dyn Limiter> =
            Arc::new(LocalLimiter::new(limits, wecom::Clock::system())?);
        let client = Client::builder(Credential::app(corp, secret)?)
            .base_url(self.base())
            .limiter(limiter)
            .egress(self.egress.clone())
            .build_with(self.transport.clone())?;
        Ok(client)
    }

    /// Asks the admin interface, and returns what it answers.
    pub(super) async fn admin(
        &self,
        method: Method,
        path: &str,
        body: Value,
    ) -> Result<Value, BoxError> {
        let body = match body {
            Value::Null => Bytes::new(),
            body => Bytes::from(body.to_string()),
        };
        let uri = format!("{}/admin/{path}", self.base());
        let request = Request::builder().method(method).uri(uri);
        let response = self.http.request(request.body(Full::new(body))?).await?;
        let status = response.status();
        let answer = response.into_body().collect().await?.to_bytes();
        let answer: Value = serde_json::from_slice(&answer)?;
        match status.is_success() {
            true => Ok(answer),
            false => Err(format!("{path}: {status}, {answer}").into()),
        }
    }

    /// Returns what really happened, in one enterprise.
    pub(super) async fn truth(&self, corp: &str) -> Result<Value, BoxError> {
        let path = format!("truth?corp={corp}");
        self.admin(Method::GET, &path, Value::Null).await
    }

    /// Begins to count anew.
    pub(super) async fn reset(&self) -> Result<(), BoxError> {
        self.admin(Method::POST, "reset", Value::Null).await?;
        Ok(())
    }

    /// Lets somebody new scan a code; returns to whom it led.
    pub(super) async fn scan(&self, config_id: &str) -> Result<Value, BoxError> {
        let body = json!({ "corp": CORP, "config_id": config_id });
        let scans = self.admin(Method::POST, "scans", body).await?;
        Ok(scans["scans"][0].clone())
    }
}
