//! `--serve`: the protected service, for anybody's own load generator.

use std::{net::SocketAddr, time::Duration};

use tokio::runtime::Builder;

use super::{BoxError, cores::Cores, policy::Policy, server::Server, service, work::Work};

/// Serves at `address` until Ctrl-C, or for as long as `lasts` says.
pub(crate) fn serve(address: SocketAddr, lasts: Option<Duration>) -> Result<(), BoxError> {
    let (cores, _) = Cores::find();
    let work = Work::calibrate(cores)?;
    let app = service::stamped(Policy::Dagor.protect(service::unprotected(work))?);
    let server = Server::start(address, app, cores)?;
    let address = server.address();
    println!("Serving about 1 ms of CPU a request on one core, protected by dagor:");
    println!("  wrk -t1 -c200 -d10 http://{address}/");
    println!("  h2load -c4 -m50 -D10 http://{address}/");
    println!("  curl http://{address}/metrics");
    println!("Ctrl-C ends it.");
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        match lasts {
            Some(lasts) => {
                // Whichever comes first.
                tokio::select! {
                    () = tokio::time::sleep(lasts) => Ok(()),
                    ended = tokio::signal::ctrl_c() => ended,
                }
            }
            None => tokio::signal::ctrl_c().await,
        }
    })?;
    Ok(())
}
