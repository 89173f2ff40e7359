//! How does a tonic service say no, and how do its callers stop asking?
//!
//! The service can do 200 calls a second (two at a time, 10 ms each) and is wanted 800 times a second. What it
//! refuses comes as `RESOURCE_EXHAUSTED` with the level in the metadata; from then on the caller withholds
//! what would be refused, and tells the service how much that was.
#![expect(clippy::print_stdout, reason = "an example says what happened")]

use std::time::Duration;

use dagor::{Admission, Business, Callee, Concurrency, Priority, Settings, User, is_withheld};
use tokio::{
    net::TcpListener,
    task::JoinSet,
    time::{interval, sleep},
};
use tokio_stream::Empty;
use tonic::{
    Code, Request, Response, Status,
    transport::{Channel, Server, server::TcpIncoming},
};
use tonic_health::pb::{
    HealthCheckRequest, HealthCheckResponse,
    health_client::HealthClient,
    health_server::{Health, HealthServer},
};
use tower::{BoxError, ServiceBuilder};

/// Stands for any generated service. The health service comes without a compiler for `.proto` files.
struct Orders;

#[tonic::async_trait]
impl Health for Orders {
    type WatchStream = Empty<Result<HealthCheckResponse, Status>>;

    async fn check(
        &self,
        _: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        sleep(Duration::from_millis(10)).await;
        Ok(Response::new(HealthCheckResponse::default()))
    }

    async fn watch(
        &self,
        _: Request<HealthCheckRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        Err(Status::unimplemented("nothing to watch"))
    }
}

/// Starts the service; returns its URL.
async fn serve(admission: &Admission) -> Result<String, BoxError> {
    let tcp = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", tcp.local_addr()?);
    let server = Server::builder()
        .layer(admission.layer())
        .add_service(HealthServer::new(Orders))
        .serve_with_incoming(admission.incoming(TcpIncoming::from(tcp)));
    tokio::spawn(server);
    Ok(url)
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let settings = Settings {
        // What waits for something else than a core has to say how much of that there is.
        concurrency: Concurrency::fixed(2),
        // Health checks are exempt, unless they stand for something else.
        exempt: Vec::new(),
        ..Settings::default()
    };
    let admission = Admission::builder("orders").settings(settings).build()?;
    let url = serve(&admission).await?;

    let orders = Callee::new("orders");
    let channel = Channel::from_shared(url)?.connect().await?;
    let channel = ServiceBuilder::new().layer(orders.layer()).service(channel);
    let client = HealthClient::new(channel);

    let mut calls = JoinSet::new();
    let mut every = interval(Duration::from_millis(10));
    for number in 0..1200_u32 {
        if number % 8 == 0 {
            every.tick().await;
        }
        // In a service the entry does this, and the task carries it: see `call_chain`.
        // Users in no order: 37 and 128 have no common factor.
        let user = User::new(u8::try_from(number * 37 % 128)?, 0)?;
        let priority = Priority::new(Business::new(3), user);
        let mut request = Request::new(HealthCheckRequest::default());
        request.extensions_mut().insert(priority);
        let mut client = client.clone();
        calls.spawn(async move { client.check(request).await });
    }
    let results = calls.join_all().await;

    let served = results.iter().flatten().count();
    let errors = || results.iter().filter_map(|result| result.as_ref().err());
    // What was never sent has no gRPC status: tonic says `Unknown`, and keeps the cause as its source.
    let withheld = errors().filter(|status| is_withheld(*status)).count();
    let shed = || errors().filter(|status| status.code() == Code::ResourceExhausted);
    println!(
        "{served} served, {} shed, {withheld} withheld",
        shed().count()
    );
    let last = shed().next_back().ok_or("nothing was shed")?;
    println!(
        "a refusal: {}, dagor-level {:?}, grpc-retry-pushback-ms {:?}",
        last.message(),
        last.metadata().get("dagor-level"),
        last.metadata().get("grpc-retry-pushback-ms"),
    );
    let snapshot = admission.snapshot();
    println!("{snapshot}");

    let seen = &snapshot.businesses[3];
    assert!(shed().all(|status| status.metadata().contains_key("dagor-level")));
    assert_eq!(
        seen.arrived,
        (served + shed().count()) as u64,
        "what was withheld never left"
    );
    assert!(
        withheld > shed().count(),
        "most refusals cost the service nothing"
    );
    assert!(seen.withheld > 0, "and it knows how many there were");
    assert_eq!(served + shed().count() + withheld, results.len());
    Ok(())
}
