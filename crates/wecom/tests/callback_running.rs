//! The handlers behind the router: one for each event, not too many, none for ever.
#![cfg(feature = "axum")]

mod callback_support;

use std::{
    convert::Infallible,
    num::NonZeroU32,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    http::{Method, StatusCode},
};
use callback_support::{
    NOW, added, builder, keys, posted, receiver,
    requests::{Log, post, request, send, status, timed},
};
use tokio::{sync::Semaphore, task::JoinHandle};
use wecom::callback::{self, Delivery, Endpoint, Handler};

const MINUTE: Duration = Duration::from_secs(60);
const DEADLINE: Duration = Duration::from_millis(4500);

/// A store that hangs for the customers called `stuck…`, until it is told what to do about them.
#[derive(Clone)]
struct Store {
    log: Log,
    calls: Arc<AtomicUsize>,
    /// Handlers that were dropped before their end.
    dropped: Arc<AtomicUsize>,
    /// One permit for each handler that may go on.
    go: Arc<Semaphore>,
    fails: Arc<Mutex<bool>>,
}

/// Counts itself if it is dropped half-way.
struct Half<'a>(Option<&'a AtomicUsize>);

// === impl Store ===

impl Store {
    fn new() -> Self {
        Self {
            log: Log::default(),
            calls: Arc::default(),
            dropped: Arc::default(),
            go: Arc::new(Semaphore::new(0)),
            fails: Arc::default(),
        }
    }

    fn fail(&self) {
        *self.fails.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    fn dropped(&self) -> usize {
        self.dropped.load(Ordering::Relaxed)
    }
}

impl Handler for Store {
    type Error = &'static str;

    async fn make_durable(&self, delivery: Delivery) -> Result<(), &'static str> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let external_user = delivery.fields.get("ExternalUserID");
        if external_user.is_some_and(|id| id.starts_with("stuck")) {
            let mut half = Half(Some(&self.dropped));
            let go = self.go.acquire().await.map_err(|_| "closed")?;
            go.forget();
            half.0 = None;
        }
        if *self.fails.lock().unwrap_or_else(PoisonError::into_inner) {
            return Err("the disk is full");
        }
        self.log.append(&delivery);
        Ok(())
    }
}

