//! Sending one callback until it is answered with 200 or given up, and verifying an address.

use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use bytes::Bytes;
use http::{Request, StatusCode};

use super::{counts::Counting, post::Post, target::again};
use crate::{profile::Callbacks, world::World};

/// What all callbacks share: the settings, the time, and the way to the receivers.
#[derive(Clone)]
pub(super) struct Route {
    world: World,
    post: Arc<RwLock<Arc<dyn Post>>>,
}

/// Why an address is not verified.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Unverified {
    /// There is no address.
    Nowhere,
    /// No answer within a second.
    TimedOut,
    /// The receiver was not reached, or the connection broke.
    Unreached,
    /// Answered with another status than 200.
    Status(u16),
    /// Answered with something else than the plaintext, to the byte: of this length instead of that.
    Text {
        /// How many bytes came.
        found: usize,
        /// How many there are.
        expected: usize,
    },
}

// === impl Route ===

impl Route {
    pub(super) fn new(world: &World, post: Arc<dyn Post>) -> Self {
        Self {
            world: world.clone(),
            post: Arc::new(RwLock::new(post)),
        }
    }

    pub(super) fn set_post(&self, post: Arc<dyn Post>) {
        *self.post.write().unwrap_or_else(PoisonError::into_inner) = post;
    }

    pub(super) fn settings(&self) -> Callbacks {
        self.world.settings().callbacks.clone()
    }

    /// Returns the calendar, in seconds since the Unix epoch.
    pub(super) fn now_s(&self) -> u64 {
        self.world.calendar().as_secs()
    }

    pub(super) fn seed(&self) -> u64 {
        self.world.seed()
    }

    fn post(&self) -> Arc<dyn Post> {
        let post = self.post.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&post)
    }
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Route")
    }
}

/// Sends a callback. A retry has the same bytes.
///
/// One document says that a callback is sent again when it was not answered (path/90930), another that it is when it
/// was answered with anything but 200 (path/90238): both are done.
pub(super) async fn deliver(request: &Request<Bytes>, route: &Route, counts: &Counting) {
    let settings = route.settings();
    let timeout = Duration::from_millis(settings.timeout_ms);
    for attempt in 0..=settings.retries {
        if attempt > 0 {
            tokio::time::sleep(Duration::from_millis(settings.retry_after_ms)).await;
            counts.retried.add();
        }
        counts.sent.add();
        let exchange = route.post().post(again(request));
        match tokio::time::timeout(timeout, exchange).await {
            Ok(Ok(answer)) if answer.status() == StatusCode::OK => {
                return counts.answered.add();
            }
            Ok(Ok(_)) => counts.refused.add(),
            Ok(Err(_)) => counts.unreached.add(),
            Err(_) => counts.timed_out.add(),
        }
    }
    counts.given_up.add();
}

/// Sends the `GET` that verifies an address, and compares the answer to the byte.
pub(super) async fn verify(
    (request, plain): (Request<Bytes>, String),
    route: &Route,
) -> Result<(), Unverified> {
    let exchange = route.post().post(again(&request));
    let answer = match tokio::time::timeout(ECHO_WITHIN, exchange).await {
        Err(_) => return Err(Unverified::TimedOut),
        Ok(Err(_)) => return Err(Unverified::Unreached),
        Ok(Ok(answer)) => answer,
    };
    if answer.status() != StatusCode::OK {
        return Err(Unverified::Status(answer.status().as_u16()));
    }
    if answer.body() != plain.as_bytes() {
        return Err(Unverified::Text {
            found: answer.body().len(),
            expected: plain.len(),
        });
    }
    Ok(())
}

// === impl Unverified ===

impl fmt::Display for Unverified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nowhere => f.write_str("there is no callback address"),
            Self::TimedOut => f.write_str("no answer within 1 s"),
            Self::Unreached => f.write_str("the receiver was not reached, or the connection broke"),
            Self::Status(status) => write!(f, "status {status}, expected 200"),
            Self::Text { found, expected } => write!(
                f,
                "{found} bytes that are not the plaintext of echostr, which has {expected}"
            ),
        }
    }
}

impl std::error::Error for Unverified {}

/// As documented (path/90930).
const ECHO_WITHIN: Duration = Duration::from_secs(1);
