//! Work that was begun, which nobody can take back: it ends when it would have ended, even if the caller has
//! hung up.

use std::{sync::Arc, time::Duration};

use super::{work::Desk, workers::Worker};
use crate::wire::Call;

/// One request's work under way.
pub(super) struct Begun(Option<Toil>);

/// Time in which the instance stands still is no work: it is made up for in a leg of its own.
struct Toil {
    desk: Arc<Desk>,
    call: Call,
    worker: Option<Worker>,
    began: Duration,
    /// How long it takes, if the instance does not stand still.
    span: Duration,
    /// How long the current leg is, and from when; `None` while it waits for the instance to go on.
    leg: Duration,
    from: Option<Duration>,
    /// How long the instance had stood still when the leg began.
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
            leg: span,
            from: Some(began),
            stopped,
        }))
    }

    /// Works to the end and returns the worker, who still has the calls to make.
    pub(super) async fn end(mut self) -> Option<Worker> {
        if let Some(toil) = &mut self.0 {
            toil.work().await;
        }
        self.0.take().and_then(|toil| toil.worker)
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        let Some(mut toil) = self.0.take() else {
            return;
        };
        let world = toil.desk.run.world.clone();
        if toil.desk.is_over() {
            // The instance died and the work with it; what was done was done.
            let worked = world.now().saturating_sub(toil.began);
            toil.count(worked.min(toil.span));
            return;
        }
        world.spawn(async move { toil.work().await });
    }
}

impl Toil {
    /// Works to the end, from wherever it is, and has it counted.
    async fn work(&mut self) {
        let desk = Arc::clone(&self.desk);
        let (world, trouble) = (&desk.run.world, desk.trouble.as_ref());
        loop {
            let rest = self.begin_leg(&desk).await;
            world.work(rest, desk.cpu_share()).await;
            let Some(trouble) = trouble else { break };
            let stood_still = trouble.stopped_for(world.now());
            self.leg = stood_still.saturating_sub(self.stopped);
            if self.leg.is_zero() && !trouble.is_stopped() {
                break;
            }
            self.from = None;
        }
        if !desk.is_over() {
            self.count(self.span);
        }
    }

    /// Returns how long is left of the current leg, once the instance goes on.
    async fn begin_leg(&mut self, desk: &Desk) -> Duration {
        let from = match (self.from, &desk.trouble) {
            (None, Some(trouble)) => {
                trouble.resumed().await;
                let now = desk.run.world.now();
                self.stopped = trouble.stopped_for(now);
                self.from = Some(now);
                now
            }
            (from, _) => from.unwrap_or(self.began),
        };
        let until = from.saturating_add(self.leg);
        until.saturating_sub(desk.run.world.now())
    }

    fn count(&self, worked: Duration) {
        let (now, service) = (self.desk.run.world.now(), self.desk.at.service);
        let recorder = &self.desk.run.recorder;
        recorder.served(now, service, worked, &self.call);
    }
}
