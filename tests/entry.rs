//! The entry layer from outside: what becomes of a request, its fields and its task.
#![cfg(feature = "http")]
#![expect(
    clippy::unwrap_used,
    reason = "what the tests are made of fails as they do"
)]

use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::{Arc, Mutex},
    task::Poll,
    time::Duration,
};

use axum::{Router, body::Body, extract::ConnectInfo, routing::get};
use dagor::{
    Business, Clock, Entry, EntryLayer, Observer, Priority, Progress, Task, User,
    entry::{EntryBuilder, Problem, Table, Trust, UserHash},
    observe::FieldFault,
    wire::{Name, Names},
};
use http::{Request, Response, StatusCode, request::Parts};
use tower::{Layer, Service, ServiceBuilder, ServiceExt, service_fn};

// === what the tests are made of ===

/// Remembers which fields were ignored.
#[derive(Default)]
struct Ignored(Mutex<Vec<(String, FieldFault)>>);

impl Observer for Ignored {
    fn field_ignored(&self, service: &str, fault: FieldFault) {
        self.0.lock().unwrap().push((service.to_owned(), fault));
    }
}

impl Ignored {
    fn take(&self) -> Vec<FieldFault> {
        let ignored = std::mem::take(&mut *self.0.lock().unwrap());
        ignored.into_iter().map(|(_, fault)| fault).collect()
    }
}

fn observed() -> (EntryBuilder, Arc<Ignored>) {
    let ignored = Arc::<Ignored>::default();
    let builder = Entry::builder().observer(Arc::clone(&ignored));
    (builder, ignored)
}

/// Trusts whatever came through the service mesh, which a real one tells by its listener.
fn mesh(parts: &Parts) -> Trust {
    match parts.extensions.get::<Mesh>() {
        Some(Mesh) => Trust::Trusted,
        None => Trust::Untrusted,
    }
}

#[derive(Clone)]
struct Mesh;

/// What the service behind the entry saw of a request.
struct Seen {
    task: Option<Task>,
    parts: Parts,
}

/// Sends one request through a new service of the layer.
async fn send(layer: &EntryLayer, request: Request<()>) -> Seen {
    let service = service_fn(async |request: Request<()>| {
        let (parts, ()) = request.into_parts();
        let task = Task::current();
        let inserted = parts.extensions.get::<Task>().map(Task::priority);
        assert_eq!(inserted, task.as_ref().map(Task::priority));
        Ok::<_, Infallible>(Response::new(Seen { task, parts }))
    });
    let response = layer.layer(service).oneshot(request).await;
    response.unwrap().into_body()
}

async fn priority(layer: &EntryLayer, request: Request<()>) -> Priority {
    send(layer, request).await.task.unwrap().priority()
}

fn request(path: &str) -> Request<()> {
    Request::get(path).body(()).unwrap()
}

fn with(path: &str, headers: &[(&str, &str)]) -> Request<()> {
    let mut request = request(path);
    for (name, value) in headers {
        let name = Name::new(name).unwrap();
        request
            .headers_mut()
            .append(name.header(), value.parse().unwrap());
    }
    request
}

fn trusted(mut request: Request<()>) -> Request<()> {
    request.extensions_mut().insert(Mesh);
    request
}

fn account(parts: &Parts) -> Option<http::HeaderValue> {
    parts.headers.get("x-account").cloned()
}

fn at(business: u8, level: u8, sub_level: u8) -> Priority {
    Priority::new(
        Business::new(business),
        User::new(level, sub_level).unwrap(),
    )
}

// === O2: nobody outside sets a priority ===

