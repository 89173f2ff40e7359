//! Does a service of your own hold what a scenario asks of it?
//!
//! `shop` has eight workers of 20 ms. Under three times that load everybody waits, everybody gives up, and what
//! work is done is done for clients who have gone. With dagor's entry and admission around the same service, four
//! lines, the checkouts pass and the workers work for those who still wait. Twelve seconds of load, twice, take
//! a second or two: time is virtual.
//!
//! ```text
//! cargo run -p dagor-chaos --example own_service
//! ```
#![expect(clippy::print_stdout, reason = "an example says what happened")]

use std::{num::NonZeroUsize, sync::Arc, time::Duration};

use chaos::{
    Scenario,
    against::USER,
    wire::{Body, Request, Response},
};
use dagor::{Admission, Clock, Concurrency, Entry, Settings};
use tokio::sync::Semaphore;
use tower::{BoxError, Service, ServiceBuilder, service_fn};

const WORKERS: usize = 8;
const SCENARIO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/own_service.toml");

/// The service: takes a worker, works, answers.
fn shop() -> impl Service<
    Request,
    Response = Response,
    Error = BoxError,
    Future = impl Future<Output = Result<Response, BoxError>> + Send,
> + Clone
+ Send {
    let workers = Arc::new(Semaphore::new(WORKERS));
    service_fn(move |_: Request| {
        let workers = Arc::clone(&workers);
        async move {
            let _worker = workers.acquire_owned().await?;
            tokio::time::sleep(Duration::from_millis(20)).await;
            Ok(Response::new(Body::empty()))
        }
    })
}

fn main() -> Result<(), BoxError> {
    let alone = Scenario::load(SCENARIO)?.against(shop());
    let alone = alone.policy_name("alone").run()?;
    println!("{alone}");

    // dagor's parts go by tokio's clock, so that their time is the run's.
    let entry = Entry::builder()
        .businesses([("/b/0", 0), ("/b/5", 5)])
        .user(|request| request.headers.get(USER).cloned())
        .clock(Clock::tokio())
        .build()?;
    let permits = NonZeroUsize::new(WORKERS).ok_or("no workers")?;
    let settings = Settings {
        concurrency: Concurrency::Fixed(permits),
        ..Settings::default()
    };
    let admission = Admission::builder("shop")
        .settings(settings)
        .clock(Clock::tokio())
        .build()?;
    let protected = ServiceBuilder::new()
        .layer(entry)
        .layer(admission.layer())
        .service(shop());
    let protected = Scenario::load(SCENARIO)?.against(protected);
    let protected = protected.policy_name("with dagor").run()?;
    println!("{protected}");

    assert!(!alone.passed(), "three times the load is too much for it");
    protected.assert_passed();
    Ok(())
}
