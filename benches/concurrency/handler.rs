//! Four kinds of work, as handlers do it.

use std::{sync::Arc, time::Duration};

use axum::{
    Extension, Router,
    http::{HeaderName, HeaderValue},
    routing::get,
};
use tokio::{sync::Semaphore, time::sleep};

use crate::overload::{service::Arrived, work::Work};

/// What a handler spends its time on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// 1 ms of arithmetic, without ever awaiting.
    Cpu,
    /// 0.1 ms of arithmetic and 50 ms of waiting for somebody else.
    Io,
    /// 0.5 ms of arithmetic before and after 5 ms of waiting.
    Mixed,
    /// 20 ms with one of ten connections of a pool.
    Pool,
}

/// A handler of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Handler {
    kind: Kind,
    work: Work,
    pool: Arc<Semaphore>,
}

/// Connections in the pool.
const POOL: usize = 10;

impl Kind {
    pub(crate) const ALL: [Self; 4] = [Self::Cpu, Self::Io, Self::Mixed, Self::Pool];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Io => "io",
            Self::Mixed => "mixed",
            Self::Pool => "pool",
        }
    }

    /// The fixed number of permits that the guide recommends.
    pub(crate) const fn permits(self, workers: usize) -> usize {
        match self {
            Self::Cpu => 2 * workers,
            Self::Io => 400 * workers,
            Self::Mixed => 16 * workers,
            Self::Pool => POOL * 12 / 10,
        }
    }

    /// Calls under way that keep the service busy all the time.
    pub(crate) const fn outstanding(self, workers: usize) -> u32 {
        let one = match self {
            Self::Cpu => 16,
            Self::Io => 400,
            Self::Mixed => 64,
            Self::Pool => 20,
        };
        match workers {
            1 => one,
            _ => 2 * one,
        }
    }
}

impl Handler {
    pub(crate) fn new(kind: Kind, work: Work) -> Self {
        Self {
            kind,
            work,
            pool: Arc::new(Semaphore::new(POOL)),
        }
    }

    pub(crate) fn into_router(self) -> Router {
        let handle = move |Extension(arrived): Extension<Arrived>| {
            let handler = self.clone();
            async move { handler.handle(arrived).await }
        };
        Router::new().route("/", get(handle))
    }

    async fn handle(self, arrived: Arrived) -> ([(HeaderName, HeaderValue); 2], &'static str) {
        let waits = arrived.waits();
        match self.kind {
            Kind::Cpu => self.work.burn(),
            Kind::Io => {
                self.work.burn_share(10);
                sleep(Duration::from_millis(50)).await;
            }
            Kind::Mixed => {
                self.work.burn_share(2);
                sleep(Duration::from_millis(5)).await;
                self.work.burn_share(2);
            }
            Kind::Pool => {
                // Never closed.
                let _connection = self.pool.acquire().await;
                sleep(Duration::from_millis(20)).await;
            }
        }
        (waits, "done\n")
    }
}
