//! One instance of a service, from its start to its end.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use super::{
    Receiving, Run, lock,
    quota::{Quota, throttle},
    work::{Arrived, Desk},
};
use crate::{
    policy::Served,
    wire::{Answer, Request, is_refusal},
};

/// An instance: a policy around its work, and what is counted at its door.
pub(super) struct Instance {
    run: Run,
    service: usize,
    served: Served,
    desk: Arc<Desk>,
    quota: Option<Mutex<Quota>>,
    /// What refusing one request costs.
    refusal: Duration,
}

impl Instance {
    /// An instance that works at `desk`, behind `served`.
    pub(super) fn new(run: &Run, desk: Arc<Desk>, served: Served) -> Self {
        let service = desk.at.service;
        let spec = &run.scenario.services[service];
        let refusal = run.scenario.refusal_cost;
        Self {
            run: run.clone(),
            service,
            served,
            quota: spec.quota.map(|rate| Mutex::new(Quota::new(rate))),
            refusal: super::service_time::scale(spec.service_time.mean(), refusal),
            desk,
        }
    }

    /// Serves a request, or refuses to.
    pub(super) fn receive(self: Arc<Self>, mut request: Request) -> Receiving {
        let now = self.run.world.now();
        self.run.recorder.arrived(now, self.service);
        if self.is_over_quota(now) {
            self.refused();
            return Receiving::answered(Ok(throttle()));
        }
        request.extensions_mut().insert(Arrived(now));
        let answering = self.served.link.send(request);
        Receiving::served(self, answering)
    }

    /// It has answered.
    pub(super) fn answers(&self, answer: &Answer) {
        if answer.as_ref().is_ok_and(is_refusal) {
            self.refused();
        }
    }

    /// Returns how open it is, if it has a policy with such a thing.
    pub(super) fn level(&self) -> Option<f64> {
        self.served.level.as_ref().map(|level| level())
    }

    /// It dies: what was begun is not finished.
    pub(super) fn end(&self) {
        self.desk.close();
    }

    fn is_over_quota(&self, now: Duration) -> bool {
        let quota = self.quota.as_ref();
        quota.is_some_and(|quota| !lock(quota).take(now))
    }

    fn refused(&self) {
        self.run
            .recorder
            .refused(self.run.world.now(), self.service);
        self.desk.owe(self.refusal);
    }
}
