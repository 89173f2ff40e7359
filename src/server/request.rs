//! What a request says of itself, and what is made of it when it says nothing or nonsense.

use std::time::Duration;

use http::Request;

use crate::{
    admission::Shared,
    config::{RequestStart, Settings},
    priority::Progress,
    queuing_time::{Arrival, Waits, stamp},
    task::Task,
    wire::{self, PriorityField, Reading},
};

/// Everything the decision needs.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) task: Task,
    pub(super) progress: Progress,
    /// The moment after which the caller does not wait any more.
    pub(super) deadline: Option<Duration>,
    /// What the request waited before it reached the layer, as far as can be seen.
    pub(super) waited: Duration,
}

impl Facts {
    /// Reads the request's fields; counts its caller's demand and every field that cannot be used.
    pub(super) fn read<B>(
        request: &Request<B>,
        shared: &Shared,
        settings: &Settings,
        arrival: Option<Arrival>,
        now: Duration,
    ) -> Self {
        if let Some(arrival) = arrival {
            shared.note_stamped(arrival.total());
        }
        let seen = Self::seen(request, shared, settings, arrival);
        let waited = seen.or_else(|| shared.outside_wait()).unwrap_or_default();
        match wire::read_demand(request.headers(), shared.names()) {
            Reading::Valid(demand) => shared.note_withheld(&demand),
            Reading::Ignored(fault) => shared.note_fault(fault),
            Reading::Absent => {}
        }
        // Set by the entry layer of this process: nothing from outside can be in the extensions.
        if let Some(task) = request.extensions().get::<Task>() {
            let (task, deadline) = (task.clone(), task.deadline());
            // The entry leaves the field only of a peer that it trusts.
            let field = wire::read_priority(request.headers(), shared.names()).valid();
            return Self {
                task,
                progress: field.map_or(Progress::New, |field| field.progress),
                deadline,
                waited,
            };
        }
        let field = match wire::read_priority(request.headers(), shared.names()) {
            Reading::Valid(field) => field,
            Reading::Ignored(fault) => {
                shared.note_fault(fault);
                Self::unknown(shared, settings)
            }
            Reading::Absent => Self::unknown(shared, settings),
        };
        // The budget was counted when the caller sent; what it waited since is gone, as far as it was seen: an
        // estimate must not refuse anybody.
        let left = |budget: Duration| budget.saturating_sub(seen.unwrap_or_default());
        let deadline = field.budget.map(|budget| now.saturating_add(left(budget)));
        let task = Task::lone(field.priority).with_deadline(deadline);
        Self {
            task,
            progress: field.progress,
            deadline,
            waited,
        }
    }

    fn unknown(shared: &Shared, settings: &Settings) -> PriorityField {
        let priority = shared.unknown(settings.default_business);
        PriorityField {
            priority,
            progress: Progress::New,
            budget: None,
        }
    }

    /// Returns what this request waited before it reached the layer, if that can be seen.
    fn seen<B>(
        request: &Request<B>,
        shared: &Shared,
        settings: &Settings,
        arrival: Option<Arrival>,
    ) -> Option<Duration> {
        let stamp = match settings.request_start {
            RequestStart::Ignored => None,
            RequestStart::Trusted => {
                let stamp = stamp::request_start(request.headers(), shared.clock());
                stamp.unwrap_or_else(|fault| {
                    shared.note_fault(fault);
                    None
                })
            }
        };
        Waits { arrival, stamp }.before_layer(None)
    }
}
