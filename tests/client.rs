//! The caller's side through its public API, against a mock of the callee.
#![cfg(feature = "http")]
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::{
    error::Error,
    fmt, io,
    sync::{Arc, Mutex},
    time::Duration,
};

use dagor::{
    Business, Clock, Level, Observer, Priority, Task, User,
    client::{Avoid, BoxError, Callee, Client, ClientLayer, Refused, is_shed_response},
    clock::Hand,
    is_withheld,
    observe::FieldFault,
};
use futures_util::FutureExt;
use http::{Request, Response};
use tower::{Service, ServiceExt, layer::Layer};
use tower_test::mock::{self, Handle, Mock};

type Channel = Mock<Request<()>, Response<()>>;
type Answers = Handle<Request<()>, Response<()>>;

const TTL: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_nanos(1);

/// A callee on a clock moved by hand, and a client of its instance `a`.
struct Fixture {
    callee: Callee,
    hand: Hand,
    service: Client<Channel>,
    answers: Answers,
}

impl Fixture {
    fn new() -> Self {
        Self::with(|builder| builder)
    }

    fn with(set: impl FnOnce(dagor::client::Builder) -> dagor::client::Builder) -> Self {
        let (clock, hand) = Clock::manual();
        // Nobody calls in the first moment of a process.
        hand.advance(Duration::from_secs(100));
        let callee = set(Callee::builder("payments").clock(clock))
            .build()
            .unwrap();
        let (service, answers) = client(&callee.instance("a"));
        Self {
            callee,
            hand,
            service,
            answers,
        }
    }

    /// Makes one call and answers it with this level field; returns what was sent.
    async fn exchange(&mut self, request: Request<()>, level: &str) -> Request<()> {
        exchange(&mut self.service, &mut self.answers, request, level).await
    }

    async fn is_withheld(&mut self, request: Request<()>) -> bool {
        withheld(&mut self.service, request).await
    }

    fn level(&self) -> Level {
        self.callee.snapshot().instances[0].level
    }
}

fn client(layer: &ClientLayer) -> (Client<Channel>, Answers) {
    let (channel, answers) = mock::pair();
    (layer.layer(channel), answers)
}

fn answer(level: &str) -> Response<()> {
    let mut response = Response::new(());
    if !level.is_empty() {
        let headers = response.headers_mut();
        headers.insert("dagor-level", level.parse().unwrap());
    }
    response
}

async fn exchange(
    service: &mut Client<Channel>,
    answers: &mut Answers,
    request: Request<()>,
    level: &str,
) -> Request<()> {
    let response = service.ready().await.unwrap().call(request);
    let (sent, reply) = answers.next_request().await.unwrap();
    reply.send_response(answer(level));
    response.await.unwrap();
    sent
}

/// Makes a call that must not wait for an answer; returns whether it was withheld.
async fn withheld(service: &mut Client<Channel>, request: Request<()>) -> bool {
    match service.ready().await.unwrap().call(request).now_or_never() {
        Some(Err(error)) => is_withheld(&*error),
        Some(Ok(_)) => panic!("answered by nobody"),
        None => false,
    }
}

fn priority(business: u8) -> Priority {
    Priority::new(Business::new(business), User::MOST_IMPORTANT)
}

fn request(business: u8) -> Request<()> {
    let mut request = Request::new(());
    request.extensions_mut().insert(priority(business));
    request
}

fn level_of(business: u32) -> String {
    (business * 128 * 256).to_string()
}

fn field<'a>(request: &'a Request<()>, name: &str) -> Option<&'a str> {
    request.headers().get(name).map(|v| v.to_str().unwrap())
}

