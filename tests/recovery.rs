//! O7: what is left after a burst when callers retry. Four instances and their callers in one process, in
//! virtual time: two thirds of the capacity, ten times it for five seconds, and two thirds again.
#![cfg(feature = "retry")]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up must stop where it is"
)]

mod support;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use bytes::Bytes;
use dagor::{
    Admission, Callee, Clock, Concurrency,
    client::{Avoid, BoxError, RetryBudget, RetryPolicy, is_shed_response},
};
use http::Request;
use http_body_util::Full;
use support::{Answer, Random, get, ms, sleeper};
use tokio::{
    sync::Semaphore,
    task::JoinSet,
    time::{sleep, timeout},
};
use tower::{Layer as _, ServiceBuilder, ServiceExt as _, service_fn, util::BoxCloneSyncService};

type Call = Request<Full<Bytes>>;
type Client = BoxCloneSyncService<Call, Answer, BoxError>;

const INSTANCES: usize = 4;
/// What an instance works on at once, and for how long: 200 calls a second, 800 in all.
const PERMITS: usize = 2;
const WORK: Duration = ms(10);
const CAPACITY: u64 = 800;

/// An answer after this is worth nothing.
const PATIENCE: Duration = ms(500);
const RETRIES: u32 = 3;

/// Seconds before the trigger, of it, and after it.
const BEFORE: usize = 3;
const TRIGGER: usize = 5;
const AFTER: usize = 10;
/// Seconds after the trigger in which some may still be refused.
const RECOVERY: usize = 2;

/// What was offered in one second, and what became of it.
#[derive(Clone, Copy, Debug, Default)]
struct Second {
    /// Calls, retries not counted.
    offered: u64,
    /// Requests that came to the instances.
    arrived: u64,
    /// Of the calls that began in this second.
    served: u64,
}

/// Prints a figure; shown with `--nocapture` and when the test fails.
#[expect(
    clippy::print_stdout,
    reason = "figures are what these tests are read for"
)]
fn figure(text: &str) {
    println!("{text}");
}

/// Makes the calls of the whole time; `arrived` tells how many requests came to the instances so far.
async fn offer<F>(call: impl Fn(Call) -> F, arrived: impl Fn() -> u64) -> Vec<Second>
where
    F: Future<Output = bool> + Send + 'static,
{
    let mut random = Random::new(7);
    let mut calls = JoinSet::new();
    let mut seconds = vec![Second::default(); BEFORE + TRIGGER + AFTER];
    for (number, second) in seconds.iter_mut().enumerate() {
        let in_trigger = (BEFORE..BEFORE + TRIGGER).contains(&number);
        let rate = if in_trigger {
            10 * CAPACITY
        } else {
            CAPACITY * 2 / 3
        };
        let before = arrived();
        for millisecond in 1..=1000 {
            while second.offered < millisecond * rate / 1000 {
                second.offered += 1;
                let mut request = get("/pay");
                request.extensions_mut().insert(random.anyone());
                let served = call(request);
                calls.spawn(async move { (number, served.await) });
            }
            sleep(ms(1)).await;
        }
        second.arrived = arrived() - before;
    }
    while let Some(ended) = calls.join_next().await {
        let (number, served) = ended.unwrap();
        seconds[number].served += u64::from(served);
    }
    seconds
}

/// The instances and a client of each, which withholds.
fn controlled() -> (Vec<Admission>, Vec<Client>) {
    let callee = Callee::builder("payments")
        .clock(Clock::tokio())
        .build()
        .unwrap();
    let instance = |index: usize| {
        let admission = Admission::builder("payments")
            .clock(Clock::tokio())
            .concurrency(Concurrency::fixed(PERMITS))
            .build()
            .unwrap();
        let service = sleeper(&admission, WORK);
        let client = callee.instance(&index.to_string()).layer(service);
        (admission, BoxCloneSyncService::new(client))
    };
    (0..INSTANCES).map(instance).unzip()
}

fn arrived(admissions: &[Admission]) -> u64 {
    let businesses = admissions.iter().flat_map(|one| one.snapshot().businesses);
    businesses.map(|counts| counts.arrived).sum()
}

/// Each in turn, but those where the call was refused.
fn balancer(clients: Vec<Client>) -> Client {
    let next = Arc::new(AtomicUsize::new(0));
    BoxCloneSyncService::new(service_fn(move |call: Call| {
        let first = next.fetch_add(1, Relaxed);
        let avoid: Option<&Avoid> = call.extensions().get();
        let avoided = |index: usize| avoid.is_some_and(|avoid| avoid.contains(&index.to_string()));
        let mut turns = (first..first + INSTANCES).map(|turn| turn % INSTANCES);
        let chosen = turns.find(|index| !avoided(*index));
        clients[chosen.unwrap_or(first % INSTANCES)]
            .clone()
            .oneshot(call)
    }))
}

