//! An axum router whose answer goes out when the event is durable, and not before.
//!
//! WeCom takes a 200 for a promise: what it has been promised it never sends again. What is answered otherwise,
//! or not within 5 s, it sends up to three more times. So:
//!
//! | the handler | the answer |
//! |---|---|
//! | succeeds | 200, empty |
//! | fails, or panics | 503, empty |
//! | takes longer than the deadline | 503, empty; it runs on, and if it succeeds the next copy is marked |
//! | cannot be started, since too many run | 503, empty |
//!
//! A handler runs as a task of its own: when WeCom hangs up it goes on, for half an append is worse than one
//! that nobody waited for. It holds its place among [`in_flight`](Endpoint::in_flight) until it has ended, so a
//! store that hangs fills those places and no more memory.
//!
//! The same goes for whoever implements this on another framework: see [`Receiver::receive`].
//!
//! The body is read up to its limit, within [`body_time`](Endpoint::body_time). Whatever is refused gets a
//! status and an empty body: see [`Rejected`].

use std::{num::NonZeroU32, pin::pin, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    extract::{RawQuery, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing,
};
use http_body::Body as _;
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{
    delivery::Delivery,
    handler::Handler,
    receiver::Receiver,
    rejected::Rejected,
    watch::{Outcome, Watch},
};

/// The settings of the router of one address.
#[derive(Debug)]
#[must_use = "nothing is served before `into_router`"]
pub struct Endpoint<H> {
    receiver: Receiver,
    handler: H,
    deadline: Duration,
    body_time: Duration,
    in_flight: NonZeroU32,
}

/// What all requests share.
struct Shared<H> {
    receiver: Receiver,
    handler: H,
    deadline: Duration,
    body_time: Duration,
    places: Arc<Semaphore>,
    watch: Watch,
}

/// Returns the router of one address, at `/`, with the default settings; nest it where the address is.
///
/// ```
/// use wecom::callback::{self, Delivery, Keys, Receiver};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let key = "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C";
/// let receiver = Receiver::new(Keys::new("QDG6eK", key, "wx5823bf96d3bd56c7")?);
/// let router = callback::router(receiver, async |delivery: Delivery| {
///     append_and_sync(&delivery).await // and only then Ok
/// });
/// let app: axum::Router = axum::Router::new().nest("/wecom/callback", router);
/// # Ok(()) }
/// # async fn append_and_sync(_: &Delivery) -> std::io::Result<()> { Ok(()) }
/// ```
pub fn router<H: Handler>(receiver: Receiver, handler: H) -> Router {
    Endpoint::new(receiver, handler).into_router()
}

// === impl Endpoint ===

impl<H: Handler> Endpoint<H> {
    /// Returns the default settings, to be changed.
    pub fn new(receiver: Receiver, handler: H) -> Self {
        Self {
            receiver,
            handler,
            deadline: Duration::from_millis(4500),
            body_time: Duration::from_secs(2),
            in_flight: const { NonZeroU32::new(1024).unwrap() },
        }
    }

    /// Sets how long after the request's head the answer goes out at the latest. Default: 4.5 s, half a second
    /// for the way less than WeCom waits.
    ///
    /// Longer, and WeCom hangs up before it is told; shorter, and it repeats what would have gone well.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Sets how long reading a body may take. Default: 2 s.
    pub fn body_time(mut self, body_time: Duration) -> Self {
        self.body_time = body_time;
        self
    }

    /// Sets how many callbacks are read and handled at once. Default: 1,024; more are answered 503 unread.
    ///
    /// Each may hold a body, so the memory for them is up to this times
    /// [`body_limit`](super::Builder::body_limit): by default 64 MiB.
    pub fn in_flight(mut self, in_flight: NonZeroU32) -> Self {
        self.in_flight = in_flight;
        self
    }

    /// Returns the router, at `/`.
    pub fn into_router(self) -> Router {
        // Where `usize` is smaller than this, so is the memory.
        let places = usize::try_from(self.in_flight.get()).unwrap_or(Semaphore::MAX_PERMITS);
        let shared = Arc::new(Shared {
            watch: Watch::new(&self.receiver),
            receiver: self.receiver,
            handler: self.handler,
            deadline: self.deadline,
            body_time: self.body_time,
            places: Arc::new(Semaphore::new(places.min(Semaphore::MAX_PERMITS))),
        });
        Router::new()
            .route("/", routing::get(get::<H>).post(post::<H>))
            .with_state(shared)
    }
}

/// WeCom checks the address. Takes no place: it is to be answered within 1 s also when all are taken.
async fn get<H: Handler>(
    State(shared): State<Arc<Shared<H>>>,
    RawQuery(query): RawQuery,
) -> Response {
    let ongoing = shared.watch.begin();
    match shared.receiver.echo(query.as_deref().unwrap_or_default()) {
        Ok(plain) => {
            ongoing.end(Outcome::Echoed);
            ([("content-type", "text/plain")], plain).into_response()
        }
        Err(rejected) => {
            ongoing.end(Outcome::Rejected(rejected));
            rejected.status().into_response()
        }
    }
}

async fn post<H: Handler>(
    State(shared): State<Arc<Shared<H>>>,
    RawQuery(query): RawQuery,
    body: Body,
) -> StatusCode {
    let ongoing = shared.watch.begin();
    let outcome = answer(&shared, query.as_deref().unwrap_or_default(), body).await;
    ongoing.end(outcome);
    outcome.status()
}

async fn answer<H: Handler>(shared: &Arc<Shared<H>>, query: &str, body: Body) -> Outcome {
    let mut deadline = pin!(tokio::time::sleep(shared.deadline));
    let Ok(place) = Arc::clone(&shared.places).try_acquire_owned() else {
        return Outcome::Busy;
    };
    let body = match read(body, shared.receiver.body_limit(), shared.body_time).await {
        Ok(body) => body,
        Err(outcome) => return outcome,
    };
    let delivery = match shared.receiver.receive(query, &body) {
        Ok(delivery) => delivery,
        Err(rejected) => return Outcome::Rejected(rejected),
    };
    drop(body);
    let seen_before = delivery.seen_before;
    let mut handled = tokio::spawn(handle(Arc::clone(shared), delivery, place));
    tokio::select! {
        biased;
        result = &mut handled => match result {
            Ok(true) if seen_before => Outcome::Repeated,
            Ok(true) => Outcome::Durable,
            // The other is a panic, or the end of the runtime.
            Ok(false) | Err(_) => Outcome::Failed,
        },
        () = &mut deadline => Outcome::Late,
    }
}

/// Runs the handler to its end, whoever waits for it.
async fn handle<H: Handler>(
    shared: Arc<Shared<H>>,
    delivery: Delivery,
    _place: OwnedSemaphorePermit,
) -> bool {
    let identity = delivery.identity;
    let durable = shared.handler.make_durable(delivery).await.is_ok();
    if durable {
        shared.receiver.remember(identity);
    }
    durable
}

/// Reads a body of at most `limit` bytes; of a longer one, no more than that.
async fn read(body: Body, limit: usize, time: Duration) -> Result<Vec<u8>, Outcome> {
    let too_long = Outcome::Rejected(Rejected::TooLong { limit });
    let told = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if told > limit {
        return Err(too_long);
    }
    let all = async {
        let mut body = body;
        let mut all = Vec::with_capacity(told);
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| Outcome::Torn)?;
            let data = frame.into_data().unwrap_or_default();
            if all.len() + data.len() > limit {
                return Err(too_long);
            }
            all.extend_from_slice(&data);
        }
        Ok(all)
    };
    let all = tokio::time::timeout(time, all).await;
    all.unwrap_or(Err(Outcome::Torn))
}
