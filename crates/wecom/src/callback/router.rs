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
//! | runs already, for another copy | by what becomes of that one, or 503 at this copy's own deadline |
//! | cannot be started, since too many run | 503, empty |
//!
//! A handler runs as a task of its own: when WeCom hangs up it goes on, for half an append is worse than one
//! that nobody waited for. It holds its place among [`in_flight`](Endpoint::in_flight) until it has ended, so a
//! store that hangs fills those places and no more memory. One event takes one place however often it comes, and
//! after [`handler_time`](Endpoint::handler_time) its handler is dropped, so no place is taken for ever. Two
//! routers over one [`Receiver`] share its memory but not this: each has its own handler, and runs it.
//!
//! # Strangers
//!
//! The query is looked at before anything else; what is wrong with it is refused with the body unread. But nothing
//! in it is a proof: the signature covers the message, and a fresh time can be written by anybody. So bodies are
//! read before it is known whose they are, within [`body_time`](Endpoint::body_time) and the receiver's limit,
//! in places of their own: however many strangers send theirs slowly, no handler's place is taken before a
//! signature was right. What they can take is [`reading`](Endpoint::reading) bodies at once, each for `body_time`
//! at most; when all places are taken the oldest gives way, so that WeCom's, which are quick, get through. To
//! bound connections, and the time for a request's head, is the server's part.
//!
//! The same goes for whoever implements this on another framework: see [`Receiver::receive`].
//!
//! Whatever is refused gets a status and an empty body: see [`Rejected`](super::Rejected).

use std::{
    num::NonZeroU32,
    pin::pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    extract::{RawQuery, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing,
};

use super::{
    body::{Bodies, Readers},
    delivery::Delivery,
    handler::Handler,
    query::Query,
    receiver::Receiver,
    running::{Entered, Run, Running},
    watch::{Ended, Outcome, Watch},
};

/// The settings of the router of one address.
#[derive(Debug)]
#[must_use = "nothing is served before `into_router`"]
pub struct Endpoint<H> {
    receiver: Receiver,
    handler: H,
    deadline: Duration,
    handler_time: Duration,
    body_time: Duration,
    in_flight: NonZeroU32,
    reading: NonZeroU32,
}

/// How many bodies are read, and how many handlers run: with 10 ms for each, 100,000 a second.
const DEFAULT_PLACES: NonZeroU32 = NonZeroU32::new(1024).unwrap();

/// What all requests share.
struct Shared<H> {
    receiver: Receiver,
    handler: H,
    deadline: Duration,
    handler_time: Duration,
    bodies: Bodies,
    running: Arc<Running>,
    watch: Arc<Watch>,
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
            handler_time: Duration::from_secs(60),
            body_time: Duration::from_secs(2),
            in_flight: DEFAULT_PLACES,
            reading: DEFAULT_PLACES,
        }
    }

    /// Sets how long after the request's head the answer goes out at the latest. Default: 4.5 s, half a second
    /// for the way less than WeCom waits.
    ///
    /// Longer, and WeCom hangs up before it is told; shorter, and it repeats what would have gone well. Zero, and
    /// nothing is ever told to be durable.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Sets how long a handler may run. Default: 60 s. Then it is dropped where it waits, its place is free, and
    /// `overdue` is counted and told: what it was to make durable is durable if it was already, and otherwise lost
    /// until somebody reads what the event told of.
    ///
    /// All of WeCom's tries take about 20 s; a minute loses nothing that they would have saved, with room for
    /// waits between them, of which nothing is documented. Shorter than the [`deadline`](Self::deadline), it takes the
    /// deadline's place: the answer is 503 when the handler is dropped. Zero leaves a handler its first poll, so that
    /// whatever has to wait for something fails. [`Duration::MAX`] is no bound: a store that hangs then stops the
    /// address when [`in_flight`](Self::in_flight) events wait for it, until the process is restarted.
    pub fn handler_time(mut self, handler_time: Duration) -> Self {
        self.handler_time = handler_time;
        self
    }

    /// Sets how long reading a body may take. Default: 2 s. Longer than the [`deadline`](Self::deadline), it is the
    /// deadline; zero takes only bodies that are there already.
    pub fn body_time(mut self, body_time: Duration) -> Self {
        self.body_time = body_time;
        self
    }

    /// Sets how many handlers run at once, which is how many events are handled at once: copies of one wait for
    /// the same handler. Default: 1,024; what would need one more is answered 503.
    ///
    /// Each holds a delivery, of the size of a body. Of each event at most eight copies wait, without their
    /// bodies; more are answered 503.
    pub fn in_flight(mut self, in_flight: NonZeroU32) -> Self {
        self.in_flight = in_flight;
        self
    }

    /// Sets how many bodies are read at once. Default: 1,024; when one more comes, the one that has been read for
    /// longest is answered 503.
    ///
    /// The memory for them is up to this times [`body_limit`](super::Builder::body_limit): by default 64 MiB. A
    /// stranger who makes this many requests in the time that a body of WeCom's takes to arrive can keep those
    /// out; fewer make that easier.
    pub fn reading(mut self, reading: NonZeroU32) -> Self {
        self.reading = reading;
        self
    }

    /// Returns the router, at `/`.
    pub fn into_router(self) -> Router {
        let watch = Arc::new(Watch::new(&self.receiver));
        let running = Running::new(self.receiver.clone(), Arc::clone(&watch), self.in_flight);
        let shared = Arc::new(Shared {
            handler: self.handler,
            deadline: self.deadline,
            handler_time: self.handler_time,
            bodies: Bodies {
                limit: self.receiver.body_limit(),
                time: self.body_time.min(self.deadline),
                most: self.reading,
                readers: Mutex::new(Readers::default()),
            },
            running: Arc::new(running),
            receiver: self.receiver,
            watch,
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
    let query = match Query::parse(query) {
        Ok(query) => query,
        Err(rejected) => return Outcome::Rejected(rejected),
    };
    let body = match shared.bodies.read(body).await {
        Ok(body) => body,
        Err(outcome) => return outcome,
    };
    let mut delivery = match shared.receiver.open_post(&query, &body) {
        Ok(delivery) => delivery,
        Err(rejected) => return Outcome::Rejected(rejected),
    };
    drop(body);
    let (waiter, is_repeated) = match shared.running.enter(&mut delivery) {
        Entered::First(run, waiter) => {
            let is_repeated = delivery.seen_before;
            tokio::spawn(handle(Arc::clone(shared), delivery, run));
            (waiter, is_repeated)
        }
        Entered::Joined(waiter) => (waiter, true),
        Entered::Full => return Outcome::Busy,
    };
    tokio::select! {
        biased;
        ended = waiter.ended() => match ended {
            Ended::Durable if is_repeated => Outcome::Repeated,
            Ended::Durable => Outcome::Durable,
            Ended::Failed | Ended::Broken => Outcome::Failed,
            Ended::Overdue => Outcome::Late,
        },
        () = &mut deadline => Outcome::Late,
    }
}

/// Runs the handler to its end, whoever waits for it, but not for ever.
async fn handle<H: Handler>(shared: Arc<Shared<H>>, delivery: Delivery, run: Run) {
    let made = shared.handler.make_durable(delivery);
    let made = tokio::time::timeout(shared.handler_time, made).await;
    run.end(match made {
        Ok(Ok(())) => Ended::Durable,
        Ok(Err(_)) => Ended::Failed,
        Err(_) => Ended::Overdue,
    });
}
