//! A WeCom of a few lines and a limiter that can be looked into.
#![allow(
    dead_code,
    reason = "each test file that includes this uses a part of it"
)]

use std::{
    future::pending,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http::{Method, Request, Response, Uri};
use http_body_util::{BodyExt as _, Full};
use serde::Deserialize;
use tower::Service;
use wecom::{
    Api, BoxError, Builder, Call, Client, Credential, Rank, Wire,
    error::Invalid,
    limit::{Ask, BoxAcquire, Held, Limiter, Permit, Refusal, Sign},
};

/// The secret of the app; must never be seen anywhere but in `gettoken`.
pub(crate) const SECRET: &str = "corpsecret-7Zq";

pub(crate) const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A call like the crate's own.
#[derive(Clone, Debug)]
pub(crate) struct Update {
    pub(crate) user: &'static str,
    /// Refused before it is sent.
    pub(crate) wrong: bool,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Done {}

pub(crate) const UPDATE: Api = Api::new("update_contact_way");

impl Update {
    pub(crate) const fn of(user: &'static str) -> Self {
        Self { user, wrong: false }
    }
}

impl Call for Update {
    const API: Api = UPDATE;
    type Reply = Done;

    fn encode(&self) -> Result<Wire, Invalid> {
        if self.wrong {
            return Err(Invalid::new("user", 0, "1 to 100 members"));
        }
        let body = serde_json::json!({ "config_id": "c 1", "user": [self.user] });
        Wire::post("/cgi-bin/externalcontact/update_contact_way", &body)
    }
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: http::HeaderMap,
    pub(crate) extensions: http::Extensions,
    pub(crate) body: String,
}

/// What is answered.
#[derive(Clone)]
pub(crate) enum Answer {
    Json(String),
    Status(u16, &'static str),
    Fails(Arc<dyn Fn() -> BoxError + Send + Sync>),
    Never,
    After(Duration, Box<Self>),
}

type Rule = dyn Fn(&Seen) -> Answer + Send + Sync;

/// Stands for WeCom: gives out `token-1`, `token-2`, … and answers calls by a rule.
#[derive(Clone)]
pub(crate) struct Fake(Arc<Inner>);

struct Inner {
    rule: Box<Rule>,
    tokens: AtomicUsize,
    seen: Mutex<Vec<Seen>>,
    /// Requests whose answer is on its way.
    under_way: AtomicUsize,
}

struct UnderWay(Arc<Inner>);

// === impl Seen ===

impl Seen {
    pub(crate) fn is_token(&self) -> bool {
        self.uri.path().ends_with("/gettoken")
    }

    /// The token that a call came with.
    pub(crate) fn token(&self) -> &str {
        let query = self.uri.query().unwrap_or_default();
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let token = pairs.find(|(name, _)| *name == "access_token");
        token.map_or("", |(_, token)| token)
    }
}

// === impl Answer ===

impl Answer {
    pub(crate) fn ok() -> Self {
        Self::Json(r#"{"errcode":0,"errmsg":"ok"}"#.to_owned())
    }

    pub(crate) fn errcode(errcode: i64) -> Self {
        Self::Json(format!(
            r#"{{"errcode":{errcode},"errmsg":"text for people, hint: [1620808383_{errcode}], from ip: 1.2.3.4"}}"#
        ))
    }

    pub(crate) fn fails(make: impl Fn() -> BoxError + Send + Sync + 'static) -> Self {
        Self::Fails(Arc::new(make))
    }

    pub(crate) fn after(self, wait: Duration) -> Self {
        Self::After(wait, Box::new(self))
    }
}

// === impl Fake ===

impl Fake {
    /// Answers calls, but those for a token, by this rule.
    pub(crate) fn calls(rule: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> Self {
        Self::all(move |seen| (!seen.is_token()).then(|| rule(seen)))
    }

    /// Answers everything by this rule; without an answer of it, with a token.
    pub(crate) fn all(rule: impl Fn(&Seen) -> Option<Answer> + Send + Sync + 'static) -> Self {
        Self(Arc::new_cyclic(|inner: &Weak<Inner>| {
            let inner = Weak::clone(inner);
            let token = move || {
                let inner = inner.upgrade();
                let n = inner.map_or(0, |inner| inner.tokens.fetch_add(1, SeqCst) + 1);
                Answer::Json(format!(
                    r#"{{"errcode":0,"errmsg":"ok","access_token":"token-{n}","expires_in":7200}}"#
                ))
            };
            Inner {
                rule: Box::new(move |seen| rule(seen).unwrap_or_else(&token)),
                tokens: AtomicUsize::new(0),
                seen: Mutex::default(),
                under_way: AtomicUsize::new(0),
            }
        }))
    }

    /// All that arrived, in order.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.0
            .seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// What arrived besides questions for tokens.
    pub(crate) fn calls_seen(&self) -> Vec<Seen> {
        self.seen()
            .into_iter()
            .filter(|seen| !seen.is_token())
            .collect()
    }

    pub(crate) fn tokens(&self) -> usize {
        self.0.tokens.load(SeqCst)
    }

    pub(crate) fn under_way(&self) -> usize {
        self.0.under_way.load(SeqCst)
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, SeqCst);
    }
}

impl Service<Request<Full<Bytes>>> for Fake {
    type Response = Response<Full<Bytes>>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Full<Bytes>>) -> Self::Future {
        let inner = Arc::clone(&self.0);
        inner.under_way.fetch_add(1, SeqCst);
        let under_way = UnderWay(Arc::clone(&inner));
        Box::pin(async move {
            let _under_way = under_way;
            let (head, body) = request.into_parts();
            let body = body.collect().await?.to_bytes();
            let seen = Seen {
                method: head.method,
                uri: head.uri,
                headers: head.headers,
                extensions: head.extensions,
                body: String::from_utf8_lossy(&body).into_owned(),
            };
            let mut answer = (inner.rule)(&seen);
            inner
                .seen
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(seen);
            loop {
                let (status, body) = match answer {
                    Answer::Json(body) => (200, Bytes::from(body)),
                    Answer::Status(status, body) => (status, Bytes::from(body)),
                    Answer::Fails(make) => return Err(make()),
                    Answer::Never => pending().await,
                    Answer::After(wait, then) => {
                        tokio::time::sleep(wait).await;
                        answer = *then;
                        continue;
                    }
                };
                return Ok(Response::builder().status(status).body(Full::new(body))?);
            }
        })
    }
}

/// A limiter that lets all through, or does what it was told, and remembers.
#[derive(Clone, Default)]
pub(crate) struct Gate(Arc<State>);

#[derive(Default)]
struct State {
    /// Rank and patience of those who asked.
    asked: Mutex<Vec<(Rank, Duration)>>,
    signs: Mutex<Vec<Sign>>,
    taken: AtomicUsize,
    in_flight: AtomicUsize,
    /// What each has to wait.
    wait: Mutex<Duration>,
    /// What is answered instead of room.
    refuses: Mutex<Option<Duration>>,
}

struct Taken(Arc<State>);

// === impl Gate ===

impl Gate {
    pub(crate) fn asked(&self) -> Vec<(Rank, Duration)> {
        self.0
            .asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn signs(&self) -> Vec<Sign> {
        self.0
            .signs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn taken(&self) -> usize {
        self.0.taken.load(SeqCst)
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.0.in_flight.load(SeqCst)
    }

    pub(crate) fn make_wait(&self, wait: Duration) {
        *self.0.wait.lock().unwrap_or_else(PoisonError::into_inner) = wait;
    }

    pub(crate) fn refuse(&self, retry_after: Option<Duration>) {
        *self
            .0
            .refuses
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = retry_after;
    }
}

impl Limiter for Gate {
    fn acquire<'a>(&'a self, ask: Ask<'a>) -> BoxAcquire<'a> {
        let state = Arc::clone(&self.0);
        let asked = (ask.rank, ask.patience);
        state
            .asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(asked);
        Box::pin(async move {
            let wait = *state.wait.lock().unwrap_or_else(PoisonError::into_inner);
            tokio::time::sleep(wait).await;
            let refuses = *state.refuses.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(retry_after) = refuses {
                return Err(Refusal::NoRoom { retry_after });
            }
            state.taken.fetch_add(1, SeqCst);
            state.in_flight.fetch_add(1, SeqCst);
            Ok(Permit::new(Taken(state)))
        })
    }
}

impl Held for Taken {
    fn settle(self: Box<Self>, sign: Sign) {
        self.0
            .signs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(sign);
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, SeqCst);
    }
}

/// The settings of a client of `ww1` with this limiter.
pub(crate) fn builder(gate: &Gate) -> Builder {
    let credential = Credential::app("ww1", SECRET).expect("a good credential");
    Client::builder(credential).limiter(Arc::new(gate.clone()))
}

/// A client of `ww1` over `fake`, and its limiter.
pub(crate) fn client(fake: &Fake) -> (Client<Fake>, Gate) {
    let gate = Gate::default();
    let client = builder(&gate).build_with(fake.clone());
    (client.expect("good settings"), gate)
}