#[tokio::test]
async fn o2_outsider_priority_is_ignored_and_counted() {
    let (builder, ignored) = observed();
    let layer = builder
        .service("gateway")
        .business("/buy", 2)
        .trust(mesh)
        .build()
        .unwrap();
    let fields = [
        ("dagor-priority", "0, 0"),
        ("dagor-demand", "5;n=60000"),
        ("dagor-level", "256"),
        ("x-other", "stays"),
    ];

    let seen = send(&layer, with("/buy", &fields)).await;
    let expected = Priority::new(Business::new(2), User::LEAST_IMPORTANT);
    assert_eq!(seen.task.unwrap().priority(), expected);
    assert_eq!(seen.parts.headers.len(), 1, "{:?}", seen.parts.headers);
    assert!(seen.parts.headers.contains_key("x-other"));
    let gateway = ("gateway".to_owned(), FieldFault::Untrusted);
    assert_eq!(*ignored.0.lock().unwrap(), vec![gateway; 3]);
    ignored.take();

    // Several lines of a name are one field, and all of them go.
    let twice = [("dagor-priority", "0, 0"), ("dagor-priority", "0, 1")];
    let seen = send(&layer, with("/buy", &twice)).await;
    assert!(seen.parts.headers.is_empty());
    assert_eq!(ignored.take(), [FieldFault::Untrusted]);

    // Without a hook nobody is trusted.
    let (builder, ignored) = observed();
    let layer = builder.build().unwrap();
    let seen = send(&layer, trusted(with("/buy", &fields[..1]))).await;
    assert_eq!(seen.task.unwrap().priority(), Priority::LEAST_IMPORTANT);
    assert_eq!(ignored.take(), [FieldFault::Untrusted]);
}

#[tokio::test]
async fn a_trusted_peer_says_what_its_requests_are() {
    let (builder, ignored) = observed();
    let layer = builder.business("/buy", 2).trust(mesh).build().unwrap();
    let fields = [
        ("dagor-priority", "7, 17;s=200;p;t=350"),
        ("dagor-demand", "5;n=6"),
    ];

    let seen = send(&layer, trusted(with("/buy", &fields))).await;
    let task = seen.task.unwrap();
    assert_eq!(task.priority(), at(7, 17, 200));
    assert!(task.deadline().is_some());
    assert_eq!(
        task.progress("orders"),
        Progress::New,
        "that is said of one callee"
    );
    assert_eq!(
        seen.parts.headers.len(),
        2,
        "the service behind reads the rest"
    );

    let without = priority(&layer, trusted(request("/buy"))).await;
    assert_eq!(without.business(), Business::new(2));
    assert_eq!(ignored.take(), []);
}

#[tokio::test]
async fn fields_of_other_names_are_removed_too() {
    let (builder, ignored) = observed();
    let names = Names {
        priority: Name::new("x-priority").unwrap(),
        ..Names::default()
    };
    let layer = builder.names(names).build().unwrap();
    let fields = [("x-priority", "0, 0"), ("dagor-priority", "0, 0")];
    let seen = send(&layer, with("/", &fields)).await;
    assert!(!seen.parts.headers.contains_key("x-priority"));
    assert_eq!(ignored.take(), [FieldFault::Untrusted]);
}

// === O15: what is unknown is least important, and never refused ===

/// A real router behind the layer; answers with the key of the task's priority.
fn router(layer: EntryLayer) -> Router {
    let key = async || Task::current().unwrap().priority().key().to_string();
    Router::new()
        .route("/known", get(key))
        .fallback(key)
        .layer(layer)
}

async fn answer(router: &Router, request: Request<()>) -> (StatusCode, u32) {
    let request = request.map(|()| Body::empty());
    let response = router.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = axum::body::to_bytes(body, 1024).await.unwrap();
    (
        parts.status,
        std::str::from_utf8(&body).unwrap().parse().unwrap(),
    )
}

const LEAST: (StatusCode, u32) = (StatusCode::OK, Priority::LEAST_IMPORTANT.key());

#[tokio::test]
async fn o15_unknown_route_is_least_important() {
    let layer = Entry::builder()
        .business("/known", 0)
        .user(account)
        .build()
        .unwrap();
    let router = router(layer);
    let known = with("/known", &[("x-account", "alice")]);
    let unknown = with("/unknown", &[("x-account", "alice")]);
    let ((_, known), (status, unknown)) =
        (answer(&router, known).await, answer(&router, unknown).await);
    assert_eq!(status, StatusCode::OK);
    assert_eq!(
        unknown,
        known + 255 * 32_768,
        "the same user in the last business"
    );
}

