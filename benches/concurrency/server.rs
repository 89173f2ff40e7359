//! The handler behind a limit, on a runtime of its own.

use std::{net::Ipv4Addr, time::Duration};

use dagor::{Admission, Concurrency};
use tokio::{net::TcpListener, runtime::Runtime};

use crate::{
    handler::Handler,
    overload::{BoxError, cores::Cores, service},
};

/// A running server; ends when dropped.
pub(crate) struct Server {
    runtime: Option<Runtime>,
    address: std::net::SocketAddr,
    admission: Option<Admission>,
}

impl Server {
    pub(crate) fn start(
        handler: Handler,
        limit: Option<Concurrency>,
        workers: usize,
        cores: Cores,
    ) -> Result<Self, BoxError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(workers)
            .on_thread_start(move || {
                if workers == 1 {
                    cores.pin_server();
                }
            })
            .enable_all()
            .build()?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
        let address = listener.local_addr()?;
        let mut app = handler.into_router();
        let mut admission = None;
        if let Some(limit) = limit {
            let made = Admission::builder("bench").concurrency(limit).build()?;
            app = app.layer(made.layer());
            admission = Some(made);
        }
        let app = service::stamped(app);
        runtime.spawn(async move { axum::serve(listener, app).await });
        Ok(Self {
            runtime: Some(runtime),
            address,
            admission,
        })
    }

    pub(crate) const fn address(&self) -> std::net::SocketAddr {
        self.address
    }

    /// Permits now, if they are limited.
    pub(crate) fn permits(&self) -> Option<usize> {
        self.admission.as_ref()?.snapshot().permits
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(1));
        }
    }
}
