//! What an instance does for a request, innermost of all: waits for a worker, works, makes its calls.

use std::{
    future,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use http::StatusCode;

use super::{
    At, Run,
    caller::Caller,
    lock,
    service_time::{sample, scale},
    toil::Begun,
    trouble::Trouble,
    workers::{Worker, Workers},
};
use crate::{
    policy::Waits,
    scenario::Service,
    wire::{Answer, Answering, Call, Exchange, Request, refuse, respond},
    world::Chance,
};

/// When a request arrived at the instance, since the start of the run; in its extensions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrived(pub(super) Duration);

/// The work of one instance, as a link.
pub(super) struct Work(pub(super) Arc<Desk>);

/// Where an instance works.
pub(super) struct Desk {
    pub(super) run: Run,
    pub(super) at: At,
    /// `None` for as many as come.
    workers: Option<Workers>,
    /// What the service times are drawn from.
    chance: Mutex<Chance>,
    /// Its speed as the scenario has it.
    speed: f64,
    /// Nanoseconds that refusals took, which the next to be served waits for.
    debt: AtomicU64,
    /// Told of waits for a worker.
    waits: Waits,
    /// One for each edge from here, in the scenario's order.
    callers: Vec<Caller>,
    pub(super) trouble: Option<Arc<Trouble>>,
    /// Whether the instance died: what was begun is not finished.
    over: AtomicBool,
}

impl Exchange for Work {
    fn send(&self, request: Request) -> Answering {
        let desk = Arc::clone(&self.0);
        let extensions = request.extensions();
        let arrived = extensions.get::<Arrived>().copied();
        // Of the request nothing else is looked at, and nothing kept.
        match extensions.get::<Call>().copied() {
            Some(call) => Box::pin(async move { desk.serve(call, arrived).await }),
            // Somebody on the way lost whose call it is.
            None => Box::pin(future::ready(Ok(respond(StatusCode::BAD_REQUEST)))),
        }
    }
}

impl Desk {
    /// An empty desk of the instance's `start`th start.
    pub(super) fn new(
        run: &Run,
        (at, start): (At, u32),
        callers: Vec<Caller>,
        (waits, trouble): (Waits, Option<Arc<Trouble>>),
    ) -> Self {
        let spec = &run.scenario.services[at.service];
        let number = super::stream(at.instance, start, at.service);
        Self {
            workers: spec
                .workers
                .map(|workers| Workers::new(workers, spec.queue)),
            chance: Mutex::new(Chance::new(run.seed, "service-time", number)),
            speed: spec.speed(at.instance),
            debt: AtomicU64::new(0),
            over: AtomicBool::new(false),
            run: run.clone(),
            at,
            waits,
            callers,
            trouble,
        }
    }

    /// Makes the next to be served wait so much longer.
    pub(super) fn owe(&self, debt: Duration) {
        let nanos = u64::try_from(debt.as_nanos()).unwrap_or(u64::MAX);
        self.debt.fetch_add(nanos, Ordering::Relaxed);
    }

    /// Nothing that was begun here is finished.
    pub(super) fn close(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    /// Returns whether that happened.
    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Returns the share of the work that burns the CPU where time is real.
    pub(super) fn cpu_share(&self) -> f64 {
        self.spec().cpu_share
    }

    fn spec(&self) -> &Service {
        &self.run.scenario.services[self.at.service]
    }

    async fn serve(self: &Arc<Self>, call: Call, arrived: Option<Arrived>) -> Answer {
        let asked = self.run.world.now();
        let arrived = arrived.map_or(asked, |arrived| arrived.0);
        let Ok(worker) = self.worker().await else {
            return Ok(refuse());
        };
        let now = self.run.world.now();
        let (service, recorder) = (self.at.service, &self.run.recorder);
        recorder.started(now, service, now.saturating_sub(arrived));
        self.waits.waited(now.saturating_sub(asked));

        // The worker is held until the response.
        let mut begun = Begun::new(self, call, worker, now, self.span());
        let _worker = begun.end().await;
        for caller in &self.callers {
            if !caller.make_calls(&call).await {
                return Ok(respond(StatusCode::INTERNAL_SERVER_ERROR));
            }
        }
        Ok(respond(StatusCode::OK))
    }

    async fn worker(&self) -> Result<Option<Worker>, super::workers::Full> {
        match &self.workers {
            Some(workers) => workers.take().await.map(Some),
            None => Ok(None),
        }
    }

    /// Draws how long the next request takes, refusals before it included.
    fn span(&self) -> Duration {
        let speed = self.trouble.as_ref().map_or(1.0, |trouble| trouble.speed());
        let drawn = sample(&self.spec().service_time, &mut lock(&self.chance));
        let debt = Duration::from_nanos(self.debt.swap(0, Ordering::Relaxed));
        scale(drawn, 1.0 / (self.speed * speed)) + debt
    }
}
