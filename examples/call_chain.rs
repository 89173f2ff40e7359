//! How does the priority of a task reach the last service of a chain without anybody's help?
//!
//! `shop` sets it, at the entry; `orders` calls `stock` four times. No handler touches a header. One thing
//! has to be known: what a handler *spawns* is part of the task only inside of `Task::scope`.
#![expect(clippy::print_stdout, reason = "an example says what happened")]

use axum::{Router, body::Body, extract::Request, routing::get};
use dagor::{Admission, Callee, Entry, Task, client::Client};
use http_body_util::BodyExt;
use hyper_util::{
    client::legacy::{Client as Http, connect::HttpConnector},
    rt::TokioExecutor,
};
use tokio::net::TcpListener;
use tower::{BoxError, ServiceBuilder, ServiceExt};

type Channel = Client<Http<HttpConnector, Body>>;

/// Returns what calls the service `name`.
fn channel(name: &str) -> Channel {
    let http = Http::builder(TokioExecutor::new()).build_http();
    ServiceBuilder::new()
        .layer(Callee::new(name).layer())
        .service(http)
}

async fn call(channel: &Channel, url: &str) -> Result<String, BoxError> {
    let request = Request::get(url).body(Body::empty())?;
    let response = channel.clone().oneshot(request).await?;
    let body = response.into_body().collect().await?.to_bytes();
    Ok(String::from_utf8(body.to_vec())?)
}

/// Starts the service `name`, protected by an admission of its own; returns its URL.
async fn serve(name: &str, app: Router) -> Result<String, BoxError> {
    let tcp = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/", tcp.local_addr()?);
    let app = app.layer(Admission::builder(name).build()?.layer());
    tokio::spawn(axum::serve(tcp, app).into_future());
    Ok(url)
}

/// `stock`: says what it was told. `p` marks a task that it has already worked for.
async fn stock(request: Request) -> String {
    let field = request.headers().get("dagor-priority");
    let field = field.and_then(|field| field.to_str().ok());
    field.unwrap_or("nothing").to_owned()
}

/// `orders`: calls `stock` four times and says what came of it, a line each.
async fn order(stock: Channel, url: String) -> Result<String, BoxError> {
    let first = call(&stock, &url).await?;
    let second = call(&stock, &url).await?;

    let spawned = async move |stock: Channel, url: String| call(&stock, &url).await;
    let task = Task::current().ok_or("an admission makes every request a task")?;
    let scoped = tokio::spawn(task.scope(spawned(stock.clone(), url.clone()))).await??;
    let unscoped = tokio::spawn(spawned(stock, url)).await??;
    Ok([first, second, scoped, unscoped].join("\n"))
}

fn or_why(result: Result<String, BoxError>) -> String {
    result.unwrap_or_else(|error| format!("failed: {error}"))
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let url = serve("stock", Router::new().route("/", get(stock))).await?;

    let stock = channel("stock");
    let order = move || {
        let order = order(stock.clone(), url.clone());
        async { or_why(order.await) }
    };
    let url = serve("orders", Router::new().route("/", get(order))).await?;

    let orders = channel("orders");
    let checkout = async move || or_why(call(&orders, &url).await);
    let entry = Entry::builder()
        .business("GET /checkout", 1)
        .user(|request| request.headers.get("x-account").cloned())
        .build()?;
    let app = Router::new().route("/checkout", get(checkout));
    let tcp = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/checkout", tcp.local_addr()?);
    let app = app
        .layer(Admission::builder("shop").build()?.layer())
        .layer(entry);
    tokio::spawn(axum::serve(tcp, app).into_future());

    // The customer's browser knows nothing of all that.
    let request = Request::get(&url)
        .header("x-account", "alice")
        .body(Body::empty())?;
    let browser = Http::builder(TokioExecutor::new()).build_http();
    let body = browser
        .request(request)
        .await?
        .into_body()
        .collect()
        .await?
        .to_bytes();
    let body = String::from_utf8(body.to_vec())?;

    let told: Vec<_> = body.lines().collect();
    let [first, second, scoped, unscoped] = told[..] else {
        return Err(body.into());
    };
    println!("stock was told, by the first call:   {first}");
    println!("by the second, of a task under way:  {second}");
    println!("by one spawned in the task's scope:  {scoped}");
    println!("by one spawned without, so of nobody: {unscoped}");

    assert!(
        first.starts_with("1, ") && !first.contains(";p"),
        "business 1, of alice"
    );
    assert!(second.starts_with(first) && second.contains(";p"));
    assert_eq!(second, scoped);
    assert!(
        unscoped.starts_with("255, "),
        "the least important business"
    );
    Ok(())
}
