//! Rejector, queue and scheduler.

use std::time::Duration;

use super::{
    Tuning,
    controller::{Controller, Flow},
    limit::Limit,
    recent::Recent,
};
use crate::policy::{
    pace::{Pace, number},
    peer::{Arrival, Gatekeeper, Verdict},
};

/// The callee's side, which is all of it.
#[derive(Clone, Debug)]
pub struct Shedder {
    tuning: Tuning,
    limit: Limit,
    pace: Pace,
    recent: Recent,
    controller: Controller,
    /// The last priority that is let through.
    cut: u32,
    flow: Flow,
    running: usize,
}

impl Shedder {
    pub(crate) const fn new(tuning: Tuning, workers: usize) -> Self {
        Self {
            tuning,
            limit: Limit::new(workers),
            pace: Pace::new(),
            recent: Recent::new(tuning.recent),
            controller: Controller::new(tuning),
            cut: u32::MAX,
            flow: Flow {
                came: 0.0,
                ran: 0.0,
                idle: 0.0,
            },
            running: 0,
        }
    }
}

/// Tier and cohort; smaller is more important.
fn priority(request: &Arrival) -> u32 {
    u32::from(request.call.number) << 7 | u32::from(request.call.place >> 8)
}

impl Gatekeeper for Shedder {
    fn arrive(&mut self, _: Duration, request: &Arrival, _: usize, _: usize) -> Verdict {
        let priority = priority(request);
        self.recent.count(priority);
        if priority > self.cut {
            return Verdict::Refuse;
        }
        self.flow.came += 1.0;
        Verdict::Queue(priority.into())
    }

    fn slots(&self) -> usize {
        self.limit.get()
    }

    fn queue_bound(&self) -> usize {
        self.pace.line(self.tuning.queue, self.limit.get())
    }

    fn start(&mut self, now: Duration, request: &Arrival, _: usize) -> bool {
        let left = request.call.deadline.saturating_sub(request.at);
        if now > request.at + left.mul_f64(self.tuning.age) {
            return false;
        }
        self.flow.ran += 1.0;
        self.running += 1;
        true
    }

    fn finish(&mut self, now: Duration, _: &Arrival, began: Duration, served: bool) {
        self.running -= 1;
        if served {
            let took = now.saturating_sub(began);
            self.pace.note(took);
            self.limit.ran(now, took, self.running);
        }
    }

    fn period(&self) -> Option<Duration> {
        Some(self.tuning.period)
    }

    fn tick(&mut self, _: Duration, _: usize, running: usize) {
        let most = self.limit.get();
        let idle = number(most.saturating_sub(running));
        self.flow.idle = idle * self.pace.in_span(self.tuning.period);
        let ratio = self.controller.step(self.flow, number(most));
        self.cut = self.recent.cut(ratio);
        self.flow = Flow::default();
    }

    fn level(&self) -> f64 {
        1.0 - self.controller.ratio()
    }
}
