//! A simulation, and asking it.

use bytes::Bytes;
use http::{Method, Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use serde_json::{Value, json};
use tower::{ServiceExt as _, service_fn};
use wecom_sim::{Profile, Sim};

use crate::common::{Receiver, SEED, clock, corp};

/// A simulation with one enterprise of five members, and the receiver of its callbacks.
pub(crate) struct Setup {
    pub(crate) sim: Sim,
    pub(crate) receiver: Receiver,
}

impl Setup {
    pub(crate) fn new() -> Self {
        Self::with(Profile::default())
    }

    pub(crate) fn with(mut profile: Profile) -> Self {
        let mut there = corp("ww1");
        there.more_members = 5;
        profile.seed = SEED;
        profile.corps.push(there);
        let sim = Sim::with_clock(&profile, clock()).unwrap();
        let receiver = Receiver::default();
        let inbox = receiver.clone();
        let service = service_fn(move |request| inbox.clone().receive(request));
        sim.parts().sender().to_service(service);
        Self { sim, receiver }
    }

    pub(crate) async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> (StatusCode, Value) {
        let body = body.map_or_else(Bytes::new, |body| Bytes::from(body.to_string()));
        self.raw(method, path, body).await
    }

    pub(crate) async fn raw(&self, method: Method, path: &str, body: Bytes) -> (StatusCode, Value) {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = path.parse().unwrap();
        let response = self.sim.service().oneshot(request).await.unwrap();
        let (head, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        assert_eq!(head.headers["content-type"], "application/json");
        assert_eq!(
            head.headers.contains_key("allow"),
            head.status == StatusCode::METHOD_NOT_ALLOWED
        );
        (head.status, serde_json::from_slice(&body).unwrap())
    }

    /// Asks for what must be answered with 200.
    pub(crate) async fn good(&self, method: Method, path: &str, body: Value) -> Value {
        let body = (!body.is_null()).then_some(body);
        let (status, answer) = self.ask(method.clone(), path, body).await;
        assert_eq!(status, StatusCode::OK, "{method} {path}: {answer}");
        answer
    }

    /// Asks for what must be refused with this status, and returns what is said.
    pub(crate) async fn bad(&self, status: u16, method: Method, path: &str, body: Value) -> String {
        let body = (!body.is_null()).then_some(body);
        let (found, answer) = self.ask(method.clone(), path, body).await;
        assert_eq!(found.as_u16(), status, "{method} {path}: {answer}");
        String::from(answer["error"].as_str().unwrap())
    }

    pub(crate) async fn told(&self) -> Vec<String> {
        self.sim.parts().sender().settled("ww1").await;
        self.receiver.all("ChangeType")
    }

    /// Adds a code of `m1` and returns its `config_id`.
    pub(crate) async fn code(&self) -> String {
        let body = json!({ "codes": [{ "state": "s1", "users": ["m1"] }] });
        let added = self
            .good(Method::POST, "/admin/corps/ww1/codes", body)
            .await;
        String::from(added["config_ids"][0].as_str().unwrap())
    }

    /// Calls an API as the app does.
    pub(crate) async fn call(&self, path: &str, body: Value) -> i64 {
        self.answer(path, body).await["errcode"].as_i64().unwrap()
    }

    /// Calls an API as the app does, and returns the whole answer.
    pub(crate) async fn answer(&self, path: &str, body: Value) -> Value {
        let request = Request::post(path);
        let request = request
            .body(Full::new(Bytes::from(body.to_string())))
            .unwrap();
        let response = self.sim.service().oneshot(request).await.unwrap();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        serde_json::from_slice(&body).unwrap()
    }

    pub(crate) async fn token(&self) -> String {
        let path = "/cgi-bin/gettoken?corpid=ww1&corpsecret=secret1";
        let request = Request::get(path).body(Full::default()).unwrap();
        let response = self.sim.service().oneshot(request).await.unwrap();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let answer: Value = serde_json::from_slice(&body).unwrap();
        String::from(answer["access_token"].as_str().unwrap())
    }
}

impl Setup {
    pub(crate) async fn call_get(&self, path: &str) -> i64 {
        let request = Request::get(path).body(Full::default()).unwrap();
        let response = self.sim.service().oneshot(request).await.unwrap();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let answer: Value = serde_json::from_slice(&body).unwrap();
        answer["errcode"].as_i64().unwrap()
    }
}
