//! Work that was begun, which nobody can take back: it ends when it would have ended, even if the caller has
//! hung up.

use std::{sync::Arc, time::Duration};

use super::{trouble::Trouble, work::Desk, workers::Worker};
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
    pub(super) async fn end(&mut self) -> Option<Worker> {
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
        match self.desk.trouble.clone() {
            None => {
                let world = &self.desk.run.world;
                let rest = (self.began + self.span).saturating_sub(world.now());
                world.work(rest, self.desk.cpu_share()).await;
            }
            // In a box, so that no room is kept for it where nothing goes wrong.
            Some(trouble) => Box::pin(self.work_in_trouble(&trouble)).await,
        }
        if !self.desk.is_over() {
            self.count(self.span);
        }
    }

    /// Works one leg after the other.
    async fn work_in_trouble(&mut self, trouble: &Trouble) {
        let desk = Arc::clone(&self.desk);
        let world = &desk.run.world;
        loop {
            let from = match self.from {
                Some(from) => from,
                None => self.go_on(trouble).await,
            };
            let rest = (from + self.leg).saturating_sub(world.now());
            world.work(rest, desk.cpu_share()).await;
            self.leg = trouble
                .stopped_for(world.now())
                .saturating_sub(self.stopped);
            if self.leg.is_zero() && !trouble.is_stopped() {
                return;
            }
            self.from = None;
        }
    }

    /// Waits until the instance goes on, when the next leg begins.
    async fn go_on(&mut self, trouble: &Trouble) -> Duration {
        trouble.resumed().await;
        let now = self.desk.run.world.now();
        self.stopped = trouble.stopped_for(now);
        self.from = Some(now);
        now
    }

    fn count(&self, worked: Duration) {
        let (now, service) = (self.desk.run.world.now(), self.desk.at.service);
        let recorder = &self.desk.run.recorder;
        recorder.served(now, service, worked, &self.call);
    }
}