#[tokio::test]
async fn o15_missing_user_is_least_important() {
    let layer = Entry::builder()
        .business("/known", 255)
        .user(account)
        .build()
        .unwrap();
    let router = router(layer);
    assert_eq!(answer(&router, request("/known")).await, LEAST);
    let nobody = with("/known", &[("x-account", "")]);
    assert_eq!(answer(&router, nobody).await, LEAST);
}

#[tokio::test]
async fn o15_fields_that_cannot_be_used_are_counted_and_never_refused() {
    let (builder, ignored) = observed();
    let router = router(builder.trust(mesh).build().unwrap());
    let long = format!("0, 0;x=\"{}\"", "a".repeat(8192));
    let of = |values: &[&str]| {
        let fields: Vec<_> = values
            .iter()
            .map(|value| ("dagor-priority", *value))
            .collect();
        with("/anything", &fields)
    };
    for (values, fault) in [
        (&["first!"][..], FieldFault::Malformed),
        (&["0, 128"], FieldFault::Malformed),
        (&["-1, 0"], FieldFault::Malformed),
        (&[""], FieldFault::Malformed),
        (&["0, 0", "0, 0"], FieldFault::Repeated),
        (&[long.as_str()], FieldFault::TooLong),
    ] {
        assert_eq!(
            answer(&router, trusted(of(values))).await,
            LEAST,
            "{fault:?}"
        );
        assert_eq!(ignored.take(), [fault]);
        assert_eq!(answer(&router, of(values)).await, LEAST, "{fault:?}");
        assert_eq!(ignored.take(), [FieldFault::Untrusted]);
    }
}

#[tokio::test]
async fn o15_a_field_that_cannot_be_used_goes_no_further() {
    let layer = Entry::builder()
        .trust(mesh)
        .business("/buy", 2)
        .build()
        .unwrap();
    let seen = send(&layer, trusted(with("/buy", &[("dagor-priority", "x")]))).await;
    assert!(seen.parts.headers.is_empty());
    assert_eq!(seen.task.unwrap().priority().business(), Business::new(2));
}

// === O16: one order of users everywhere, another one every hour ===

#[tokio::test]
async fn o16_three_replicas_agree_across_the_hour() {
    let replicas: Vec<_> = (0..3)
        .map(|_| {
            let (clock, hand) = Clock::manual();
            (
                Entry::builder().user(account).clock(clock).build().unwrap(),
                hand,
            )
        })
        .collect();
    let mut hours = Vec::new();
    for hour in 472_222..472_226_u64 {
        for second in [0, 1, 1800, 3599] {
            let mut orders = Vec::new();
            for (layer, hand) in &replicas {
                hand.set_calendar(Duration::from_secs(hour * 3600 + second));
                let mut order = Vec::new();
                for user in ["alice", "bob", "carol", "dave", "42"] {
                    order.push(priority(layer, with("/", &[("x-account", user)])).await);
                }
                orders.push(order);
            }
            assert!(orders.iter().all(|order| *order == orders[0]));
            if second == 0 {
                hours.push(orders.remove(0));
            } else {
                assert_eq!(
                    hours.last(),
                    Some(&orders[0]),
                    "the same all through the hour"
                );
            }
        }
    }
    for hour in hours.windows(2) {
        assert!(
            hour[0]
                .iter()
                .zip(&hour[1])
                .all(|(before, after)| before != after)
        );
    }
}

#[tokio::test]
async fn o16_a_task_under_way_keeps_its_priority() {
    let (clock, hand) = Clock::manual();
    let layer = Entry::builder().user(account).clock(clock).build().unwrap();
    let (go_on, wait) = tokio::sync::oneshot::channel::<()>();
    let wait = Arc::new(Mutex::new(Some(wait)));
    let mut service = ServiceBuilder::new()
        .layer(layer)
        .service_fn(move |_: Request<()>| {
            let wait = wait.lock().unwrap().take();
            async move {
                let before = Task::current().unwrap().priority();
                if let Some(wait) = wait {
                    wait.await.unwrap();
                }
                let after = Task::current().unwrap().priority();
                Ok::<_, Infallible>(Response::new((before, after)))
            }
        });
    let mut call = || service.call(with("/", &[("x-account", "alice")]));

    let under_way = tokio::spawn(call());
    tokio::task::yield_now().await;
    hand.advance(Duration::from_secs(3600));
    let (next, _) = call().await.unwrap().into_body();
    go_on.send(()).unwrap();
    let (before, after) = under_way.await.unwrap().unwrap().into_body();
    assert_eq!(before, after);
    assert_ne!(next, before);
}

