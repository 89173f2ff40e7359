//! `wecom-sim serve`

use std::{io, net::SocketAddr, time::Duration};

use tokio::{net::TcpListener, runtime::Runtime};
use wecom_sim::{Profile, Sim};

use super::{
    Failure,
    args::Serve,
    out::{note, stderr_is_lost, stdout_is_lost, tell},
};

/// Serves until it is told to end.
pub(super) fn serve(args: &Serve) -> Result<(), Failure> {
    if !args.listen.ip().is_loopback() && !args.expose {
        let ip = args.listen.ip();
        return Err(Failure(format!(
            "--listen {ip}: expected an address of this machine, such as 127.0.0.1; --expose lets other machines in"
        )));
    }
    let mut profile = match &args.profile {
        Some(file) => Profile::read(file).map_err(Failure::of)?,
        None => Profile::default(),
    };
    profile.seed = args.seed.unwrap_or(profile.seed);
    let runtime = Runtime::new().map_err(Failure::of)?;
    let served = runtime.block_on(until_ended(args.listen, &profile));
    // A caller who waits for an answer that never comes must not keep the program.
    runtime.shutdown_timeout(SHUTDOWN);
    served
}

async fn until_ended(listen: SocketAddr, profile: &Profile) -> Result<(), Failure> {
    // Before the first line is printed: whoever reads it may end the program at once.
    let ended = Ended::new().map_err(Failure::of)?;
    let sim = Sim::new(profile).map_err(Failure::of)?;
    let taken = |error: io::Error| Failure(format!("--listen {listen}: {error}"));
    let listener = TcpListener::bind(listen).await.map_err(taken)?;
    let running = sim.listen(listener).map_err(taken)?;
    announce(running.addr(), listen.port() == 0)?;
    ended.wait().await;
    let _ = tokio::time::timeout(SHUTDOWN, running.stop()).await;
    Ok(())
}

/// Tells where it serves: somebody has to hear it, at least if the system chose the port.
fn announce(addr: SocketAddr, is_chosen: bool) -> Result<(), Failure> {
    let base = format!("http://{addr}");
    if stdout_is_lost() {
        if is_chosen && stderr_is_lost() {
            return Err(Failure(String::from(
                "standard output and standard error: closed or /dev/null, so nobody would learn the port",
            )));
        }
        note(&format!(
            "standard output: closed or /dev/null; it serves at {base}"
        ));
    }
    tell(&format!("{base}\n")).map_err(Failure::of)
}

/// Ctrl-C and SIGTERM.
struct Ended {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

// === impl Ended ===

impl Ended {
    #[cfg(unix)]
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    #[cfg(not(unix))]
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    fn new() -> io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(unix)]
    async fn wait(mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }

    #[cfg(not(unix))]
    async fn wait(self) {
        // Where it cannot be heard, only the system ends the program.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Longer than any answer but those that never come.
const SHUTDOWN: Duration = Duration::from_secs(1);