/// Callers that follow the retry policy.
async fn budgeted() -> Vec<Second> {
    let (admissions, clients) = controlled();
    let policy = RetryPolicy::new(&RetryBudget::default())
        .clock(Clock::tokio())
        .most(RETRIES);
    let service = ServiceBuilder::new()
        .retry(policy)
        .service(balancer(clients));
    let service = Client::new(service);
    let call = |request| {
        let answer = service.clone().oneshot(request);
        async move { is_served(&timeout(PATIENCE, answer).await.unwrap()) }
    };
    offer(call, || arrived(&admissions)).await
}

/// Callers that try again at once, whatever the reason, wherever their turn comes.
async fn blind() -> Vec<Second> {
    let (admissions, clients) = controlled();
    let service = balancer(clients);
    let call = |request: Call| {
        let service = service.clone();
        async move {
            for _ in 0..=RETRIES {
                let answer = service.clone().oneshot(request.clone());
                if is_served(&timeout(PATIENCE, answer).await.unwrap()) {
                    return true;
                }
            }
            false
        }
    };
    offer(call, || arrived(&admissions)).await
}

fn is_served(result: &Result<Answer, BoxError>) -> bool {
    result
        .as_ref()
        .is_ok_and(|answer| !is_shed_response(answer))
}

/// The same callers and instances that queue in order of arrival and know nothing of their callers'
/// patience.
async fn uncontrolled() -> Vec<Second> {
    let instances: Arc<[_]> = (0..INSTANCES)
        .map(|_| Arc::new(Semaphore::new(PERMITS)))
        .collect();
    let sent = Arc::new(AtomicU64::new(0));
    let call = |_| {
        let (instances, sent) = (Arc::clone(&instances), Arc::clone(&sent));
        async move {
            for _ in 0..=RETRIES {
                let turn = usize::try_from(sent.fetch_add(1, Relaxed)).unwrap();
                let instance = Arc::clone(&instances[turn % INSTANCES]);
                // Goes on when the caller has gone.
                let work = tokio::spawn(async move {
                    let _permit = instance.acquire().await.unwrap();
                    sleep(WORK).await;
                });
                if timeout(PATIENCE, work).await.is_ok() {
                    return true;
                }
            }
            false
        }
    };
    offer(call, || sent.load(Relaxed)).await
}

#[expect(clippy::cast_precision_loss, reason = "some ten thousand")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

/// Prints every second and returns the largest load on the instances, as a share of what was offered.
fn load(name: &str, seconds: &[Second]) -> f64 {
    figure(name);
    let mut largest = 0.0;
    for (number, second) in seconds.iter().enumerate() {
        let Second {
            offered,
            arrived,
            served,
        } = *second;
        let load = ratio(arrived, offered);
        figure(&format!(
            "  {number:2} s: {offered} offered, load {load:.3}, {served} served"
        ));
        largest = f64::max(largest, load);
    }
    largest
}

/// Everything is served again, two seconds after the trigger at the latest.
fn assert_recovered(seconds: &[Second]) {
    for second in &seconds[BEFORE + TRIGGER + RECOVERY..] {
        assert_eq!(second.served, second.offered, "{second:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn o7_callers_that_retry_three_times_raise_no_storm() {
    let seconds = budgeted().await;
    let load = load("retries by the policy", &seconds);
    assert!(load <= 1.1, "load {load}");
    assert_recovered(&seconds);
    for second in &seconds[BEFORE + 1..BEFORE + TRIGGER] {
        let goodput = ratio(second.served, CAPACITY);
        assert!(goodput >= 0.9, "during the trigger: {second:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn o7_blind_retries_are_withheld_like_first_tries() {
    let seconds = blind().await;
    let load = load("blind retries", &seconds);
    assert!(load <= 1.1, "load {load}");
    assert_recovered(&seconds);
}

/// What the others are compared with: the burst is over and the service stays down.
#[tokio::test(start_paused = true)]
async fn o7_the_same_callers_keep_a_service_without_control_down() {
    let seconds = uncontrolled().await;
    let load = load("no control", &seconds);
    assert!(load > 3.0, "load {load}");
    for second in &seconds[BEFORE + TRIGGER + RECOVERY..] {
        assert_eq!(second.served, 0, "{second:?}");
    }
    assert_eq!(seconds[0].served, seconds[0].offered);
}
