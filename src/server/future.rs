//! From the decision to the response head.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker, ready},
    time::Duration,
};

use http::{HeaderMap, Request, Response, header::CONTENT_LENGTH};
use pin_project_lite::pin_project;
use tower_service::Service;

use super::{body::Body, level::set_level, refusal::Dialect, request::Facts};
use crate::{
    admission::{Entrance, InFlight, Shared},
    config::PermitEnds,
    error::{Reason, Shed},
    gate::{Acquire, Permit},
    priority::Priority,
    task::{self, Task},
    wire::Outcome,
};

pin_project! {
    /// The response of a [`Server`](super::Server).
    ///
    /// Dropped while it waits, the request leaves the gate; dropped while it runs, it gives its permit
    /// back and does not count as served.
    pub struct ResponseFuture<S, B>
    where
        S: Service<Request<B>>,
    {
        #[pin]
        state: State<S, B>,
        walk: Walk,
    }
}

pin_project! {
    #[project = StateProjection]
    enum State<S, B>
    where
        S: Service<Request<B>>,
    {
        Refused { shed: Shed },
        Waiting { acquire: Acquire, start: Option<Start<S, B>> },
        Starting { start: Option<Start<S, B>> },
        Broken { error: Option<S::Error> },
        Running { #[pin] future: S::Future },
    }
}

/// A request and the service that will get it.
struct Start<S, B> {
    inner: S,
    request: Request<B>,
}

/// What goes with the request from here to the end of its response.
struct Walk {
    shared: Arc<Shared>,
    dialect: Dialect,
    ends: PermitEnds,
    /// `None` for requests that pass untouched.
    task: Option<Task>,
    outside: Duration,
    in_flight: Option<InFlight>,
    permit: Option<Permit>,
}

impl<S, B> ResponseFuture<S, B>
where
    S: Service<Request<B>>,
{
    /// A request that is neither counted nor limited.
    pub(super) fn passed(inner: S, request: Request<B>, shared: Arc<Shared>) -> Self {
        let walk = Walk {
            shared,
            dialect: Dialect::Http,
            ends: PermitEnds::Head,
            task: None,
            outside: Duration::ZERO,
            in_flight: None,
            permit: None,
        };
        Self {
            state: State::Starting {
                start: Some(Start { inner, request }),
            },
            walk,
        }
    }

    /// A request on which the level has decided and the gate was asked.
    ///
    /// Who gets in at once starts here: what has nothing to wait for need not be kept for later.
    pub(super) fn asked(
        asked: Result<Entrance, Shed>,
        inner: S,
        request: Request<B>,
        facts: Facts,
        shared: &Arc<Shared>,
        ends: PermitEnds,
    ) -> Self {
        let mut walk = Walk {
            dialect: Dialect::Http,
            ends,
            task: Some(facts.task),
            outside: facts.waited,
            in_flight: Some(shared.enter()),
            permit: None,
            shared: Arc::clone(shared),
        };
        let state = match asked {
            Ok(Entrance::Open(permit)) => {
                walk.granted(permit, Duration::ZERO);
                walk.start(inner, request)
            }
            Ok(Entrance::Wait(acquire)) => {
                walk.dialect = Dialect::of(request.headers());
                let start = Some(Start { inner, request });
                State::Waiting { acquire, start }
            }
            Err(shed) => {
                walk.dialect = Dialect::of(request.headers());
                State::Refused { shed }
            }
        };
        Self { state, walk }
    }
}

impl Walk {
    fn granted(&mut self, permit: Permit, at_gate: Duration) {
        self.permit = Some(permit);
        self.shared
            .note_started(self.priority(), self.outside.saturating_add(at_gate));
    }

    /// Calls a service that is ready now; one that is not is asked again by the future, which can be woken.
    fn start<S, B>(&mut self, mut inner: S, request: Request<B>) -> State<S, B>
    where
        S: Service<Request<B>>,
    {
        match inner.poll_ready(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Ok(())) => State::Running {
                future: task::lend(&mut self.task, || inner.call(request)),
            },
            Poll::Ready(Err(error)) => State::Broken { error: Some(error) },
            Poll::Pending => State::Starting {
                start: Some(Start { inner, request }),
            },
        }
    }

    fn shed(&self, reason: Reason) -> Shed {
        self.shared.shed(self.priority(), reason)
    }

    fn priority(&self) -> Priority {
        let priority = self.task.as_ref().map(Task::priority);
        priority.unwrap_or(Priority::LEAST_IMPORTANT)
    }

    /// Puts the level on a response and lets go of what ends with its head.
    fn respond<B: http_body::Body>(&mut self, response: Response<B>) -> Response<Body<B>> {
        if self.ends == PermitEnds::Head {
            self.finish();
        }
        let (in_flight, permit) = (self.in_flight.take(), self.permit.take());
        let held = permit.as_ref();
        let announced = held.and_then(|_| announced_length(response.headers()));
        let mut response = response.map(|body| Body::new(body, announced, in_flight, permit));
        let field = self.shared.level_field(Outcome::Processed);
        set_level(response.headers_mut(), self.shared.names(), &field);
        response
    }

    fn finish(&mut self) {
        if let Some(permit) = self.permit.take() {
            permit.finish();
        }
    }
}

fn announced_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

impl<S, B, ResB> Future for ResponseFuture<S, B>
where
    S: Service<Request<B>, Response = Response<ResB>>,
    ResB: http_body::Body,
{
    type Output = Result<Response<Body<ResB>>, S::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            let next = match this.state.as_mut().project() {
                StateProjection::Refused { shed } => {
                    return Poll::Ready(Ok(this.walk.dialect.refuse(shed, &this.walk.shared)));
                }
                StateProjection::Waiting { acquire, start } => {
                    match ready!(Pin::new(acquire).poll(cx)) {
                        Ok((permit, at_gate)) => {
                            this.walk.granted(permit, at_gate);
                            State::Starting {
                                start: start.take(),
                            }
                        }
                        Err(reason) => State::Refused {
                            shed: this.walk.shed(reason),
                        },
                    }
                }
                StateProjection::Starting { start } => {
                    let ready = start.as_mut().map(|start| start.inner.poll_ready(cx));
                    if let Err(error) = ready!(ready.unwrap_or(Poll::Pending)) {
                        this.walk.finish();
                        return Poll::Ready(Err(error));
                    }
                    let Some(Start { mut inner, request }) = start.take() else {
                        return Poll::Pending;
                    };
                    State::Running {
                        future: task::lend(&mut this.walk.task, || inner.call(request)),
                    }
                }
                StateProjection::Broken { error } => {
                    this.walk.finish();
                    return error
                        .take()
                        .map_or(Poll::Pending, |error| Poll::Ready(Err(error)));
                }
                StateProjection::Running { future } => {
                    let response = ready!(task::lend(&mut this.walk.task, || future.poll(cx)));
                    return Poll::Ready(match response {
                        Ok(response) => Ok(this.walk.respond(response)),
                        Err(error) => {
                            this.walk.finish();
                            Err(error)
                        }
                    });
                }
            };
            this.state.set(next);
        }
    }
}

impl<S, B> fmt::Debug for ResponseFuture<S, B>
where
    S: Service<Request<B>>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture")
            .field("service", &self.walk.shared)
            .finish_non_exhaustive()
    }
}
