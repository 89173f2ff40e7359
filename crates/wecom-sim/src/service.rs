//! The simulation as a tower service.

use std::{
    fmt,
    future::Future,
    net::{IpAddr, Ipv4Addr},
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{HeaderValue, Request, Response, header::CONTENT_TYPE};
use http_body::Body;
use http_body_util::{BodyExt, Full, Limited};
use tokio::net::TcpListener;
use tower_service::Service;
use wecom::Clock;

use crate::{
    ReplyBody, admin,
    api::{Incoming, answer},
    outer::Parts,
    profile::Profile,
    serve::Running,
    world::{Mistake, World},
};

/// The simulation. Cheap to clone; clones are the same one.
#[derive(Clone, Debug)]
pub struct Sim {
    world: World,
    parts: Parts,
}

/// The simulation as a tower service, on which a client can be put without a socket. Always ready.
///
/// An answer that never comes is a future that stays pending, a reset connection is the error [`Reset`].
#[derive(Clone, Debug)]
pub struct SimService {
    sim: Sim,
}

/// Where a request comes from, as an extension of it; without one it is 127.0.0.1.
///
/// A device for tests: the header `x-caller-ip` goes before it, so that one machine can play many callers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct CallerIp(pub IpAddr);

/// The connection was reset.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Reset;

/// The longest body of a request that is read, in bytes; a longer one is 40206. WeCom's limit is not documented.
pub(crate) const LONGEST_BODY: usize = 1 << 20;

// === impl Sim ===

impl Sim {
    /// Returns the simulation of a profile, in real time.
    ///
    /// # Errors
    ///
    /// As [`World::new`].
    pub fn new(profile: &Profile) -> Result<Self, Mistake> {
        Self::with_clock(profile, Clock::system())
    }

    /// Returns the simulation of a profile, in the time of this clock.
    ///
    /// # Errors
    ///
    /// As [`World::new`].
    pub fn with_clock(profile: &Profile, clock: Clock) -> Result<Self, Mistake> {
        let world = World::new(profile, clock)?;
        let parts = Parts::new(&world, profile)?;
        Ok(Self { world, parts })
    }

    /// Returns its memory.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Returns its customers and its callbacks.
    #[must_use]
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Returns it as a service.
    #[must_use]
    pub fn service(&self) -> SimService {
        SimService { sim: self.clone() }
    }

    /// Serves on a listener, in tasks of the current runtime.
    ///
    /// # Errors
    ///
    /// If the listener's address cannot be told.
    pub fn listen(&self, listener: TcpListener) -> std::io::Result<Running> {
        Running::start(self.service(), listener)
    }
}

// === impl SimService ===

impl SimService {
    /// Answers a request whose body may still be coming in.
    pub(crate) async fn serve<B>(self, request: Request<B>) -> Result<Response<ReplyBody>, Reset>
    where
        B: Body,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        if is_admin(request.uri().path()) {
            return self.administer(request).await;
        }
        let ip = caller(&request);
        let (head, body) = request.into_parts();
        let body = match Limited::new(body, LONGEST_BODY).collect().await {
            Ok(body) => Some(body.to_bytes()),
            Err(failed) if failed.is::<http_body_util::LengthLimitError>() => None,
            Err(_) => return Err(Reset),
        };
        let incoming = Incoming {
            method: head.method,
            uri: head.uri,
            body,
            ip,
        };
        let reply = answer(self.sim.world, incoming).await?;
        let mut response = Response::new(ReplyBody::new(reply.body, reply.bytes_per_s));
        *response.status_mut() = reply.status;
        let content_type = HeaderValue::from_static(reply.content_type);
        response.headers_mut().insert(CONTENT_TYPE, content_type);
        Ok(response)
    }

    /// Answers a request to the admin interface, which windows and faults do not concern.
    async fn administer<B>(self, request: Request<B>) -> Result<Response<ReplyBody>, Reset>
    where
        B: Body,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (head, body) = request.into_parts();
        let response = match Limited::new(body, admin::LONGEST_BODY).collect().await {
            Ok(body) => {
                let request = Request::from_parts(head, body.to_bytes());
                admin::handle(&self.sim, request).await
            }
            Err(failed) if failed.is::<http_body_util::LengthLimitError>() => admin::too_long(),
            Err(_) => return Err(Reset),
        };
        let (head, body) = response.into_parts();
        let Ok(body) = body.collect().await;
        let body = ReplyBody::new(body.to_bytes(), None);
        Ok(Response::from_parts(head, body))
    }

    pub(crate) fn world(&self) -> &World {
        &self.sim.world
    }
}

impl Service<Request<Full<Bytes>>> for SimService {
    type Response = Response<ReplyBody>;
    type Error = Reset;
    type Future = Pin<Box<dyn Future<Output = Result<Response<ReplyBody>, Reset>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Reset>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Full<Bytes>>) -> Self::Future {
        Box::pin(self.clone().serve(request))
    }
}

/// Whether a path belongs to the admin interface.
fn is_admin(path: &str) -> bool {
    let rest = path.strip_prefix("/admin");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn caller<B>(request: &Request<B>) -> IpAddr {
    let header = request.headers().get("x-caller-ip");
    let played = header.and_then(|ip| ip.to_str().ok()?.parse().ok());
    let known = || request.extensions().get::<CallerIp>().map(|ip| ip.0);
    played
        .or_else(known)
        .unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST))
}

// === impl Reset ===

impl fmt::Display for Reset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("connection reset by peer")
    }
}

impl std::error::Error for Reset {}