#[tokio::test]
async fn what_would_be_refused_is_withheld_and_reported_with_the_next_call() {
    let mut f = Fixture::new();
    f.exchange(request(7), &level_of(2)).await;
    for business in [2, 5, 5, 7, 200] {
        assert!(f.is_withheld(request(business)).await, "{business}");
    }
    let sent = f.exchange(request(1), &level_of(2)).await;
    assert_eq!(field(&sent, "dagor-priority"), Some("1, 0"));
    assert_eq!(field(&sent, "dagor-demand"), Some("2;n=1, 5;n=2, 7;n=2"));
    let sent = f.exchange(request(1), &level_of(2)).await;
    assert_eq!(field(&sent, "dagor-demand"), None, "told once");
    assert_eq!(f.callee.snapshot().instances[0].withheld, 5);
}

#[tokio::test]
async fn o13_traffic_resumes_within_one_ttl() {
    let mut f = Fixture::new();
    f.exchange(request(7), "256").await;
    f.hand.advance(TTL - TICK);
    assert!(f.is_withheld(request(7)).await);

    f.hand.advance(TICK);
    let probe = f.service.ready().await.unwrap().call(request(7));
    let (sent, reply) = f.answers.next_request().await.unwrap();
    assert_eq!(field(&sent, "dagor-demand"), Some("7;n=1"));
    assert!(f.is_withheld(request(7)).await, "one probe, not a flood");

    reply.send_response(answer("8388608"));
    probe.await.unwrap();
    f.exchange(request(7), "8388608").await;
}

#[tokio::test]
async fn o13_a_probe_without_answer_is_followed_by_another() {
    let mut f = Fixture::new();
    f.exchange(request(7), "256").await;
    for _ in 0..5 {
        f.hand.advance(TTL);
        let probe = f.service.ready().await.unwrap().call(request(7));
        let (_, reply) = f.answers.next_request().await.unwrap();
        reply.send_error(io::Error::other("connection refused"));
        assert!(!is_withheld(&*probe.await.unwrap_err()));
        assert!(f.is_withheld(request(7)).await);
    }
}

#[tokio::test]
async fn o14_two_instances_are_kept_apart() {
    let f = Fixture::new();
    let (mut service, mut answers) = client(&f.callee.layer());
    let to = |instance: &str| {
        let mut request = request(3);
        *request.uri_mut() = format!("http://{instance}/pay").parse().unwrap();
        request
    };
    exchange(&mut service, &mut answers, to("10.0.0.1:80"), "256").await;
    assert!(withheld(&mut service, to("10.0.0.1:80")).await);
    let sent = exchange(&mut service, &mut answers, to("10.0.0.2:80"), "8388608").await;
    assert_eq!(
        field(&sent, "dagor-demand"),
        None,
        "not withheld from this one"
    );
    assert!(withheld(&mut service, to("10.0.0.1:80")).await);
    // What comes before an @ names no instance, and is a secret.
    assert!(withheld(&mut service, to("user:secret@10.0.0.1:80")).await);
    exchange(&mut service, &mut answers, request(3), "256").await;

    let snapshot = f.callee.snapshot();
    let known: Vec<_> = snapshot
        .instances
        .iter()
        .map(|i| (&*i.instance, i.withheld))
        .collect();
    let expected = [
        ("10.0.0.1:80", 3),
        ("10.0.0.2:80", 0),
        ("a", 0),
        ("payments", 0),
    ];
    assert_eq!(known, expected);
}

#[tokio::test]
async fn o14_clients_of_one_instance_share_what_is_known() {
    let mut f = Fixture::new();
    f.exchange(request(7), "256").await;
    let (mut other, _answers) = client(&f.callee.clone().instance("a"));
    assert!(withheld(&mut other, request(7)).await);
}

#[tokio::test]
async fn o23_unknown_parameters_and_members_are_stepped_over() {
    let mut f = Fixture::new();
    f.exchange(request(7), "65536;w=3;new=?1;r=8, 17;later=\"x\"")
        .await;
    let instance = &f.callee.snapshot().instances[0];
    assert_eq!(instance.level.get(), 65536);
    assert_eq!((instance.waiting, instance.running), (3, 8));
}

