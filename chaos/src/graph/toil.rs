//! Work that was begun, which nobody can take back: it ends when it would have ended, even if the caller has
//! hung up.

use std::{sync::Arc, time::Duration};

use super::{work::Desk, workers::Worker};
use crate::wire::Call;

/// One request's work under way.
pub(super) struct Begun(Option<Toil>);

struct Toil {
    desk: Arc<Desk>,
    call: Call,
    worker: Option<Worker>,
    began: Duration,
    /// How long it takes, if the instance is not stopped.
    span: Duration,
    /// How long the instance had been stopped when it began.
    stopped: Duration,
}

impl Begun {
    /// Begins to work `span` for this call.
    pub(super) fn new(
        desk: &Arc<Desk>,
        call: Call,
        worker: Option<Worker>,
        began: Duration,
        span: Duration,
    ) -> Self {
        let trouble = desk.trouble.as_ref();
        let stopped = trouble.map_or(Duration::ZERO, |trouble| trouble.stopped_for(began));
        Self(Some(Toil {
            desk: Arc::clone(desk),
            call,
            worker,
            began,
            span,
            stopped,
        }))
    }

    /// Works to the end and returns the worker, who still has the calls to make.
    pub(super) async fn end(mut self) -> Option<Worker> {
        if let Some(toil) = &self.0 {
            toil.work(toil.span).await;
        }
        self.0.take().and_then(|toil| toil.worker)
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        let Some(toil) = self.0.take() else { return };
        let world = toil.desk.run.world.clone();
        let worked = world.now().saturating_sub(toil.began);
        if toil.desk.is_over() {
            // The instance died and the work with it; what was done was done.
            toil.count(worked.min(toil.span));
            return;
        }
        let rest = toil.span.saturating_sub(worked);
        world.spawn(async move { toil.work(rest).await });
    }
}

impl Toil {
    /// Works for `rest`, makes up for the time in which the instance stood still, and has it counted.
    async fn work(&self, rest: Duration) {
        let world = &self.desk.run.world;
        world.work(rest, self.desk.cpu_share()).await;
        if let Some(trouble) = &self.desk.trouble {
            let mut made_up = self.stopped;
            loop {
                trouble.resumed().await;
                let stopped = trouble.stopped_for(world.now());
                let owed = stopped.saturating_sub(made_up);
                if owed.is_zero() {
                    break;
                }
                made_up = stopped;
                world.work(owed, self.desk.cpu_share()).await;
            }
        }
        if !self.desk.is_over() {
            self.count(self.span);
        }
    }

    fn count(&self, worked: Duration) {
        let (now, service) = (self.desk.run.world.now(), self.desk.at.service);
        let recorder = &self.desk.run.recorder;
        recorder.served(now, service, worked, &self.call);
    }
}
