//! What `poll_ready` must not do: hold permits, or take a `Pending` for overload.

use std::{
    convert::Infallible,
    future::{Future, poll_fn},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    task::Poll,
};

use bytes::Bytes;
use dagor::{Admission, Clock, Concurrency};
use futures_util::future::join_all;
use http::{Response, StatusCode};
use http_body_util::Full;
use tokio::task::coop;
use tower::{
    Service as _, ServiceBuilder, ServiceExt as _, load_shed::error::Overloaded, service_fn,
};

use crate::support::{Asked, Service, get, ms, protect, sleeper};

fn admission(permits: usize) -> Admission {
    Admission::builder("readiness")
        .concurrency(Concurrency::Fixed(permits.try_into().unwrap()))
        .clock(Clock::tokio())
        .build()
        .unwrap()
}

/// A service that notes how many of its calls run at once, and the most there ever were.
fn counting(admission: &Admission) -> (Service, Arc<AtomicUsize>) {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let seen = Arc::clone(&most);
    let service = protect(admission, move |_| {
        let (running, most) = (Arc::clone(&running), Arc::clone(&most));
        async move {
            most.fetch_max(running.fetch_add(1, Relaxed) + 1, Relaxed);
            tokio::time::sleep(ms(1)).await;
            running.fetch_sub(1, Relaxed);
            Response::new(Full::default())
        }
    });
    (service, seen)
}

#[tokio::test(start_paused = true)]
async fn o10_a_thousand_idle_clones_hoard_no_permit() {
    let admission = admission(2);
    let (service, most) = counting(&admission);
    let mut clones: Vec<_> = (0..1000).map(|_| service.clone()).collect();
    for clone in &mut clones {
        clone.ready().await.unwrap();
    }
    assert_eq!(admission.snapshot().running, 0, "readied is not running");

    let calls = clones.iter_mut().take(40).map(|clone| clone.call(get("/")));
    let answers = join_all(calls).await;
    for answer in answers {
        let Ok(response) = answer;
        assert_eq!(response.status(), StatusCode::OK, "the permits were there");
    }
    assert_eq!(most.load(Relaxed), 2, "and not more of them than there are");
}

/// Spends the cooperative budget of the running task, then polls `call` in the same turn.
async fn exhausted<F: Future>(call: F) -> Poll<F::Output> {
    let mut call = pin!(call);
    poll_fn(|cx| {
        while let Poll::Ready(progress) = coop::poll_proceed(cx) {
            progress.made_progress();
        }
        assert!(!coop::has_budget_remaining());
        Poll::Ready(call.as_mut().poll(cx))
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn o11_a_spent_budget_is_not_overload() {
    let admission = admission(1);
    let handler =
        service_fn(async |_: Asked| Ok::<_, Infallible>(Response::new(Full::<Bytes>::default())));
    // What asks tokio for something before it is ready: here a buffer, for room in its channel.
    let inner = ServiceBuilder::new().buffer(8).service(handler);
    let theirs = ServiceBuilder::new().load_shed().service(inner.clone());
    let ours = ServiceBuilder::new()
        .layer(admission.layer())
        .service(inner);

    let task = tokio::spawn(async move {
        let theirs = exhausted(theirs.oneshot(get("/"))).await;
        // The channel says "not now" so that the task yields, and that is taken for overload.
        let Poll::Ready(Err(error)) = theirs else {
            panic!("tower's load shedding has become immune: {theirs:?}");
        };
        assert!(error.is::<Overloaded>(), "{error}");

        let mut call = Box::pin(ours.oneshot(get("/")));
        assert!(exhausted(call.as_mut()).await.is_pending(), "it waits");
        assert_eq!(call.await.unwrap().status(), StatusCode::OK);
    });
    task.await.unwrap();
    assert_eq!(admission.snapshot().shed(), 0);
}

#[tokio::test(start_paused = true)]
async fn o11_a_spent_budget_delays_no_waiter_for_good() {
    let admission = admission(1);
    let service = sleeper(&admission, ms(1));
    let calls = (0..30).map(|_| {
        let service = service.clone();
        tokio::spawn(async move {
            let mut call = Box::pin(service.oneshot(get("/")));
            match exhausted(call.as_mut()).await {
                Poll::Ready(response) => response,
                Poll::Pending => call.await,
            }
        })
    });
    for answer in join_all(calls).await {
        let Ok(response) = answer.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
    }
}
