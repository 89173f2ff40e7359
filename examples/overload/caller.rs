//! One caller: sends the calls of its tasks through the client stack that the policy gave it.

use std::{net::SocketAddr, time::Duration};

use axum::http::{self, Request, Response, StatusCode};
use dagor::{Clock, Task, is_withheld};
use http_body_util::Empty;
use tower::{Service, ServiceExt, util::BoxCloneSyncService};

use super::{
    BoxError,
    connections::{NoConnection, RequestBody, ResponseBody},
    service::{BEFORE, INSIDE, SENT, nanos, value},
};

/// A client stack of any make. Clones share its state.
#[derive(Clone, Debug)]
pub(crate) struct Caller(
    BoxCloneSyncService<Request<RequestBody>, Response<ResponseBody>, BoxError>,
);

/// One call and what became of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) sent: Duration,
    pub(crate) ended: Duration,
    pub(crate) outcome: Outcome,
}

/// What became of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome {
    /// It was served after a wait before the protecting layer and one inside of it.
    Served { before: Duration, inside: Duration },
    /// The service refused it.
    Shed,
    /// The caller did not send it.
    Withheld,
    /// There was no connection to send it over.
    Unsent,
    /// The connection broke, or the answer was none of ours.
    Failed,
}

// === impl Caller ===

impl Caller {
    pub(crate) fn new<S>(stack: S) -> Self
    where
        S: Service<Request<RequestBody>, Response = Response<ResponseBody>, Error = BoxError>
            + Clone
            + Send
            + Sync
            + 'static,
        S::Future: Send + 'static,
    {
        Self(BoxCloneSyncService::new(stack))
    }

    /// Makes one call on behalf of `task` to the service at `address`.
    pub(crate) async fn call(&self, address: SocketAddr, task: &Task) -> Call {
        let clock = Clock::system();
        let sent = clock.now();
        let outcome = match request(address, task, sent) {
            Ok(request) => Outcome::of(self.0.clone().oneshot(request).await),
            Err(_) => Outcome::Failed,
        };
        Call {
            sent,
            ended: clock.now(),
            outcome,
        }
    }
}

fn request(
    address: SocketAddr,
    task: &Task,
    sent: Duration,
) -> Result<Request<RequestBody>, http::Error> {
    Request::builder()
        .uri(format!("http://{address}/"))
        .header(SENT, value(sent))
        .extension(task.clone())
        .body(Empty::new())
}

// === impl Outcome ===

impl Outcome {
    fn of(answer: Result<Response<ResponseBody>, BoxError>) -> Self {
        match answer {
            Ok(response) if response.status() == StatusCode::OK => {
                let waits = (
                    nanos(response.headers(), &BEFORE),
                    nanos(response.headers(), &INSIDE),
                );
                if let (Some(before), Some(inside)) = waits {
                    Self::Served { before, inside }
                } else {
                    Self::Failed
                }
            }
            Ok(response) if response.status() == StatusCode::SERVICE_UNAVAILABLE => Self::Shed,
            Ok(_) => Self::Failed,
            Err(error) if is_withheld(&*error) => Self::Withheld,
            Err(error) if error.is::<NoConnection>() => Self::Unsent,
            Err(_) => Self::Failed,
        }
    }
}