#[tokio::test]
async fn o23_a_response_without_level_leaves_it_unchanged() {
    let mut f = Fixture::new();
    f.exchange(request(0), &level_of(2)).await;
    for _ in 0..9 {
        f.hand.advance(TTL);
        f.exchange(request(0), "").await;
    }
    assert_eq!(f.level().get(), 65536);
    assert!(f.is_withheld(request(2)).await);
}

#[tokio::test]
async fn o23_a_callee_that_tells_no_level_any_more_is_open_again() {
    let mut f = Fixture::new();
    f.exchange(request(0), &level_of(2)).await;
    for _ in 0..10 {
        f.hand.advance(TTL);
        f.exchange(request(0), "").await;
    }
    assert!(f.level().is_open());
    f.exchange(request(7), "").await;
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn push(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }
}

impl Observer for Log {
    fn withheld(&self, callee: &str, instance: &str, priority: Priority) {
        self.push(format!(
            "withheld {callee} {instance} {}",
            priority.business()
        ));
    }

    fn level_heard(&self, callee: &str, instance: &str, level: Level) {
        self.push(format!("level {callee} {instance} {}", level.get()));
    }

    fn field_ignored(&self, service: &str, fault: FieldFault) {
        self.push(format!("ignored {service} {}", fault.as_str()));
    }
}

#[tokio::test]
async fn o23_a_field_that_cannot_be_used_is_ignored_and_told() {
    let log = Log::default();
    let mut f = Fixture::with(|builder| builder.observer(log.clone()));
    for level in ["65536", "65536", "12", "over the hills", "8388608"] {
        f.exchange(request(0), level).await;
        assert_eq!(
            f.is_withheld(request(2)).await,
            level != "8388608",
            "{level}"
        );
    }
    let told = [
        "level payments a 65536",
        "withheld payments a 2",
        "withheld payments a 2",
        "ignored payments malformed",
        "withheld payments a 2",
        "ignored payments malformed",
        "withheld payments a 2",
        "level payments a 8388608",
    ];
    assert_eq!(*log.0.lock().unwrap(), told);
}

/// What some layer above makes of an error.
#[derive(Debug)]
struct Wrapped(BoxError);

impl fmt::Display for Wrapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("call failed")
    }
}

impl Error for Wrapped {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.0)
    }
}

#[tokio::test]
async fn o17_breaker_tells_refusals_from_failures() {
    let mut f = Fixture::new();
    let call = f.service.ready().await.unwrap().call(request(7));
    let (_, reply) = f.answers.next_request().await.unwrap();
    let mut refusal = answer("256;shed");
    *refusal.status_mut() = http::StatusCode::SERVICE_UNAVAILABLE;
    reply.send_response(refusal);
    let response = call.await.unwrap();
    assert!(is_shed_response(&response));
    let refused = response.extensions().get::<Refused>().unwrap();
    assert_eq!((refused.callee(), &**refused.instance()), ("payments", "a"));

    let error = f
        .service
        .ready()
        .await
        .unwrap()
        .call(request(7))
        .await
        .unwrap_err();
    assert!(is_withheld(&*error));
    assert!(is_withheld(&Wrapped(error)), "found through wrappers");

    let call = f.service.ready().await.unwrap().call(request(0));
    let (_, reply) = f.answers.next_request().await.unwrap();
    let mut failure = answer("256");
    *failure.status_mut() = http::StatusCode::SERVICE_UNAVAILABLE;
    reply.send_response(failure);
    assert!(
        !is_shed_response(&call.await.unwrap()),
        "it failed, and was not refused"
    );
}

#[tokio::test]
async fn the_level_is_read_from_errors_too() {
    let mut f = Fixture::new();
    let call = f.service.ready().await.unwrap().call(request(0));
    let (_, reply) = f.answers.next_request().await.unwrap();
    let mut failure = answer("65536;w=40;r=2");
    *failure.status_mut() = http::StatusCode::INTERNAL_SERVER_ERROR;
    reply.send_response(failure);
    call.await.unwrap();
    assert_eq!(f.level().get(), 65536);
}

