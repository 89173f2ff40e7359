//! Retries of refused calls: elsewhere, and never more than the budget has.
#![cfg(feature = "retry")]
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
    time::Duration,
};

use dagor::{
    Clock, Priority, Task,
    client::{Attempt, Avoid, BoxError, Callee, RetryBudget, RetryPolicy, is_shed_response},
    is_withheld,
};
use http::{Method, Request, Response, StatusCode};
use tower::{Layer, Service, ServiceBuilder, ServiceExt, util::BoxCloneService};

type Endpoint = BoxCloneService<Request<()>, Response<()>, BoxError>;

const ADDRESSES: [&str; 3] = ["a", "b", "c"];

/// Three instances, and a balancer that tries them in order but for those to be avoided.
struct World {
    callee: Callee,
    sent: [Arc<AtomicU32>; 3],
}

impl World {
    fn new() -> Self {
        Self {
            callee: Callee::new("payments"),
            sent: Default::default(),
        }
    }

    /// Returns a balancer over instances that answer with these level fields.
    fn balancer(&self, levels: [&'static str; 3]) -> Endpoint {
        let endpoints = [0, 1, 2].map(|index| self.endpoint(index, levels[index]));
        BoxCloneService::new(tower::service_fn(move |request: Request<()>| {
            let avoid: Option<&Avoid> = request.extensions().get();
            let avoided = |i: &usize| avoid.is_some_and(|avoid| avoid.contains(ADDRESSES[*i]));
            let chosen = (0..3).find(|i| !avoided(i)).unwrap_or(0);
            endpoints[chosen].clone().oneshot(request)
        }))
    }

    fn endpoint(&self, index: usize, level: &'static str) -> Endpoint {
        let sent = Arc::clone(&self.sent[index]);
        let channel = tower::service_fn(move |_: Request<()>| {
            sent.fetch_add(1, Relaxed);
            async move {
                if level.is_empty() {
                    return Err(io::Error::other("connection reset"));
                }
                let response = Response::builder().header("dagor-level", level);
                Ok(response.body(()).unwrap())
            }
        });
        BoxCloneService::new(self.callee.instance(ADDRESSES[index]).layer(channel))
    }

    fn sent(&self) -> [u32; 3] {
        [0, 1, 2].map(|index| self.sent[index].load(Relaxed))
    }
}

fn request() -> Request<()> {
    let mut request = Request::new(());
    request.extensions_mut().insert(Priority::MOST_IMPORTANT);
    request
}

async fn call<S>(service: &S) -> Result<Response<()>, BoxError>
where
    S: Service<Request<()>, Response = Response<()>, Error = BoxError> + Clone,
{
    service.clone().oneshot(request()).await
}

#[tokio::test]
async fn o7_calls_and_retries_never_exceed_the_budget() {
    let world = World::new();
    // All three shed everything, but never so that the caller would withhold it.
    let balancer = world.balancer(["8388608;shed"; 3]);
    let policy = RetryPolicy::new(&RetryBudget::default());
    let service = ServiceBuilder::new().retry(policy).service(balancer);
    for calls in 1..=10_000_u32 {
        assert!(is_shed_response(&call(&service).await.unwrap()));
        let sent: u32 = world.sent().iter().sum();
        assert!(sent * 10 <= calls * 11, "{sent} sent for {calls} calls");
    }
    let sent: u32 = world.sent().iter().sum();
    assert_eq!(sent, 11_000, "and the budget is used");
}

#[tokio::test]
async fn o7_a_quiet_hour_buys_no_storm() {
    let world = World::new();
    let budget = RetryBudget::default();
    let calm = world.balancer(["8388608"; 3]);
    let storm = world.balancer(["8388608;shed"; 3]);
    let service = |balancer| {
        let policy = RetryPolicy::new(&budget);
        ServiceBuilder::new().retry(policy).service(balancer)
    };
    let (calm, storm) = (service(calm), service(storm));
    for _ in 0..100_000 {
        call(&calm).await.unwrap();
    }
    let before: u32 = world.sent().iter().sum();
    for _ in 0..100 {
        call(&storm).await.unwrap();
    }
    let sent = world.sent().iter().sum::<u32>() - before;
    assert!(sent <= 100 + 10 + 10, "{sent} sent for 100 calls");
}

/// Returns a budget with ten retries saved.
async fn saved(world: &World) -> RetryBudget {
    let budget = RetryBudget::default();
    let calm = world.balancer(["8388608"; 3]);
    let policy = RetryPolicy::new(&budget);
    let service = ServiceBuilder::new().retry(policy).service(calm);
    for _ in 0..100 {
        call(&service).await.unwrap();
    }
    for sent in &world.sent {
        sent.store(0, Relaxed);
    }
    budget
}

#[tokio::test]
async fn a_refused_call_is_retried_elsewhere_only() {
    let world = World::new();
    let budget = saved(&world).await;
    let balancer = world.balancer(["8388608;shed", "8388608;shed", "8388608"]);
    let service = ServiceBuilder::new()
        .retry(RetryPolicy::new(&budget))
        .service(balancer);
    assert!(!is_shed_response(&call(&service).await.unwrap()));
    assert_eq!(world.sent(), [1, 1, 1]);
}

#[tokio::test]
async fn one_instance_is_not_asked_twice() {
    let world = World::new();
    let budget = saved(&world).await;
    let alone = world.endpoint(0, "8388608;shed");
    let service = ServiceBuilder::new()
        .retry(RetryPolicy::new(&budget))
        .service(alone);
    for _ in 0..10 {
        assert!(is_withheld(&*call(&service).await.unwrap_err()));
    }
    assert_eq!(world.sent(), [10, 0, 0]);

    // What was paid for retries that were not sent is still there.
    let balancer = world.balancer(["8388608;shed", "8388608", "8388608"]);
    let service = ServiceBuilder::new()
        .retry(RetryPolicy::new(&budget))
        .service(balancer);
    for _ in 0..10 {
        assert!(!is_shed_response(&call(&service).await.unwrap()));
    }
}

#[tokio::test]
async fn failures_are_not_retried_unless_wanted() {
    let world = World::new();
    let budget = saved(&world).await;
    let balancer = world.balancer(["", "8388608", "8388608"]);
    let policy = RetryPolicy::new(&budget);
    let plain = ServiceBuilder::new()
        .retry(policy.clone())
        .service(balancer.clone());
    assert!(!is_withheld(&*call(&plain).await.unwrap_err()));
    assert_eq!(world.sent(), [1, 0, 0]);

    let idempotent = policy
        .also(|method, attempt| method == Method::GET && matches!(attempt, Attempt::Failed(_)));
    let service = ServiceBuilder::new()
        .retry(idempotent.most(1))
        .service(balancer);
    call(&service).await.unwrap_err();
    assert_eq!(world.sent(), [3, 0, 0], "once more, and there");
}

#[tokio::test]
async fn answers_can_be_retried_by_their_status() {
    let world = World::new();
    let budget = saved(&world).await;
    let policy = RetryPolicy::new(&budget).also(|_, attempt| {
        matches!(
            attempt,
            Attempt::Answered {
                status: StatusCode::OK,
                ..
            }
        )
    });
    let balancer = world.balancer(["8388608"; 3]);
    let service = ServiceBuilder::new().retry(policy).service(balancer);
    call(&service).await.unwrap();
    assert_eq!(world.sent(), [3, 0, 0]);
}

#[tokio::test]
async fn nothing_is_retried_past_the_deadline() {
    let world = World::new();
    let budget = saved(&world).await;
    let (clock, hand) = Clock::manual();
    let policy = RetryPolicy::new(&budget).clock(clock);
    let balancer = world.balancer(["8388608;shed", "8388608", "8388608"]);
    let service = ServiceBuilder::new().retry(policy).service(balancer);
    let deadline = Some(Duration::from_secs(1));
    let task = Task::new(Priority::MOST_IMPORTANT).with_deadline(deadline);
    for (at, is_shed) in [(0, false), (1, true)] {
        hand.advance(Duration::from_secs(at));
        let mut request = request();
        request.extensions_mut().insert(task.clone());
        let response = service.clone().oneshot(request).await.unwrap();
        assert_eq!(is_shed_response(&response), is_shed);
    }
}

#[test]
fn a_budget_above_ten_percent_is_none() {
    let error = RetryBudget::new(11, 10).unwrap_err();
    assert_eq!(error.to_string(), "retry percent 11 is outside 1 to 10");
    let error = RetryBudget::new(10, 0).unwrap_err();
    assert_eq!(error.to_string(), "retry burst 0 is outside 1 to 10000");
    assert!(RetryBudget::new(1, 10_000).is_ok());
}

#[test]
fn types_cross_threads_and_clone() {
    fn check<T: Clone + Send + Sync + 'static>() {}
    check::<RetryBudget>();
    check::<RetryPolicy>();
}
