//! A simulated WeCom with one enterprise, and the few words in which the tests talk to it.

use std::{net::IpAddr, time::Duration};

use bytes::Bytes;
use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tower_service::Service;
use wecom::Clock;
use wecom_sim::{
    CallerIp, Profile, ReplyBody, Reset, Sim,
    profile::{Corp, Department, Fault, FaultKind, Member, MemberFlag},
    world,
};

/// When the tests begin: 2025-10-09 08:53:20 UTC.
pub(crate) const BEGAN_S: u64 = 1_760_000_000;

/// A simulation, the enterprise `corp` with a token, and where calls come from.
#[derive(Clone)]
pub(crate) struct Vendor {
    pub(crate) sim: Sim,
    pub(crate) token: String,
    pub(crate) ip: Option<IpAddr>,
}

/// The profile of the tests: members `m1` to `m150`, departments 2 (with `d1` and `d2`) and, below it, 3 (with
/// `d3`).
pub(crate) fn profile() -> Profile {
    let mut profile = Profile::default();
    profile.corps.push(Corp {
        id: "corp".into(),
        secret: "right".into(),
        more_members: 150,
        departments: vec![department(2, 1), department(3, 2)],
        members: vec![
            member("d1", &[2], &[]),
            member("d2", &[2], &[]),
            member("d3", &[3], &[]),
        ],
        ..Corp::default()
    });
    profile
}

pub(crate) fn department(id: u32, parent: u32) -> Department {
    Department {
        id,
        name: format!("department {id}"),
        parent,
    }
}

pub(crate) fn member(userid: &str, departments: &[u32], flags: &[MemberFlag]) -> Member {
    Member {
        userid: userid.into(),
        departments: departments.into(),
        flags: flags.into(),
        ..Member::default()
    }
}

/// A fault that befalls every call of an API, or of all.
pub(crate) fn fault(api: Option<&str>, what: FaultKind) -> Fault {
    Fault {
        api: api.map(Into::into),
        corp: None,
        share: 1.0,
        times: None,
        what,
    }
}

pub(crate) fn latency(ms: f64) -> FaultKind {
    FaultKind::Latency {
        median_ms: ms,
        p99_ms: ms,
    }
}

/// The `errcode` of an answer; absent is 0.
#[track_caller]
pub(crate) fn errcode(answer: &Value) -> i64 {
    match answer.get("errcode") {
        None => 0,
        Some(errcode) => errcode.as_i64().expect("errcode is a number"),
    }
}

/// A QR code for many.
pub(crate) fn multi(users: &[&str]) -> Value {
    json!({"type": 2, "scene": 2, "user": users})
}

// === impl Vendor ===

impl Vendor {
    pub(crate) async fn new() -> Self {
        Self::of(profile()).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut Profile)) -> Self {
        let mut profile = profile();
        change(&mut profile);
        Self::of(profile).await
    }

    async fn of(profile: Profile) -> Self {
        let clock = Clock::set_to(Duration::from_secs(BEGAN_S));
        let sim = Sim::with_clock(&profile, clock).expect("the profile is right");
        let mut vendor = Self {
            sim,
            token: String::new(),
            ip: None,
        };
        let given = vendor.get("gettoken?corpid=corp&corpsecret=right").await;
        vendor.token = given["access_token"].as_str().unwrap_or_default().into();
        vendor
    }

    /// The same, called from another address.
    pub(crate) fn from(&self, ip: [u8; 4]) -> Self {
        Self {
            ip: Some(ip.into()),
            ..self.clone()
        }
    }

    pub(crate) fn corp(&self) -> std::sync::Arc<world::Corp> {
        self.sim.world().corp("corp").expect("it is in the profile")
    }

    /// Changes the settings while it runs.
    pub(crate) fn set(&self, change: impl FnOnce(&mut world::Settings)) {
        let mut settings = (*self.sim.world().settings()).clone();
        change(&mut settings);
        self.sim
            .world()
            .set_settings(settings)
            .expect("the settings are right");
    }

    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        body: impl Into<Bytes>,
    ) -> Result<Response<ReplyBody>, Reset> {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("https://qyapi.weixin.qq.com/cgi-bin/{path}"))
            .body(Full::new(body.into()))
            .expect("the request is right");
        if let Some(ip) = self.ip {
            request.extensions_mut().insert(CallerIp(ip));
        }
        self.sim.service().call(request).await
    }

    pub(crate) async fn json(&self, method: Method, path: &str, body: impl Into<Bytes>) -> Value {
        let response = self.send(method, path, body).await.expect("it answers");
        let body = response
            .into_body()
            .collect()
            .await
            .expect("infallible")
            .to_bytes();
        serde_json::from_slice(&body).expect("it answers in JSON")
    }

    /// A GET as it is.
    pub(crate) async fn get(&self, path: &str) -> Value {
        self.json(Method::GET, path, "").await
    }

    /// A GET with the token; `path` has a query already, or ends with `?`.
    pub(crate) async fn read(&self, path: &str) -> Value {
        self.get(&format!("{path}&access_token={}", self.token))
            .await
    }

    /// A POST with the token and a body as it is.
    pub(crate) async fn raw(&self, api: &str, body: impl Into<Bytes>) -> Value {
        let path = format!("externalcontact/{api}?access_token={}", self.token);
        self.json(Method::POST, &path, body).await
    }

    /// A POST with the token.
    pub(crate) async fn post(&self, api: &str, body: &Value) -> Value {
        self.raw(api, body.to_string()).await
    }

    /// The `errcode` of a POST with the token.
    pub(crate) async fn code(&self, api: &str, body: &Value) -> i64 {
        errcode(&self.post(api, body).await)
    }

    /// The `config_id` of a new code.
    pub(crate) async fn added(&self, body: &Value) -> String {
        let answer = self.post("add_contact_way", body).await;
        assert_eq!(errcode(&answer), 0, "{body}: {answer}");
        answer["config_id"].as_str().expect("a config_id").into()
    }

    /// What `get_contact_way` tells of a code.
    pub(crate) async fn way(&self, config_id: &str) -> Value {
        let answer = self
            .post("get_contact_way", &json!({"config_id": config_id}))
            .await;
        assert_eq!(errcode(&answer), 0, "{answer}");
        answer["contact_way"].clone()
    }

    /// What was counted of an API.
    pub(crate) fn traffic(&self, api: &str) -> world::ApiTraffic {
        let all = self.corp().traffic();
        all.into_iter()
            .find(|traffic| traffic.api == api)
            .unwrap_or_default()
    }
}
