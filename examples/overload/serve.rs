//! `--serve`: the protected service, for anybody's own load generator.

use std::{io, net::SocketAddr, time::Duration};

use axum::routing::get;
use dagor::Admission;
use tokio::{runtime::Builder, signal::ctrl_c, time::timeout};

use super::{
    BoxError, cores::Cores, exposition::Exposition, policy::Protected, server::Server, service,
    work::Work,
};

/// Serves at `address` until Ctrl-C, or for as long as `lasts` says.
pub(crate) fn serve(address: SocketAddr, lasts: Option<Duration>) -> Result<(), BoxError> {
    let (cores, _) = Cores::find();
    let app = service::stamped(service::unprotected(Work::calibrate(cores)?));
    let (exposition, builder) = Exposition::of(Admission::builder("overload"))?;
    let admission = builder.build()?;
    let seen = admission.clone();
    let app = app
        .layer(admission.layer())
        // Added after the layer, so that it is in nobody's way and nobody is in its.
        .route(
            "/metrics",
            get(move || async move { exposition.text(&seen) }),
        );
    let protected = Protected {
        app,
        admission: Some(admission),
    };
    let server = Server::start(address, protected, cores)?;
    let address = server.address();
    println!("Serving about 1 ms of CPU a request on one core, protected by dagor:");
    println!("  wrk -t1 -c200 -d10 http://{address}/");
    println!("  h2load -c4 -m50 -D10 http://{address}/");
    println!("  curl http://{address}/metrics");
    println!("Ctrl-C ends it.");
    Ok(wait(lasts)?)
}

/// Returns at Ctrl-C, or once the time is over.
fn wait(lasts: Option<Duration>) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        match lasts {
            Some(lasts) => timeout(lasts, ctrl_c()).await.unwrap_or(Ok(())),
            None => ctrl_c().await,
        }
    })
}
