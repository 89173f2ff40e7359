//! Tasks come, each asks the service once, and what came of it is counted.

use std::{pin::pin, sync::Arc, time::Duration};

use dagor::client::BoxError;
use futures_util::future::{Either, select};
use http::{HeaderValue, Method, Uri};
use http_body_util::BodyExt as _;
use tokio::task::{JoinError, JoinSet};
use tower::{Service, ServiceExt as _};

use super::{BUSINESS, USER, door::Door};
use crate::{
    load::Arrivals,
    measure::{Outcome, Recorder},
    scenario::Scenario,
    wire::{Body, Call, Ending, Request, Response},
    world::{Real, World},
};

/// One run: what all of its tasks share.
struct Run {
    world: World,
    scenario: Scenario,
    door: Door,
    recorder: Recorder,
}

/// Sends everything that comes in a scenario to a service, on the current runtime.
///
/// # Panics
///
/// If the service does.
pub(super) async fn drive<S, B>(scenario: Scenario, seed: u64, service: S) -> Outcome
where
    S: Service<Request, Response = http::Response<B>> + Clone + Send + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send + 'static,
    B: http_body::Body + Send + 'static,
    B::Error: Into<BoxError>,
{
    let run = Arc::new(Run {
        world: World::Real(Real::start()),
        door: Door::new(&scenario),
        recorder: Recorder::new(&scenario),
        scenario,
    });
    let mut tasks = JoinSet::new();
    for (at, call) in Arrivals::new(&run.scenario, seed) {
        run.world.sleep_until(at).await;
        tasks.spawn(Arc::clone(&run).task(at, call, service.clone()));
        while let Some(ended) = tasks.try_join_next() {
            end(ended);
        }
    }
    while let Some(ended) = tasks.join_next().await {
        end(ended);
    }
    run.recorder.outcome()
}

/// Passes on a panic of the user's code, so that a test shows it.
fn end(task: Result<(), JoinError>) {
    if let Err(error) = task
        && error.is_panic()
    {
        std::panic::resume_unwind(error.into_panic());
    }
}

impl Run {
    /// A client's task: one request, until its deadline. Its time begins when it was due, however late it is sent.
    async fn task<S, B>(self: Arc<Self>, came: Duration, call: Call, service: S)
    where
        S: Service<Request, Response = http::Response<B>> + Send + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send + 'static,
        B: http_body::Body + Send + 'static,
        B::Error: Into<BoxError>,
    {
        self.recorder.task_came(came, &call, 1);
        let attempt = Box::pin(Arc::clone(&self).attempt(call, service));
        let given_up = self.world.sleep_until(call.deadline);
        let good = match select(attempt, given_up).await {
            Either::Left((ending, _)) => ending == Ending::Served,
            Either::Right(((), attempt)) => {
                // The service hears of it by being dropped, or works on for nobody.
                if !self.scenario.hang_up {
                    self.world.spawn(async {
                        let _: Ending = attempt.await;
                    });
                }
                false
            }
        };
        self.recorder
            .task_ended(came, self.world.now(), &call, 1, good);
    }

    async fn attempt<S, B>(self: Arc<Self>, call: Call, service: S) -> Ending
    where
        S: Service<Request, Response = http::Response<B>> + Send,
        S::Error: Into<BoxError>,
        S::Future: Send,
        B: http_body::Body + Send,
        B::Error: Into<BoxError>,
    {
        let business = &self.scenario.businesses[call.business];
        let request = request(call, &business.name);
        self.door.enter(&self.world, business.entry).await;
        self.recorder.arrived(self.world.now(), business.entry);
        let ending = ask(service, request).await;
        if ending == Ending::Refused {
            self.recorder.refused(self.world.now(), business.entry);
        }
        self.door.leave(&self.world, business.entry).await;
        ending
    }
}

fn request(call: Call, business: &str) -> Request {
    let mut request = Request::new(Body::empty());
    *request.method_mut() = Method::GET;
    // Digits after a slash are a path.
    *request.uri_mut() = Uri::try_from(format!("/b/{}", call.number)).unwrap_or_default();
    // A name is what headers may hold, as scenarios are checked.
    if let Ok(business) = HeaderValue::from_str(business) {
        request.headers_mut().insert(BUSINESS, business);
    }
    request.headers_mut().insert(USER, call.user.into());
    request.extensions_mut().insert(call);
    request
}

/// Asks once and reads the answer to its end.
async fn ask<S, B>(service: S, request: Request) -> Ending
where
    S: Service<Request, Response = http::Response<B>>,
    S::Error: Into<BoxError>,
    B: http_body::Body,
    B::Error: Into<BoxError>,
{
    let response = match service.oneshot(request).await {
        Ok(response) => response,
        Err(error) => return refused_or_failed(error.into()),
    };
    let (mut parts, body) = response.into_parts();
    let mut body = pin!(body);
    while let Some(frame) = body.frame().await {
        match frame.map(http_body::Frame::into_trailers) {
            // gRPC says at the end how it went.
            Ok(Ok(trailers)) => parts.headers.extend(trailers),
            Ok(Err(_data)) => {}
            Err(error) => return Ending::of(&Err(error.into())),
        }
    }
    let status = parts.headers.get("grpc-status").cloned();
    let ending = Ending::of(&Ok(Response::from_parts(parts, Body::empty())));
    match status {
        Some(status) if status != "0" && ending == Ending::Served => Ending::Failed,
        _ => ending,
    }
}

/// A stack that leaves refusals to whoever is around it gives them as errors.
fn refused_or_failed(error: BoxError) -> Ending {
    match dagor::error::is_shed(error.as_ref()) {
        true => Ending::Refused,
        false => Ending::of(&Err(error)),
    }
}
