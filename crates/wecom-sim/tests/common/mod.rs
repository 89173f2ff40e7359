//! What several tests need: an enterprise, and a receiver of its callbacks.
#![allow(dead_code, reason = "each test takes a part of it")]

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use wecom::{
    Clock,
    callback::{Keys, Signed},
};
use wecom_sim::profile::{CallbackTo, Corp};

pub(crate) const SEED: u64 = 11;
pub(crate) const TOKEN: &str = "QDG6eK";
pub(crate) const KEY: &str = "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C";

/// What a receiver does with a callback.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Does {
    #[default]
    Answer,
    Refuse,
    Break,
    Hang,
}

/// A receiver that decrypts what comes, and keeps it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Receiver(Arc<Mutex<Inbox>>);

#[derive(Debug, Default)]
struct Inbox {
    does: Vec<Does>,
    messages: Vec<String>,
    raw: Vec<String>,
}

pub(crate) fn clock() -> Clock {
    Clock::set_to(Duration::from_secs(1_700_000_000))
}

pub(crate) fn corp(id: &str) -> Corp {
    Corp {
        id: String::from(id),
        secret: String::from("secret1"),
        callback: Some(CallbackTo {
            url: String::from("http://127.0.0.1:9/callback"),
            token: String::from(TOKEN),
            encoding_aes_key: String::from(KEY),
        }),
        ..Corp::default()
    }
}

// === impl Receiver ===

impl Receiver {
    /// Does this with the next callbacks, then answers.
    pub(crate) fn next_ones(&self, does: &[Does]) {
        self.lock().does = does.iter().rev().copied().collect();
    }

    /// Returns the messages that were received, decrypted.
    pub(crate) fn messages(&self) -> Vec<String> {
        self.lock().messages.clone()
    }

    /// Returns the addresses and bodies as they came.
    pub(crate) fn raw(&self) -> Vec<String> {
        self.lock().raw.clone()
    }

    /// Returns the texts of an element in all messages.
    pub(crate) fn all(&self, element: &str) -> Vec<String> {
        let messages = self.messages();
        messages
            .iter()
            .filter_map(|message| field(message, element))
            .collect()
    }

    pub(crate) async fn receive(
        self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Full<Bytes>>, std::io::Error> {
        let (head, body) = request.into_parts();
        let body = body.collect().await.map_or_else(
            |never| match never {},
            |body| String::from_utf8_lossy(&body.to_bytes()).into_owned(),
        );
        let does = {
            let mut inbox = self.lock();
            inbox.raw.push(format!("{} {body}", head.uri));
            inbox.does.pop().unwrap_or_default()
        };
        match does {
            Does::Hang => std::future::pending().await,
            Does::Break => return Err(std::io::Error::other("broken")),
            Does::Refuse => {
                let mut refusal = Response::new(Full::default());
                *refusal.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
                return Ok(refusal);
            }
            Does::Answer => {}
        }
        let encrypt = field(&body, "Encrypt").unwrap_or_default();
        let query = head.uri.query().unwrap_or_default();
        let message = open(query, &encrypt);
        self.lock().messages.push(message);
        Ok(Response::new(Full::default()))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inbox> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the text of an element.
pub(crate) fn field(xml: &str, name: &str) -> Option<String> {
    let (_, rest) = xml.split_once(&format!("<{name}>"))?;
    let (text, _) = rest.split_once(&format!("</{name}>"))?;
    let text = text.strip_prefix("<![CDATA[").unwrap_or(text);
    Some(String::from(text.strip_suffix("]]>").unwrap_or(text)))
}

/// Returns one value of a query.
pub(crate) fn value<'a>(query: &'a str, name: &str) -> &'a str {
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .find(|(key, _)| *key == name)
        .map_or("", |(_, value)| value)
}

/// Decrypts, or says why not.
fn open(query: &str, encrypt: &str) -> String {
    let signed = Signed {
        msg_signature: value(query, "msg_signature"),
        timestamp: value(query, "timestamp"),
        nonce: value(query, "nonce"),
    };
    // Both forms: an enterprise's and a suite's.
    for receive_id in ["ww1", "suite1"] {
        if let Ok(keys) = Keys::new(TOKEN, KEY, receive_id)
            && let Ok(plain) = keys.open(&signed, encrypt)
        {
            return String::from_utf8_lossy(&plain).into_owned();
        }
    }
    String::from("not decrypted")
}

/// Serves a receiver on a listener; connections end with the task.
pub(crate) async fn serve(listener: tokio::net::TcpListener, receiver: Receiver) {
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let receiver = receiver.clone();
        let service = hyper::service::service_fn(move |request: Request<hyper::body::Incoming>| {
            let receiver = receiver.clone();
            async move {
                let (head, body) = request.into_parts();
                let body = body.collect().await.map_err(std::io::Error::other)?;
                let request = Request::from_parts(head, Full::new(body.to_bytes()));
                receiver.receive(request).await
            }
        });
        connections.spawn(async move {
            let io = hyper_util::rt::TokioIo::new(stream);
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(io, service)
                .await;
        });
    }
}
