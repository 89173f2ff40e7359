//! How do many callers with few calls each find the instance that has room?
//!
//! Two instances, one eight times as slow as the other: together they can do 900 calls a second, the slow one
//! 100. Twenty callers make 400. None of them has two calls outstanding, so what they have sent says
//! nothing; but every response says how many wait and run there, and tower's two-choice balancer goes by
//! that. By turns the slow one would get half of the 800 calls and serve half of those, so 600 in all.
#![expect(clippy::print_stdout, reason = "an example says what happened")]

use std::time::Duration;

use axum::{
    Router,
    body::Body,
    http::{Request, Response, StatusCode},
    routing::get,
};
use dagor::{Admission, Business, Callee, Concurrency, Priority, User};
use hyper::body::Incoming;
use hyper_util::{client::legacy::Client as Http, rt::TokioExecutor};
use tokio::{net::TcpListener, task::JoinSet, time::sleep};
use tower::{
    BoxError, Service, ServiceBuilder, ServiceExt, balance::p2c::Balance, discover::ServiceList,
    load::Load,
};

struct Instance {
    address: String,
    admission: Admission,
}

/// Starts an instance that does four calls at a time, each within `work`.
async fn start(work: Duration) -> Result<Instance, BoxError> {
    let admission = Admission::builder("orders")
        .concurrency(Concurrency::fixed(4))
        .build()?;
    let tcp = TcpListener::bind("127.0.0.1:0").await?;
    let address = tcp.local_addr()?.to_string();
    let app = Router::new()
        .route("/", get(move || sleep(work)))
        .layer(admission.layer());
    tokio::spawn(axum::serve(tcp, app).into_future());
    Ok(Instance { address, admission })
}

/// Returns what leads to one instance and knows its load.
fn endpoint(
    orders: &Callee,
    address: &str,
) -> impl Load<Metric = u64>
+ Service<Request<Body>, Response = Response<Incoming>, Error = BoxError, Future: Send> {
    let url = format!("http://{address}/");
    ServiceBuilder::new()
        .layer(orders.instance(address))
        .map_request(move |mut request: Request<Body>| {
            *request.uri_mut() = url.parse().unwrap_or_default();
            request
        })
        .service(Http::builder(TokioExecutor::new()).build_http())
}

/// Makes 40 calls, about a twentieth of a second apart; returns how many were served.
async fn caller(priority: Priority, addresses: [String; 2]) -> Result<usize, BoxError> {
    // A process of its own has a table of its own.
    let orders = Callee::builder("orders")
        .default_priority(priority)
        .build()?;
    let endpoints: Vec<_> = addresses
        .iter()
        .map(|address| endpoint(&orders, address))
        .collect();
    let mut balancer = Balance::new(ServiceList::new(endpoints));
    let mut served = 0;
    for call in 0..40 {
        // Not in step with the others: 37 and 41 have no common factor.
        let pause = 30 + (call + u64::from(priority.user().level())) * 37 % 41;
        sleep(Duration::from_millis(pause)).await;
        let call = balancer.ready().await?.call(Request::default());
        let result = call.await;
        served += usize::from(result.is_ok_and(|response| response.status() == StatusCode::OK));
    }
    Ok(served)
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let quick = start(Duration::from_millis(5)).await?;
    let slow = start(Duration::from_millis(40)).await?;

    let mut callers = JoinSet::new();
    for number in 0..20 {
        let priority = Priority::new(Business::new(2), User::new(number * 6, 0)?);
        callers.spawn(caller(
            priority,
            [quick.address.clone(), slow.address.clone()],
        ));
    }
    let mut served = 0;
    for caller in callers.join_all().await {
        served += caller?;
    }

    let went = |instance: &Instance| instance.admission.snapshot().demand();
    println!(
        "the quick instance got {} calls, the slow one {}",
        went(&quick),
        went(&slow)
    );
    println!("{served} of 800 were served");
    assert!(went(&slow) < 300, "the slow one gets about what it can do");
    assert!(served >= 680, "so more is served than by turns");
    Ok(())
}
