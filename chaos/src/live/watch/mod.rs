//! A scenario that goes on, with its metrics to be looked at.

mod metrics;

use std::{
    io,
    net::{SocketAddr, TcpListener},
    sync::Arc,
    thread,
    time::Duration,
};

use axum::{Router, routing::get};
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::{runtime::Builder, signal::ctrl_c, time::sleep};
use tokio_util::sync::CancellationToken;

use self::metrics::Registry;
use super::engine::drive;
use crate::{
    policy::{self, Name, Policy},
    run::RunError,
    scenario::Scenario,
};

/// Runs the scenario's load over and over, with the metrics of its services at `http://{listen}/metrics`, until
/// Ctrl-C or for `seconds`.
///
/// dagor's metrics are those of [`dagor::metrics`]; the other policies have none, and their page is empty. The
/// registry is the run's own, whatever else this process measures. Waiting for Ctrl-C takes the signal over for as
/// long as the process lives.
///
/// # Errors
///
/// If `listen` is in use or not to be had, or if a run cannot take place.
pub fn watch(
    scenario: &Scenario,
    name: Name,
    seed: u64,
    listen: SocketAddr,
    seconds: Option<u64>,
) -> Result<(), RunError> {
    let refused = |error: &io::Error| RunError(format!("cannot listen at {listen}: {error}"));
    let listener = TcpListener::bind(listen).map_err(|error| refused(&error))?;
    listener
        .set_nonblocking(true)
        .map_err(|error| refused(&error))?;
    let registry = Registry::new();
    let registry = Arc::new(registry.map_err(|error| RunError(error.to_string()))?);
    let handle = registry.handle();
    let policy = || -> Result<Box<dyn Policy>, RunError> {
        match name {
            Name::Dagor => Ok(Box::new(
                policy::dagor::observed(Arc::clone(&registry) as _),
            )),
            other => policy::make(other),
        }
    };

    let stop = CancellationToken::new();
    let lasts = seconds.map(Duration::from_secs);
    let page = thread::Builder::new().name("chaos-watch".into()).spawn({
        let stop = stop.clone();
        move || {
            let shown = show(listener, handle, (lasts, &stop));
            stop.cancel();
            shown
        }
    });
    let page = page.map_err(|error| refused(&error))?;
    let mut ran = Ok(());
    while ran.is_ok() && !stop.is_cancelled() {
        ran = policy().and_then(|policy| drive(scenario, policy, seed, stop.clone()).map(drop));
    }
    stop.cancel();
    let shown = page.join();
    ran?;
    match shown {
        Ok(shown) => shown.map_err(|error| refused(&error)),
        Err(_) => Err(RunError("the metrics' page broke off".into())),
    }
}

/// Serves the page until Ctrl-C, until it lasted long enough, or until `stop`.
fn show(
    listener: TcpListener,
    handle: PrometheusHandle,
    (lasts, stop): (Option<Duration>, &CancellationToken),
) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let text = move || {
            let handle = handle.clone();
            async move {
                handle.run_upkeep();
                handle.render()
            }
        };
        let app = Router::new().route("/metrics", get(text));
        let over = async {
            match lasts {
                Some(lasts) => sleep(lasts).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            served = axum::serve(listener, app) => served,
            pressed = ctrl_c() => pressed,
            () = over => Ok(()),
            () = stop.cancelled() => Ok(()),
        }
    })
}
