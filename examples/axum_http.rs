//! How does an axum service protect itself, and what do its clients see?
//!
//! The service can do 200 requests a second (one worker, 5 ms each) and is asked for three times that.
//! The important fifteenth of them is served as if nothing was; of the others, those that fit. The rest is
//! told to come back later. The level is told to trusted callers only, and these come from outside.
#![expect(clippy::print_stdout, reason = "an example says what happened")]

use std::{hint::spin_loop, time::Duration};

use axum::{
    Router,
    body::Body,
    http::{Request, StatusCode, header::RETRY_AFTER, request::Parts},
    response::Response,
    routing::get,
};
use dagor::{Admission, Clock, Entry};
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use tokio::{net::TcpListener, runtime, task::JoinSet, time::interval};
use tower::BoxError;

/// Keeps the worker busy for 5 ms.
async fn work() -> &'static str {
    let clock = Clock::system();
    let end = clock.now() + Duration::from_millis(5);
    while clock.now() < end {
        spin_loop();
    }
    "done"
}

/// Stands for whatever knows who is asking.
fn user_id(request: &Parts) -> Option<Vec<u8>> {
    let account = request.headers.get("x-account")?;
    Some(account.as_bytes().to_owned())
}

/// Asks 600 times a second, for a second and a half; returns all responses by path.
async fn ask(url: String) -> Result<Vec<(&'static str, Response)>, BoxError> {
    let client = Client::builder(TokioExecutor::new()).build_http::<Body>();
    let mut every = interval(Duration::from_millis(25));
    let mut calls = JoinSet::new();
    for account in 0..900_u32 {
        if account % 15 == 0 {
            every.tick().await;
        }
        let path = if account % 15 == 0 {
            "/checkout"
        } else {
            "/catalogue"
        };
        let request = Request::get(format!("{url}{path}")).header("x-account", account);
        let call = client.request(request.body(Body::empty())?);
        calls.spawn(async move { Ok((path, call.await?.map(Body::new))) });
    }
    calls.join_all().await.into_iter().collect()
}

fn main() -> Result<(), BoxError> {
    // The clients have a runtime of their own: they are not what the service is busy with.
    let clients = runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let service = runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let tcp = service.block_on(TcpListener::bind("127.0.0.1:0"))?;
    let url = format!("http://{}", tcp.local_addr()?);

    let admission = Admission::builder("orders").build()?;
    let app = Router::new()
        .route("/checkout", get(work))
        .route("/catalogue", get(work))
        .layer(admission.layer())
        .layer(
            Entry::builder()
                .business("/checkout", 1)
                .user(user_id)
                .build()?,
        );
    service.spawn(axum::serve(admission.listener(tcp), app).into_future());

    let responses = clients.block_on(ask(url))?;
    let served = |path: &str| {
        let asked = responses.iter().filter(|(p, _)| *p == path);
        let ok = asked
            .clone()
            .filter(|(_, response)| response.status() == StatusCode::OK);
        let (ok, asked) = (ok.count(), asked.count());
        println!("{path}: {ok} of {asked} served");
        (ok, asked)
    };
    let (checkouts, catalogue) = (served("/checkout"), served("/catalogue"));
    let mut all = responses.iter().map(|(_, response)| response);
    let busy = StatusCode::SERVICE_UNAVAILABLE;
    let refusal = all.rfind(|response| response.status() == busy);
    let refusal = refusal.ok_or("nothing was refused")?.headers();
    let retry = &refusal[RETRY_AFTER];
    println!("a refusal says: {busy}, Retry-After {retry:?}");
    println!("{}", admission.snapshot());

    assert!(!all.any(|response| response.headers().contains_key("dagor-level")));
    assert!(
        checkouts.0 * 100 >= checkouts.1 * 90,
        "the important are served"
    );
    assert!(
        catalogue.0 > 0 && catalogue.0 < catalogue.1 / 2,
        "the others as they fit"
    );
    Ok(())
}