#[tokio::test]
async fn what_a_failed_call_carried_is_given_back() {
    let mut f = Fixture::new();
    f.exchange(request(7), &level_of(2)).await;
    assert!(f.is_withheld(request(5)).await);

    let call = f.service.ready().await.unwrap().call(request(0));
    let (sent, reply) = f.answers.next_request().await.unwrap();
    assert_eq!(field(&sent, "dagor-demand"), Some("5;n=1"));
    reply.send_error(io::Error::other("connection reset"));
    call.await.unwrap_err();

    assert!(f.is_withheld(request(5)).await);
    let sent = f.exchange(request(0), "").await;
    assert_eq!(field(&sent, "dagor-demand"), Some("5;n=2"));
}

#[tokio::test]
async fn fields_that_a_request_brings_along_are_replaced() {
    let mut f = Fixture::new();
    let mut forwarded = request(3);
    let headers = forwarded.headers_mut();
    headers.insert("dagor-priority", "0, 0;p".parse().unwrap());
    headers.insert("dagor-demand", "0;n=65535".parse().unwrap());
    let sent = f.exchange(forwarded, "").await;
    assert_eq!(field(&sent, "dagor-priority"), Some("3, 0"));
    assert_eq!(field(&sent, "dagor-demand"), None);
}

#[tokio::test]
async fn a_dropped_call_ends_at_once() {
    let f = Fixture::new();
    let (dropped, mut was_dropped) = tokio::sync::oneshot::channel::<()>();
    let mut dropped = Some(dropped);
    let channel = tower::service_fn(move |_: Request<()>| {
        let dropped = dropped.take();
        async move {
            let _dropped = dropped;
            std::future::pending::<Result<Response<()>, io::Error>>().await
        }
    });
    let mut service = f.callee.instance("a").layer(channel);
    let mut call = Box::pin(service.ready().await.unwrap().call(request(0)));
    assert!((&mut call).now_or_never().is_none());
    assert_eq!(f.callee.snapshot().instances[0].outstanding, 1);

    drop(call);
    assert_eq!(f.callee.snapshot().instances[0].outstanding, 0);
    assert!(matches!((&mut was_dropped).now_or_never(), Some(Err(_))));
}

#[tokio::test]
async fn a_call_is_outstanding_until_its_head_is_there() {
    let mut f = Fixture::new();
    let call = f.service.ready().await.unwrap().call(request(0));
    let (_, reply) = f.answers.next_request().await.unwrap();
    reply.send_response(answer(""));
    let mut call = Box::pin(call);
    (&mut call).await.unwrap();
    assert_eq!(
        f.callee.snapshot().instances[0].outstanding,
        0,
        "although not dropped"
    );
}

#[tokio::test]
async fn a_served_task_is_in_progress_there() {
    let mut f = Fixture::new();
    let task = Task::new(Priority::new(Business::new(1), User::LEAST_IMPORTANT));
    let of_task = || {
        let mut request = request(0);
        request.extensions_mut().insert(task.clone());
        request
    };
    let sent = f.exchange(of_task(), "32769;shed").await;
    assert_eq!(field(&sent, "dagor-priority"), Some("1, 127;s=255"));
    assert!(f.is_withheld(of_task()).await, "refused so far");

    f.hand.advance(TTL);
    f.exchange(of_task(), "32769").await;
    let sent = f.exchange(of_task(), "32768").await;
    assert_eq!(field(&sent, "dagor-priority"), Some("1, 127;s=255;p"));
    assert!(f.is_withheld(of_task()).await, "its business is refused");
}

