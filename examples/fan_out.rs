//! What becomes of the parallel calls of a task when one of them is refused?
//!
//! The task is lost then, so the work on its other calls would be for nothing. Nothing has to be done for it:
//! `try_join!` drops them, their connections close, and they leave the callee's gate at once.
#![expect(clippy::print_stdout, reason = "an example says what happened")]

use std::time::Duration;

use axum::{Router, body::Body, http::Request, routing::get};
use dagor::{
    Admission, Callee, Clock, Concurrency, Priority, Settings, Task,
    client::{Client, is_shed_response},
};
use hyper_util::{
    client::legacy::{Client as Http, connect::HttpConnector},
    rt::TokioExecutor,
};
use tokio::{net::TcpListener, time::sleep};
use tower::{BoxError, ServiceBuilder, ServiceExt};

async fn call(
    stock: &Client<Http<HttpConnector, Body>>,
    url: &str,
) -> Result<&'static str, BoxError> {
    let request = Request::get(url).body(Body::empty())?;
    let response = stock.clone().oneshot(request).await?;
    if is_shed_response(&response) {
        return Err("stock refused".into());
    }
    Ok("in stock")
}

/// Waits until as many requests are at the gate and in work; returns whether they ever were.
async fn settles(admission: &Admission, waiting: usize, running: usize) -> bool {
    for _ in 0..1000 {
        let now = admission.snapshot();
        if (now.waiting, now.running) == (waiting, running) {
            return true;
        }
        sleep(Duration::from_millis(1)).await;
    }
    false
}

/// Starts the callee, which is busy with its first call for longer than this runs; returns its URL.
async fn serve(admission: &Admission) -> Result<String, BoxError> {
    let busy = || sleep(Duration::from_secs(60));
    let app = Router::new().route("/", get(busy)).layer(admission.layer());
    let tcp = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/", tcp.local_addr()?);
    tokio::spawn(axum::serve(tcp, app).into_future());
    Ok(url)
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let settings = Settings {
        concurrency: Concurrency::fixed(1),
        // Far longer than this example runs: whoever leaves the gate does so for another reason.
        longest_wait: Some(Duration::from_secs(60)),
        ..Settings::default()
    };
    let admission = Admission::builder("stock").settings(settings).build()?;
    let url = serve(&admission).await?;

    let http = Http::builder(TokioExecutor::new()).build_http();
    let stock = ServiceBuilder::new()
        .layer(Callee::new("stock").layer())
        .service(http);
    let other = tokio::spawn({
        let (stock, url) = (stock.clone(), url.clone());
        async move { call(&stock, &url).await }
    });
    assert!(
        settles(&admission, 0, 1).await,
        "somebody else's call is the one that runs"
    );

    let clock = Clock::system();
    let task = Task::new(Priority::MOST_IMPORTANT);
    // One of the three parts has only a quarter of a second, and is refused when that is over.
    let soon = clock.now() + Duration::from_millis(250);
    let hurried = task.clone().with_deadline(Some(soon));
    let parts = task.scope(async {
        tokio::try_join!(
            call(&stock, &url),
            call(&stock, &url),
            hurried.scope(call(&stock, &url)),
        )
    });
    let all_wait = async {
        assert!(
            settles(&admission, 3, 1).await,
            "the task's three wait behind it"
        );
        println!("{}", admission.snapshot());
    };
    let (result, ()) = tokio::join!(parts, all_wait);
    let refused = clock.now();
    println!(
        "the task ended: {}",
        result.expect_err("nothing could be served")
    );

    assert!(settles(&admission, 0, 1).await, "nobody waits any more");
    let took = clock.now() - refused;
    println!(
        "the two others left the gate {:.1} ms after",
        took.as_secs_f64() * 1e3
    );
    println!("{}", admission.snapshot());
    assert_eq!(
        admission.snapshot().shed(),
        1,
        "they were not refused, they left"
    );
    other.abort();
    Ok(())
}
