//! How does a caller live within the quota of somebody who has never heard of dagor?
//!
//! The gateway takes 20 messages a tenth of a second and answers the rest with 429 and `Retry-After`. It is
//! wanted for 50, of which 10 are login codes. From what it refuses the caller infers a level by the law of
//! a callee: the codes go through, newsletters are withheld, and hardly a call is wasted on a refusal.
#![expect(clippy::print_stdout, reason = "an example says what happened")]

use std::{
    sync::atomic::{AtomicU32, Ordering::Relaxed},
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    http::{HeaderName, Request, StatusCode, header::RETRY_AFTER},
    routing::post,
};
use dagor::{Business, Callee, Priority, User, client::HttpFeedback, is_withheld};
use hyper_util::{client::legacy::Client as Http, rt::TokioExecutor};
use tokio::{net::TcpListener, task::JoinSet, time::interval};
use tower::{BoxError, ServiceBuilder, ServiceExt};

const CODE: Business = Business::new(0);
const NEWSLETTER: Business = Business::new(5);

/// Messages taken in this tenth of a second.
static TAKEN: AtomicU32 = AtomicU32::new(0);

async fn send_message() -> (StatusCode, [(HeaderName, &'static str); 1]) {
    let taken = TAKEN.fetch_add(1, Relaxed);
    let status = if taken < 20 {
        StatusCode::OK
    } else {
        StatusCode::TOO_MANY_REQUESTS
    };
    (status, [(RETRY_AFTER, "1")])
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    sent: u32,
    refused: u32,
    withheld: u32,
}

/// Starts the gateway; returns its URL.
async fn serve() -> Result<String, BoxError> {
    let tcp = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/", tcp.local_addr()?);
    let app = Router::new().route("/", post(send_message));
    tokio::spawn(axum::serve(tcp, app).into_future());
    Ok(url)
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let url = serve().await?;
    let gateway = Callee::new("message gateway");
    let http = Http::builder(TokioExecutor::new()).build_http();
    let client = ServiceBuilder::new()
        .layer(gateway.layer().feedback(HttpFeedback))
        .service(http);

    let mut every = interval(Duration::from_millis(10));
    let mut calls = JoinSet::new();
    for number in 0..2000_u32 {
        if number % 5 == 0 {
            every.tick().await;
        }
        if number % 50 == 0 {
            TAKEN.store(0, Relaxed);
        }
        let business = if number % 5 == 0 { CODE } else { NEWSLETTER };
        // Users in no order: 37 and 128 have no common factor.
        let user = User::new(u8::try_from(number * 37 % 128)?, 0)?;
        let mut request = Request::post(&url).body(Body::empty())?;
        request
            .extensions_mut()
            .insert(Priority::new(business, user));
        let call = client.clone().oneshot(request);
        calls.spawn(async move { (business, call.await) });
    }

    let (mut codes, mut newsletters) = (Tally::default(), Tally::default());
    for (business, result) in calls.join_all().await {
        let tally = if business == CODE {
            &mut codes
        } else {
            &mut newsletters
        };
        match result {
            Ok(response) if response.status().is_success() => tally.sent += 1,
            Ok(_) => tally.refused += 1,
            Err(error) if is_withheld(&*error) => tally.withheld += 1,
            Err(error) => return Err(error),
        }
    }
    for (what, tally) in [("login codes", codes), ("newsletters", newsletters)] {
        let Tally {
            sent,
            refused,
            withheld,
        } = tally;
        println!("{what}: {sent} sent, {refused} refused by the gateway, {withheld} withheld");
    }
    for instance in gateway.snapshot().instances {
        println!("{}: level {}", instance.instance, instance.level);
    }
    assert!(codes.sent >= 360, "nine in ten codes go through");
    assert!(
        newsletters.withheld > 800,
        "half of the newsletters never leave"
    );
    assert!(
        codes.refused + newsletters.refused < 200,
        "few calls are wasted"
    );
    Ok(())
}