/// Pearson's statistic of counts that should be equal: about as large as there are counts.
fn chi_square(counts: &[u32]) -> f64 {
    let expected =
        f64::from(counts.iter().sum::<u32>()) / f64::from(u32::try_from(counts.len()).unwrap());
    let square = |count: &u32| (f64::from(*count) - expected).powi(2) / expected;
    counts.iter().map(square).sum()
}

#[test]
fn o16_users_are_spread_evenly_and_anew_every_hour() {
    let hash = UserHash::default();
    let (mut levels, mut sub_levels) = ([0_u32; 128], [0_u32; 256]);
    let mut stays_in_its_half = 0_u32;
    for id in 0..100_000_u32 {
        let id = format!("user-{id}");
        let user = hash.user(Duration::from_secs(3600), id.as_bytes());
        let later = hash.user(Duration::from_secs(7200), id.as_bytes());
        levels[usize::from(user.level())] += 1;
        sub_levels[usize::from(user.sub_level())] += 1;
        stays_in_its_half += u32::from((user.level() < 64) == (later.level() < 64));
    }
    // Within five standard deviations, which are the root of twice the degrees of freedom.
    let (levels, sub_levels) = (chi_square(&levels), chi_square(&sub_levels));
    assert!((47.0..207.0).contains(&levels), "{levels}");
    assert!((142.0..368.0).contains(&sub_levels), "{sub_levels}");
    assert!(
        (49_200..50_800).contains(&stays_in_its_half),
        "{stays_in_its_half}"
    );
}

#[tokio::test]
async fn o16_another_key_or_epoch_is_another_order() {
    let request = || with("/", &[("x-account", "alice")]);
    let builder = || Entry::builder().user(account).clock(Clock::manual().0);
    let default = priority(&builder().build().unwrap(), request()).await;
    let key = priority(&builder().key([7; 32]).build().unwrap(), request()).await;
    assert_ne!(default, key);

    let (clock, hand) = Clock::manual();
    let minute = builder()
        .clock(clock)
        .epoch(Duration::from_secs(60))
        .build()
        .unwrap();
    let before = priority(&minute, request()).await;
    hand.advance(Duration::from_secs(60));
    assert_ne!(priority(&minute, request()).await, before);
}

// === users ===

#[tokio::test]
async fn the_host_stands_for_a_user_nobody_knows() {
    let layer = Entry::builder().user(account).build().unwrap();
    let from = |peer: &str, mut request: Request<()>| {
        request
            .extensions_mut()
            .insert(peer.parse::<SocketAddr>().unwrap());
        request
    };
    let first = priority(&layer, from("192.0.2.1:1000", request("/"))).await;
    assert_ne!(first.user(), User::LEAST_IMPORTANT);
    let port = priority(&layer, from("192.0.2.1:2000", request("/"))).await;
    assert_eq!(first, port, "whatever the connection");
    let other = priority(&layer, from("192.0.2.2:1000", request("/"))).await;
    assert_ne!(first, other);

    let alice = || with("/", &[("x-account", "alice")]);
    let (here, there) = (from("192.0.2.1:1", alice()), from("192.0.2.2:1", alice()));
    assert_eq!(priority(&layer, here).await, priority(&layer, there).await);

    let mut axum = request("/");
    let peer = ConnectInfo("192.0.2.1:3000".parse::<SocketAddr>().unwrap());
    axum.extensions_mut().insert(peer);
    let axum = priority(&layer, axum).await;
    let expected = if cfg!(feature = "axum") {
        first
    } else {
        Priority::LEAST_IMPORTANT
    };
    assert_eq!(axum, expected);
}

#[tokio::test]
async fn an_identity_is_anything_of_bytes() {
    let (clock, _hand) = Clock::manual();
    let builder = || Entry::builder().clock(clock.clone());
    let number = builder()
        .user(|_| Some(42_u64.to_be_bytes()))
        .build()
        .unwrap();
    let string = builder()
        .user(|parts| Some(parts.uri.path().to_owned()))
        .build()
        .unwrap();
    assert_ne!(
        priority(&number, request("/")).await,
        priority(&string, request("/")).await
    );
}

