//! O1: an instance whose health check is refused is killed when it is needed most.

use axum::{Router, routing::get};
use dagor::{Admission, Concurrency, observe::BusinessCounts};
use http::StatusCode;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::{Channel, Endpoint, Server};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

use crate::support::{Pressure, call, get as asked_for, ms, sleeper};

const CHECKS: u64 = 20;

/// Serves `/healthz` and `/` over HTTP/1 and returns the status of a request to either.
async fn http(admission: &Admission) -> impl AsyncFn(&'static str) -> StatusCode {
    let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = tcp.local_addr().unwrap();
    let app = Router::new()
        .route("/", get(async || "work"))
        .route("/healthz", get(async || "alive"))
        .layer(admission.layer());
    let listener = admission.listener(tcp);
    tokio::spawn(async move { axum::serve(listener, app).await });
    async move |path| {
        let tcp = TokioIo::new(TcpStream::connect(address).await.unwrap());
        let (mut send, driver) = hyper::client::conn::http1::handshake(tcp).await.unwrap();
        tokio::spawn(driver);
        send.send_request(asked_for(path)).await.unwrap().status()
    }
}

/// Serves the health service of gRPC and returns a client of it.
pub(crate) async fn grpc(admission: &Admission) -> HealthClient<Channel> {
    let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = tcp.local_addr().unwrap();
    let (_reporter, health) = tonic_health::server::health_reporter();
    let server = Server::builder()
        .layer(admission.layer())
        .add_service(health);
    let incoming = admission.incoming(TcpListenerStream::new(tcp));
    tokio::spawn(server.serve_with_incoming(incoming));
    let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
    HealthClient::new(endpoint.connect().await.unwrap())
}

#[tokio::test]
async fn o1_health_checks_are_never_shed_nor_counted() {
    let admission = Admission::builder("o1").build().unwrap();
    let status_of = http(&admission).await;
    let mut kubelet = grpc(&admission).await;
    let _pressure = Pressure::on(&admission).await;

    for _ in 0..CHECKS {
        assert_eq!(status_of("/healthz").await, StatusCode::OK);
        let check = kubelet.check(HealthCheckRequest::default()).await.unwrap();
        assert_eq!(check.into_inner().status(), ServingStatus::Serving);
    }
    let unknown = |admission: &Admission| admission.snapshot().businesses[7];
    let untouched = BusinessCounts::default();
    assert_eq!(unknown(&admission).arrived, untouched.arrived);
    assert_eq!(unknown(&admission).shed, untouched.shed);
    assert_eq!(admission.snapshot().exempt, 2 * CHECKS);

    // The same service at the same moment, for everybody else.
    assert_eq!(status_of("/").await, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(unknown(&admission).arrived, 1);
}

#[tokio::test(start_paused = true)]
async fn o1_health_checks_do_not_wait_behind_a_full_gate() {
    let admission = Admission::builder("o1")
        .concurrency(Concurrency::Fixed(1.try_into().unwrap()))
        .clock(dagor::Clock::tokio())
        .build()
        .unwrap();
    let service = sleeper(&admission, ms(0));
    let _held = admission
        .admit(dagor::Priority::MOST_IMPORTANT, ms(0))
        .await
        .unwrap();
    let clock = admission.clock().clone();
    let before = clock.now();
    for path in [
        "/healthz",
        "/livez",
        "/readyz",
        "/grpc.health.v1.Health/Watch",
    ] {
        assert_eq!(call(&service, asked_for(path)).await.status(), 200);
    }
    assert!(clock.now() - before < ms(20), "none of them waited");
    assert_eq!(call(&service, asked_for("/")).await.status(), 503);
    assert!(clock.now() - before >= ms(100), "this one did");
}