#[tokio::test]
async fn the_priority_is_the_requests_then_the_current_tasks_then_the_default() {
    let mut f = Fixture::with(|builder| builder.default_priority(priority(6)));
    let current = Task::new(priority(2));
    let mut own = Request::new(());
    own.extensions_mut().insert(Task::new(priority(1)));

    let sent = current.clone().scope(f.exchange(own, "")).await;
    assert_eq!(field(&sent, "dagor-priority"), Some("1, 0"));
    let sent = current.scope(f.exchange(request(3), "")).await;
    assert_eq!(field(&sent, "dagor-priority"), Some("2, 0"));
    let sent = f.exchange(request(3), "").await;
    assert_eq!(field(&sent, "dagor-priority"), Some("3, 0"));
    let sent = f.exchange(Request::new(()), "").await;
    assert_eq!(field(&sent, "dagor-priority"), Some("6, 0"));
}

#[tokio::test]
async fn what_is_left_of_the_deadline_travels_and_the_past_is_zero() {
    let mut f = Fixture::new();
    let deadline = Duration::from_secs(100) + Duration::from_millis(350);
    let task = Task::new(priority(1)).with_deadline(Some(deadline));
    for (wait_ms, left) in [
        (0, "1, 0;t=350"),
        (100, "1, 0;p;t=250"),
        (400, "1, 0;p;t=0"),
    ] {
        f.hand.advance(Duration::from_millis(wait_ms));
        let mut request = Request::new(());
        request.extensions_mut().insert(task.clone());
        let sent = f.exchange(request, "").await;
        assert_eq!(field(&sent, "dagor-priority"), Some(left));
    }
}

#[tokio::test]
async fn an_instance_to_be_avoided_is_not_asked() {
    let mut f = Fixture::new();
    let mut avoiding = request(0);
    let mut avoid = Avoid::default();
    avoid.add(&"a".into());
    avoiding.extensions_mut().insert(avoid);
    assert!(f.is_withheld(avoiding).await);
    assert_eq!(
        f.callee.snapshot().instances[0].withheld,
        0,
        "counted where it was refused"
    );
}

#[tokio::test]
async fn readiness_is_the_inner_services() {
    let mut f = Fixture::new();
    f.answers.allow(0);
    assert!(f.service.ready().now_or_never().is_none());
    f.answers.allow(1);
    f.service.ready().await.unwrap();

    f.exchange(request(7), "256").await;
    f.answers.allow(1);
    f.service.ready().await.unwrap();
    assert!(withheld(&mut f.service, request(7)).await);
    // The one that was allowed is not used up.
    f.exchange(request(0), "256").await;

    f.answers.send_error(io::Error::other("closed"));
    assert!(f.service.ready().await.is_err());
}

#[test]
fn settings_out_of_range_are_named() {
    let builder = || Callee::builder("payments");
    let cases = [
        (
            builder().ttl(Duration::from_millis(9)),
            "callee ttl in ms 9 is outside 10 to 3600000",
        ),
        (
            builder().instances(0),
            "callee instances 0 is outside 1 to 65536",
        ),
        (
            builder().businesses(257),
            "callee businesses 257 is outside 1 to 256",
        ),
        (
            builder().longest_hold(Duration::MAX),
            "callee longest hold in ms 18446744073709551615 is outside 0 to 86400000",
        ),
    ];
    for (builder, message) in cases {
        assert_eq!(builder.build().unwrap_err().to_string(), message);
    }
    assert!(builder().instances(65_536).businesses(256).build().is_ok());
}

#[test]
fn types_cross_threads_and_clone() {
    fn check<T: Clone + Send + Sync + 'static>() {}
    check::<Callee>();
    check::<ClientLayer>();
    check::<Client<Channel>>();
    check::<Avoid>();
    check::<Refused>();

    fn future<F: Send>(_: F) {}
    let callee = Callee::new("payments");
    let mut service = callee
        .layer()
        .layer(tower::service_fn(|_: Request<()>| async {
            Ok::<_, io::Error>(Response::new(()))
        }));
    future(service.call(Request::new(())));
}