// === the task ===

#[tokio::test]
async fn the_task_is_current_while_the_request_is_handled_and_not_after() {
    let layer = Entry::builder().business("/", 3).build().unwrap();
    let is_current = || Task::current().is_some_and(|task| task.priority().business().get() == 3);
    let service = layer.layer(service_fn(move |_: Request<()>| {
        // In `call` itself, at the first poll, and at a later one.
        assert!(is_current());
        async move {
            assert!(is_current());
            tokio::task::yield_now().await;
            assert!(is_current());
            Ok::<_, Infallible>(Response::new(()))
        }
    }));
    let mut call = poll_once(service.oneshot(request("/")));
    while !call().await {
        assert!(Task::current().is_none(), "between two polls");
    }
    assert!(Task::current().is_none());
}

/// Returns what polls a future once and tells whether it is done.
fn poll_once<F: Future>(future: F) -> impl AsyncFnMut() -> bool {
    let mut future = Box::pin(future);
    async move || {
        let poll = std::future::poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx)));
        poll.await.is_ready()
    }
}

#[tokio::test]
async fn of_two_deadlines_the_shorter_counts() {
    let (clock, hand) = Clock::manual();
    hand.advance(Duration::from_secs(100));
    let layer = Entry::builder()
        .deadline(Duration::from_millis(500))
        .trust(mesh)
        .clock(clock)
        .build()
        .unwrap();
    for (field, expected) in [
        ("1, 1", 100_500),
        ("1, 1;t=350", 100_350),
        ("1, 1;t=700", 100_500),
        ("1, 1;t=0", 100_000),
    ] {
        let seen = send(&layer, trusted(with("/", &[("dagor-priority", field)]))).await;
        let deadline = seen.task.unwrap().deadline();
        assert_eq!(deadline, Some(Duration::from_millis(expected)), "{field}");
    }
    // An outsider's does not count, and without either there is none.
    let seen = send(&layer, with("/", &[("dagor-priority", "1, 1;t=1")])).await;
    assert_eq!(
        seen.task.unwrap().deadline(),
        Some(Duration::from_millis(100_500))
    );
    let none = Entry::builder().build().unwrap();
    assert_eq!(
        send(&none, request("/")).await.task.unwrap().deadline(),
        None
    );
    // One that never ends does not overflow.
    let endless = Entry::builder().deadline(Duration::MAX).build().unwrap();
    let task = send(&endless, request("/")).await.task.unwrap();
    assert_eq!(task.deadline(), Some(Duration::MAX));
}

#[tokio::test]
async fn exempt_paths_begin_no_task_and_are_stripped_all_the_same() {
    let (builder, ignored) = observed();
    let layer = builder.business("/*", 1).build().unwrap();
    for path in [
        "/healthz",
        "/livez",
        "/readyz",
        "/grpc.health.v1.Health/Check",
    ] {
        let seen = send(&layer, with(path, &[("dagor-priority", "0, 0")])).await;
        assert!(seen.task.is_none(), "{path}");
        assert!(seen.parts.headers.is_empty(), "{path}");
        assert_eq!(ignored.take(), [FieldFault::Untrusted]);
    }
    assert!(send(&layer, request("/healthz/more")).await.task.is_some());

    let layer = Entry::builder().exempt(["GET /admin/*"]).build().unwrap();
    assert!(send(&layer, request("/admin/level")).await.task.is_none());
    assert!(
        send(&layer, request("/healthz")).await.task.is_some(),
        "the list is replaced"
    );
}

// === the table ===

#[tokio::test]
async fn the_table_changes_under_running_services() {
    let layer = Entry::builder()
        .business("/a", 1)
        .default_business(6)
        .build()
        .unwrap();
    let business = async |path| priority(&layer, request(path)).await.business().get();
    assert_eq!((business("/a").await, business("/b").await), (1, 6));

    let table = Table::from_entries([("/b".to_owned(), 2)]).unwrap();
    layer.clone().set_table(table);
    assert_eq!((business("/a").await, business("/b").await), (255, 2));
    assert_eq!(layer.table().len(), 1);
}