impl Drop for Half<'_> {
    fn drop(&mut self) {
        if let Some(dropped) = self.0 {
            dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn places(store: &Store, places: u32) -> Endpoint<Store> {
    let places = NonZeroU32::new(places).expect("some");
    // Hours pass in some tests.
    let receiver = builder().without_window().build().expect("settings");
    Endpoint::new(receiver, store.clone()).in_flight(places)
}

/// Sends a copy of a customer's event.
async fn copy(router: &Router, customer: &str) -> StatusCode {
    status(router, post(&posted(&added("a", customer)))).await
}

fn spawn_copy(router: &Router, customer: &'static str) -> JoinHandle<(StatusCode, Duration)> {
    let router = router.clone();
    tokio::spawn(async move { timed(copy(&router, customer)).await })
}

#[tokio::test(start_paused = true)]
async fn c3_copies_of_a_running_event_take_no_place_and_start_nothing() {
    let store = Store::new();
    let router = places(&store, 2).into_router();
    for _ in 0..4 {
        assert_eq!(copy(&router, "stuck").await, 503);
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    assert_eq!(store.calls(), 1, "one handler for four copies");
    assert_eq!(copy(&router, "b").await, 200, "the other place is free");
}

#[tokio::test(start_paused = true)]
async fn c3_a_copy_is_answered_by_what_becomes_of_the_running_handler() {
    let store = Store::new();
    let router = places(&store, 1).into_router();
    let first = spawn_copy(&router, "stuck");
    tokio::time::sleep(Duration::from_secs(3)).await;
    let second = spawn_copy(&router, "stuck");
    tokio::time::sleep(Duration::from_secs(4)).await;
    store.go.add_permits(1);

    assert_eq!(
        first.await.unwrap(),
        (StatusCode::SERVICE_UNAVAILABLE, DEADLINE)
    );
    let joined = second.await.unwrap();
    assert_eq!(joined, (StatusCode::OK, Duration::from_secs(4)));
    store.go.add_permits(1);
    assert_eq!(copy(&router, "stuck").await, 200);
    let marks: Vec<_> = store.log.entries().iter().map(|(_, seen)| *seen).collect();
    assert_eq!(marks, [false, true], "made durable once, then marked");

    store.fail();
    let copies = [spawn_copy(&router, "stuck2"), spawn_copy(&router, "stuck2")];
    tokio::time::sleep(Duration::from_secs(1)).await;
    store.go.add_permits(1);
    for copy in copies {
        let failed = (StatusCode::SERVICE_UNAVAILABLE, Duration::from_secs(1));
        assert_eq!(copy.await.unwrap(), failed);
    }
    assert_eq!(store.calls(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_copy_waits_no_longer_than_its_own_deadline() {
    let store = Store::new();
    let router = places(&store, 1).into_router();
    let first = spawn_copy(&router, "stuck");
    tokio::time::sleep(Duration::from_secs(2)).await;
    let second = spawn_copy(&router, "stuck");
    let late = (StatusCode::SERVICE_UNAVAILABLE, DEADLINE);
    assert_eq!((first.await.unwrap(), second.await.unwrap()), (late, late));
}

#[tokio::test(start_paused = true)]
async fn a_copy_outlives_the_sender_of_the_first() {
    let store = Store::new();
    let router = places(&store, 1).into_router();
    let first = spawn_copy(&router, "stuck");
    tokio::time::sleep(Duration::from_secs(1)).await;
    let second = spawn_copy(&router, "stuck");
    tokio::time::sleep(Duration::from_secs(1)).await;
    first.abort();
    assert!(first.await.is_err());
    store.go.add_permits(1);
    assert_eq!(
        second.await.unwrap(),
        (StatusCode::OK, Duration::from_secs(1))
    );
    assert_eq!(store.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn no_more_copies_wait_than_wecom_ever_sends() {
    let store = Store::new();
    let router = places(&store, 1).into_router();
    let waiting: Vec<_> = (0..8).map(|_| spawn_copy(&router, "stuck")).collect();
    tokio::time::sleep(Duration::from_millis(1)).await;
    let (answer, took) = timed(copy(&router, "stuck")).await;
    assert_eq!((answer.as_u16(), took), (503, Duration::ZERO));
    store.go.add_permits(1);
    for copy in waiting {
        assert_eq!(copy.await.unwrap().0, 200);
    }
}

#[tokio::test(start_paused = true)]
async fn beyond_the_bound_nothing_is_started_and_the_address_still_verifies() {
    let store = Store::new();
    let router = places(&store, 1).into_router();
    assert_eq!(copy(&router, "stuck").await, 503);
    let (answer, took) = timed(copy(&router, "b")).await;
    assert_eq!(
        (answer.as_u16(), took),
        (503, Duration::ZERO),
        "past its deadline it has its place"
    );
    let echo = keys().seal(b"17", NOW).echo_query();
    let get = request(Method::GET, &echo, Body::empty());
    assert_eq!(send(&router, get).await.status(), 200);

    let joined = spawn_copy(&router, "stuck");
    tokio::time::sleep(Duration::from_millis(1)).await;
    store.go.add_permits(1);
    assert_eq!(joined.await.unwrap().0, 200);
    assert_eq!(
        copy(&router, "b").await,
        200,
        "free once the copy is answered"
    );
    assert_eq!(store.calls(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_never_ends_is_dropped_after_a_minute() {
    let store = Store::new();
    let router = places(&store, 3).into_router();
    for stuck in ["stuck1", "stuck2", "stuck3"] {
        spawn_copy(&router, stuck);
    }
    tokio::time::sleep(MINUTE - Duration::from_millis(1)).await;
    assert_eq!(copy(&router, "b").await, 503);
    assert_eq!(store.dropped(), 0);
    tokio::time::sleep(Duration::from_millis(2)).await;
    assert_eq!(store.dropped(), 3);
    assert_eq!(copy(&router, "b").await, 200, "the store stands again");

    store.go.add_permits(1);
    assert_eq!(copy(&router, "stuck1").await, 200, "and takes it anew");
    assert!(
        store
            .log
            .entries()
            .iter()
            .all(|(_, seen_before)| !seen_before)
    );
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_handler_may_be_anything() {
    let store = Store::new();
    let router = places(&store, 1).handler_time(Duration::ZERO).into_router();
    assert_eq!(copy(&router, "b").await, 200, "it had not to wait");
    let (answer, took) = timed(copy(&router, "stuck")).await;
    // A timer fires in the millisecond after.
    assert!(
        answer == 503 && took <= Duration::from_millis(1),
        "{answer} {took:?}"
    );
    assert_eq!(store.dropped(), 1);

    let second = Duration::from_secs(1);
    let router = places(&store, 1).handler_time(second).into_router();
    let copies = [spawn_copy(&router, "stuck"), spawn_copy(&router, "stuck")];
    for copy in copies {
        assert_eq!(
            copy.await.unwrap(),
            (StatusCode::SERVICE_UNAVAILABLE, second)
        );
    }

    let router = places(&store, 1).handler_time(Duration::MAX).into_router();
    assert_eq!(copy(&router, "stuck").await, 503);
    tokio::time::sleep(600 * MINUTE).await;
    assert_eq!(copy(&router, "b").await, 503);
    store.go.add_permits(1);
    assert_eq!(copy(&router, "stuck").await, 200);
}

/// A future that panics when it is polled, or when it is dropped.
struct Bomb {
    when_polled: bool,
}

impl Future for Bomb {
    type Output = Result<(), Infallible>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        assert!(!self.when_polled, "when polled");
        Poll::Pending
    }
}

impl Drop for Bomb {
    fn drop(&mut self) {
        assert!(self.when_polled, "when dropped");
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_panics_leaves_nothing_behind() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let handler = move |_: Delivery| {
        let call = counted.fetch_add(1, Ordering::Relaxed);
        assert_ne!(call, 0, "when called");
        let bomb = (call < 3).then(|| Bomb {
            when_polled: call == 1,
        });
        async move {
            match bomb {
                Some(bomb) => bomb.await,
                None => Ok(()),
            }
        }
    };
    let router = Endpoint::new(receiver(), handler)
        .in_flight(NonZeroU32::MIN)
        .handler_time(Duration::from_secs(1))
        .into_router();
    for expected in [503, 503, 503, 200] {
        assert_eq!(copy(&router, "b").await, expected);
    }
    assert_eq!(calls.load(Ordering::Relaxed), 4);
}

#[test]
fn a_handler_that_goes_down_with_its_runtime_leaves_nothing_behind() {
    let runtime = || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_time().start_paused(true).build().unwrap()
    };
    let store = Store::new();
    let router = places(&store, 1).into_router();
    let first = runtime();
    assert_eq!(first.block_on(copy(&router, "stuck")), 503);
    drop(first);
    assert_eq!(store.dropped(), 1);
    store.go.add_permits(1);
    assert_eq!(runtime().block_on(copy(&router, "stuck")), 200);
    assert_eq!(store.calls(), 2);
}

#[tokio::test(start_paused = true)]
async fn two_routers_over_one_receiver_share_its_memory_and_not_their_handlers() {
    let (receiver, store, other) = (receiver(), Store::new(), Store::new());
    let first = callback::router(receiver.clone(), store.clone());
    let second = callback::router(receiver, other.clone());
    assert_eq!(copy(&first, "stuck").await, 503);
    other.go.add_permits(1);
    assert_eq!(copy(&second, "stuck").await, 200, "this one has not hung");
    store.go.add_permits(2);
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(copy(&first, "stuck").await, 200);
    assert_eq!((store.calls(), other.calls()), (2, 1));
    assert!(store.log.entries()[1].1, "known to both");
}
