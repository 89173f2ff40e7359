//! The lines that the README promises, word for word, against every stack that it names.
//!
//! Most of what is tested here is that they compile: the bounds of axum, tonic and hyper-util are met
//! without a conversion, a box or a type annotation. Then each stack serves one request.
#![cfg(all(feature = "axum", feature = "tonic"))]

use std::{future::IntoFuture, net::SocketAddr};

use axum::{
    Router,
    body::Body,
    http::{Request, StatusCode, request::Parts},
    routing::post,
};
use dagor::{Admission, Callee, Entry, Settings};
use hyper_util::{
    client::legacy::Client,
    rt::{TokioExecutor, TokioTimer},
};
use tokio::net::TcpListener;
use tonic::transport::{Channel, Server, server::TcpIncoming};
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};
use tower::{BoxError, ServiceBuilder, ServiceExt};

type Tested = Result<(), BoxError>;

async fn loopback() -> Result<(TcpListener, SocketAddr), BoxError> {
    let tcp = TcpListener::bind("127.0.0.1:0").await?;
    let address = tcp.local_addr()?;
    Ok((tcp, address))
}

async fn checkout() -> &'static str {
    "paid"
}

fn user_id(request: &Parts) -> Option<String> {
    let id = request.headers.get("x-account")?.to_str().ok()?;
    Some(id.to_owned())
}

#[tokio::test]
async fn a_service_protects_itself_and_sets_the_priority() -> Tested {
    let (tcp, address) = loopback().await?;

    let admission = Admission::builder("orders").build()?;
    let app = Router::new()
        .route("/checkout", post(checkout))
        .layer(admission.layer());
    let app = app.layer(
        Entry::builder()
            .business("/login", 0)
            .business("/checkout", 1)
            .user(user_id)
            .build()?,
    );
    tokio::spawn(axum::serve(admission.listener(tcp), app).into_future());

    let channel = Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .build_http();
    let payments = ServiceBuilder::new()
        .layer(Callee::new("payments").layer())
        .service(channel);

    let request = Request::post(format!("http://{address}/checkout")).body(Body::empty())?;
    let response = payments.oneshot(request).await?;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(admission.snapshot().businesses[1].arrived, 1);
    Ok(())
}

#[tokio::test]
async fn a_tonic_service_and_a_tonic_client_need_no_other_lines() -> Tested {
    let (tcp, address) = loopback().await?;
    let (_, health) = tonic_health::server::health_reporter();

    // The only service at hand is the health service, which would be neither ranked nor counted.
    let nothing_exempt = Settings {
        exempt: Vec::new(),
        ..Settings::default()
    };
    let admission = Admission::builder("orders")
        .settings(nothing_exempt)
        .build()?;
    let entry = Entry::builder()
        .business("/pay.Payments/*", 0)
        .business("/grpc.health.v1.Health/*", 1)
        .exempt([""; 0])
        .build()?;
    // The first layer is the outermost: the entry first.
    let server = Server::builder()
        .layer(entry)
        .layer(admission.layer())
        .add_service(health)
        .serve_with_incoming(admission.incoming(TcpIncoming::from(tcp)));
    tokio::spawn(server);

    let channel = Channel::from_shared(format!("http://{address}"))?
        .connect()
        .await?;
    let payments = ServiceBuilder::new()
        .layer(Callee::new("payments").layer())
        .service(channel.clone());

    HealthClient::new(payments)
        .check(HealthCheckRequest::default())
        .await?;

    // What an outsider says of itself is of no use to it.
    let mut request = tonic::Request::new(HealthCheckRequest::default());
    let sent = request.metadata_mut();
    sent.insert("dagor-priority", "0, 0".parse()?);
    let reply = HealthClient::new(channel).check(request).await?;
    assert!(!reply.metadata().contains_key("dagor-level"));
    let seen = admission.snapshot();
    let arrived = |business: usize| seen.businesses[business].arrived;
    assert_eq!((arrived(0), arrived(1)), (0, 2));
    Ok(())
}

/// The outermost place, where HTTP/2's wait is seen as well, takes one line more: `axum::serve` wants the
/// body of axum back.
#[tokio::test]
async fn the_layer_may_be_around_the_router() -> Tested {
    use axum::{ServiceExt, extract::Request, response::Response};

    let (tcp, address) = loopback().await?;
    let admission = Admission::builder("orders").build()?;
    let app = ServiceBuilder::new()
        .map_response(|response: Response<_>| response.map(Body::new))
        .layer(admission.layer())
        .service(Router::new().route("/checkout", post(checkout)));
    let app = ServiceExt::<Request>::into_make_service(app);
    tokio::spawn(axum::serve(admission.listener(tcp), app).into_future());

    let channel = Client::builder(TokioExecutor::new()).build_http();
    let request = Request::post(format!("http://{address}/checkout")).body(Body::empty())?;
    let response = channel.request(request).await?;
    assert!(response.headers().contains_key("dagor-level"));
    Ok(())
}

/// reqwest has requests and responses of its own; both convert, so its client is two lines away.
#[tokio::test]
async fn a_reqwest_client_needs_its_conversions_and_no_more() -> Tested {
    use reqwest::Client;

    let (tcp, address) = loopback().await?;
    let admission = Admission::builder("orders").build()?;
    let app = Router::new()
        .route("/checkout", post(checkout))
        .layer(admission.layer());
    tokio::spawn(axum::serve(tcp, app).into_future());

    let client = Client::new();
    let orders = ServiceBuilder::new()
        .layer(Callee::new("orders").layer())
        .service_fn(move |request: Request<reqwest::Body>| {
            let client = client.clone();
            async move {
                let response = client.execute(request.try_into()?).await?;
                Ok::<_, reqwest::Error>(http::Response::from(response))
            }
        });
    let request = Request::post(format!("http://{address}/checkout")).body("".into())?;
    let response = orders.oneshot(request).await?;
    assert_eq!(response.status(), StatusCode::OK);
    assert!(response.headers().contains_key("dagor-level"));
    let sent = admission.snapshot();
    assert_eq!(sent.businesses[7].arrived, 1, "a call of nobody");
    Ok(())
}
