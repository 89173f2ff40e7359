//! What does the whole layer cost on a service that does nothing, beside tower's own pair?
//!
//! Each bench makes a request, clones the service (as hyper does for every request), makes the clone ready,
//! calls it and polls the future to its end; `bare`, without any layer, is what to subtract. `tower` is
//! `load_shed` over `concurrency_limit`, `dagor` the layer with its gate; in these three the request brings a
//! priority and the response a content type. Included everywhere: making and dropping both. The rest says
//! where the cost goes:
//!
//! | bench | differs from `dagor` by |
//! |---|---|
//! | `off` | mode `off`: nothing but the wrapped body |
//! | `exempt` | a health check: looked up, not decided |
//! | `no_field`, `bare_no_field` | a request without fields |
//! | `empty_head`, `bare_empty_head` | a response without any header, so that the layer's is the first and its map must be made |
//! | `task` | priority from the entry layer, as an extension |
//! | `no_gate` | no permits |
//! | `observe` | mode `observe` |
//! | `turn`, `bare_turn` | the dispatcher's turn (two trips round the runtime) after every request; under load one turn serves a whole batch |

mod support;

use std::{
    convert::Infallible,
    future::Ready,
    hint::black_box,
    task::{Context, Poll},
};

use criterion::{
    BenchmarkGroup, Criterion, criterion_group, criterion_main, measurement::WallTime,
};
use dagor::{Admission, Business, Concurrency, Mode, Priority, Task, User, admission::Builder};
use http::{HeaderName, HeaderValue, Request, Response, header::CONTENT_TYPE};
use http_body_util::Empty;
use tokio::runtime::Runtime;
use tower::{Layer, Service, ServiceBuilder};

type Body = Empty<bytes::Bytes>;

const PRIORITY: HeaderName = HeaderName::from_static("dagor-priority");

/// What a request brings.
#[derive(Clone, Copy)]
enum Brings {
    Nothing,
    Field,
    Task,
}

/// Answers at once.
#[derive(Clone)]
struct Nop {
    content_type: bool,
}

const NOP: Nop = Nop { content_type: true };

impl Service<Request<Body>> for Nop {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        black_box(&request);
        let mut response = Response::new(Empty::new());
        if self.content_type {
            let text = HeaderValue::from_static("text/plain");
            response.headers_mut().insert(CONTENT_TYPE, text);
        }
        std::future::ready(Ok(response))
    }
}

fn request(path: &'static str, brings: Brings) -> Request<Body> {
    let mut request = Request::new(Empty::new());
    *request.uri_mut() = http::Uri::from_static(path);
    match brings {
        Brings::Nothing => {}
        Brings::Field => {
            let value = HeaderValue::from_static("3, 17;s=200;t=350");
            request.headers_mut().insert(PRIORITY, value);
        }
        Brings::Task => {
            let user = User::new(17, 200).expect("below 128");
            let task = Task::new(Priority::new(Business::new(3), user));
            request.extensions_mut().insert(task);
        }
    }
    request
}

/// One call of a clone of `service`, to its end.
fn call<S, B>(service: &S, request: Request<Body>)
where
    S: Service<Request<Body>, Response = Response<B>> + Clone,
{
    let mut service = service.clone();
    let ready = std::future::poll_fn(|cx| service.poll_ready(cx));
    assert!(support::now(ready).is_ok());
    assert!(support::now(service.call(request)).is_ok());
}

fn bench<S, B>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    runtime: &Runtime,
    (name, path, brings): (&str, &'static str, Brings),
    service: &S,
) where
    S: Service<Request<Body>, Response = Response<B>> + Clone,
{
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|iterations| {
            runtime.block_on(support::batches(iterations, || {
                call(service, request(path, brings));
            }))
        });
    });
}

/// The dispatcher's turn after every request, timed.
fn bench_turns<S, B>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    runtime: &Runtime,
    name: &str,
    service: &S,
) where
    S: Service<Request<Body>, Response = Response<B>> + Clone,
{
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|iterations| {
            runtime.block_on(support::timed(iterations, async || {
                call(service, request("/orders", Brings::Field));
                tokio::task::yield_now().await;
                tokio::task::yield_now().await;
                tokio::task::yield_now().await;
            }))
        });
    });
}

fn layer(criterion: &mut Criterion) {
    let runtime = support::runtime();
    let mut group = criterion.benchmark_group("layer");
    let group = &mut group;
    let behind = |builder: Builder| {
        let admission = builder.build().expect("valid settings");
        admission.layer().layer(NOP)
    };
    let tower = ServiceBuilder::new()
        .load_shed()
        .concurrency_limit(4096)
        .service(NOP);
    let no_gate = Admission::builder("bench").concurrency(Concurrency::Unlimited);
    let empty_head = Nop {
        content_type: false,
    };
    let roomy = support::roomy().build().expect("valid settings").layer();

    let orders = |name, brings| (name, "/orders", brings);
    let field = |name| orders(name, Brings::Field);
    let nothing = |name| orders(name, Brings::Nothing);
    bench(group, &runtime, field("bare"), &NOP);
    bench(group, &runtime, field("tower"), &tower);
    bench(group, &runtime, field("dagor"), &roomy.layer(NOP));
    let off = behind(support::roomy().mode(Mode::Off));
    bench(group, &runtime, field("off"), &off);
    let health = ("exempt", "/healthz", Brings::Field);
    bench(group, &runtime, health, &roomy.layer(NOP));
    bench(group, &runtime, nothing("bare_no_field"), &NOP);
    bench(group, &runtime, nothing("no_field"), &roomy.layer(NOP));
    let task = orders("task", Brings::Task);
    bench(group, &runtime, task, &roomy.layer(NOP));
    bench(group, &runtime, field("no_gate"), &behind(no_gate));
    let observe = behind(support::roomy().mode(Mode::Observe));
    bench(group, &runtime, field("observe"), &observe);
    let head = field("bare_empty_head");
    bench(group, &runtime, head, &empty_head);
    let head = field("empty_head");
    bench(group, &runtime, head, &roomy.layer(empty_head.clone()));
    bench_turns(group, &runtime, "bare_turn", &NOP);
    bench_turns(group, &runtime, "turn", &roomy.layer(NOP));
}

criterion_group! {
    name = benches;
    config = support::criterion();
    targets = layer
}
criterion_main!(benches);
