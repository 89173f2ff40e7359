//! One call: on whose behalf it is made, and what is owed once it is sent.

use std::{sync::Arc, time::Duration};

use http::{Extensions, HeaderMap, Response};

use super::{
    Callee, Refused, Sign,
    levels::{Instance, Outstanding},
};
use crate::{
    priority::{Business, Priority, Progress},
    task::Task,
    wire::{self, DemandField, LevelField, Outcome, PriorityField, Reading},
};

/// On whose behalf a call is made.
#[derive(Debug)]
pub(super) struct Caller {
    priority: Priority,
    progress: Progress,
    pub(super) task: Option<Task>,
}

/// A call that was sent. Outstanding until it is settled or dropped.
#[derive(Debug)]
pub(super) struct Sent {
    callee: Callee,
    outstanding: Outstanding,
    /// Told when it is served.
    task: Option<Task>,
    /// The counts of withheld calls it carries; given back if it does not arrive.
    demand: Vec<(u8, u16)>,
}

// === impl Caller ===

impl Caller {
    /// Returns the caller of a request with these extensions: their [`Task`], else the current one, else
    /// the [`Priority`] among them, else the default.
    pub(super) fn of(extensions: &Extensions, callee: &Callee) -> Self {
        match extensions.get().cloned().or_else(Task::current) {
            Some(task) => Self::task(task, callee),
            None => Self::priority(
                extensions
                    .get()
                    .copied()
                    .unwrap_or_else(|| callee.default_priority()),
            ),
        }
    }

    pub(super) fn task(task: Task, callee: &Callee) -> Self {
        Self {
            priority: task.priority(),
            progress: task.progress(callee.name()),
            task: Some(task),
        }
    }

    pub(super) const fn priority(priority: Priority) -> Self {
        Self {
            priority,
            progress: Progress::New,
            task: None,
        }
    }

    pub(super) const fn rank(&self) -> (Priority, Progress) {
        (self.priority, self.progress)
    }

    /// Returns what the request says of itself; what is left of its time is zero after the deadline.
    pub(super) fn field(&self, now: Duration) -> PriorityField {
        let deadline = self.task.as_ref().and_then(Task::deadline);
        PriorityField {
            priority: self.priority,
            progress: self.progress,
            budget: deadline.map(|deadline| deadline.saturating_sub(now)),
        }
    }
}

// === impl Sent ===

impl Sent {
    pub(super) fn new(callee: &Callee, instance: &Arc<Instance>, task: Option<Task>) -> Self {
        Self {
            callee: callee.clone(),
            outstanding: instance.send(),
            task,
            demand: Vec::new(),
        }
    }

    pub(super) const fn instance(&self) -> &Arc<Instance> {
        self.outstanding.instance()
    }

    /// Takes what was withheld from the instance and attaches it, instead of any there is.
    pub(super) fn attach_demand(&mut self, headers: &mut HeaderMap) {
        let demand = &mut self.demand;
        let instance = self.outstanding.instance();
        instance.take_withheld(|business, count| demand.push((business, count)));
        let names = self.callee.names();
        if demand.is_empty() {
            headers.remove(names.demand.header());
            return;
        }
        let counts = demand.iter().map(|&(b, n)| (Business::new(b), n.into()));
        wire::write_demand(headers, names, &DemandField::from_iter(counts));
    }

    /// Notes a response and the level it carries; marks it if the callee refused.
    pub(super) fn answered<B>(self, response: &mut Response<B>) {
        match wire::read_level(response.headers(), self.callee.names()) {
            Reading::Valid(field) => self.heard(&field, response.extensions_mut()),
            Reading::Absent => self.answered_without_level(response.status()),
            Reading::Ignored(fault) => {
                let observers = self.callee.observers();
                observers.tell(|o| o.field_ignored(self.callee.name(), fault));
                self.answered_without_level(response.status());
            }
        }
    }

    /// Notes that no response came: what the call carried is given back.
    pub(super) fn failed(self) {
        for &(business, count) in &self.demand {
            self.instance().give_back(business, count);
        }
    }

    /// Notes what feedback made of the result.
    pub(super) fn classified(self, sign: Sign) {
        let now = self.callee.now();
        let instance = self.instance();
        instance.answered(now);
        if sign == Sign::Served {
            self.mark_served();
        }
        let inference = self.callee.inference(instance, now);
        let level = inference.settle(sign, self.callee.longest_hold(), now);
        self.callee.level_moved(instance, level);
    }

    fn heard(self, field: &LevelField, extensions: &mut Extensions) {
        let instance = self.instance();
        let now = self.callee.now();
        if instance.hear(field.level, field.waiting, field.running, now) {
            self.callee.tell_level(instance, field.level);
        }
        match field.outcome {
            Outcome::Processed => self.mark_served(),
            Outcome::Shed => {
                extensions.insert(Refused::new(self.callee.shared_name(), instance));
            }
        }
    }

    /// A callee without level serves what it answers, unless the status says that it was too busy.
    fn answered_without_level(self, status: http::StatusCode) {
        let instance = self.instance();
        if instance.answered_without_level(self.callee.now(), self.callee.ttl()) {
            self.callee.tell_level(instance, instance.level());
        }
        if !status.is_server_error() && status != http::StatusCode::TOO_MANY_REQUESTS {
            self.mark_served();
        }
    }

    fn mark_served(&self) {
        if let Some(task) = &self.task {
            task.mark_served(self.callee.shared_name());
        }
    }
}