#[tokio::test]
async fn the_query_is_no_part_of_the_path() {
    let layer = Entry::builder()
        .businesses([("/a", 1), ("/b", 2)])
        .build()
        .unwrap();
    let asked = priority(&layer, request("http://host/a?/b")).await;
    assert_eq!(asked.business().get(), 1);
}

#[test]
fn all_faults_of_the_settings_are_named_at_once() {
    let error = Entry::builder()
        .business("login", 0)
        .business("/a", 1)
        .business("/a", 1)
        .exempt(["/*/live"])
        .epoch(Duration::ZERO)
        .build()
        .unwrap_err();
    let faults: Vec<_> = error
        .faults()
        .iter()
        .map(|fault| (fault.subject(), fault.problem()))
        .collect();
    let expected = [
        ("login", Problem::NoSlash),
        ("/a", Problem::Duplicate),
        ("/*/live", Problem::Wildcard),
        ("epoch", Problem::ShortEpoch),
    ];
    assert_eq!(faults, expected);
}

// === as a layer ===

#[tokio::test]
async fn readiness_is_that_of_the_service_behind() {
    let layer = Entry::builder().build().unwrap();
    let (service, mut handle) = tower_test::mock::pair::<Request<()>, Response<()>>();
    let mut service = tower_test::mock::Spawn::new(layer.layer(service));
    handle.allow(0);
    assert!(service.poll_ready().is_pending());
    handle.allow(1);
    assert!(matches!(service.poll_ready(), Poll::Ready(Ok(()))));
    let response = service.call(request("/"));
    let (seen, respond) = handle.next_request().await.unwrap();
    assert!(seen.extensions().get::<Task>().is_some());
    respond.send_response(Response::new(()));
    assert!(response.await.is_ok());

    handle.send_error("broken");
    assert!(matches!(service.poll_ready(), Poll::Ready(Err(_))));
}

#[tokio::test]
async fn grpc_services_are_routes_like_any_other() {
    let (_reporter, health) = tonic_health::server::health_reporter();
    let layer = Entry::builder()
        .business("/pay.Payments/*", 0)
        .build()
        .unwrap();
    let service = ServiceBuilder::new()
        .layer(layer)
        .service(tonic::service::Routes::new(health));
    let request = Request::post("/pay.Payments/Charge")
        .header("content-type", "application/grpc")
        .body(tonic::body::Body::empty())
        .unwrap();
    let response = service.oneshot(request).await.unwrap();
    assert_eq!(
        response.headers()["grpc-status"],
        "12",
        "answered by tonic: unimplemented"
    );
}

#[test]
fn everything_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + Clone + std::fmt::Debug>(_: &T) {}
    fn sent<T: Send>(_: &T) {}

    let layer = Entry::builder().user(account).trust(mesh).build().unwrap();
    shared(&layer);
    let answer = async |_: Request<()>| Ok::<_, Infallible>(Response::new(()));
    let service = layer.layer(service_fn(answer));
    shared(&service);
    sent(&service.clone().call(request("/")));
    sent(&Entry::builder());
    let shown = format!("{layer:?}");
    assert!(
        shown.contains("exempt") && !shown.contains("key"),
        "{shown}"
    );
}

/// A caller that is ranked anew here would withhold by its own priority, which is another one: at three times
/// the capacity it withheld nearly everything.
#[tokio::test]
async fn only_a_trusted_peer_hears_the_level() {
    for (trusted, hears) in [(false, false), (true, true)] {
        let entry = Entry::builder().trust(mesh).build().unwrap();
        let told = service_fn(async |_: Request<Body>| {
            let response = Response::builder().header("dagor-level", "131072;w=3;r=8");
            Ok::<_, Infallible>(response.body(Body::empty()).unwrap())
        });
        let mut request = Request::new(Body::empty());
        if trusted {
            request.extensions_mut().insert(Mesh);
        }
        let response = entry.layer(told).oneshot(request).await.unwrap();
        assert_eq!(response.headers().contains_key("dagor-level"), hears);
    }
}
