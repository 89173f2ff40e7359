//! tower-resilience's adaptive limits, AIMD and Vegas.
//!
//! From `tower-resilience-adaptive`, in front of the work as in its README. AIMD adds 1 to the limit for each request
//! that is done in time and multiplies it for each that is late. Late is here what waits longer than five thresholds, which
//! comes to the README's 100 ms where a service is quick; the factor is 0.9, since the default of 0.5 is applied once
//! for *each* of the requests that are late together, and empties the instance. Vegas
//! holds a queue between alpha and beta: the number of workers and twice that, at least the README's 3 and 6. Its
//! baseline is the shortest time ever seen, so with service times that vary it ends at its least limit, the workers.
//!
//! Checked: the README's claims that the limit grows while requests are in time and falls when they are late, and
//! that Vegas keeps a short queue.

use tower::Layer as _;
use tower_resilience_adaptive::{AdaptiveLimiterLayer, Aimd, ConcurrencyAlgorithm, Vegas};

use super::{InFront, late, most, shedding, workers};
use crate::{
    policy::{Place, Policy},
    wire::{Link, LinkService},
};

/// Returns the AIMD limit as a policy.
#[must_use]
pub fn aimd() -> impl Policy {
    InFront(|place, work| limited(additive(place), work))
}

/// Returns the Vegas limit as a policy.
#[must_use]
pub fn vegas() -> impl Policy {
    InFront(|place, work| limited(queueing(place), work))
}

pub(super) fn additive(place: &Place<'_>) -> Aimd {
    let workers = workers(place);
    let aimd = Aimd::builder()
        .initial_limit(workers * 2)
        .min_limit(workers)
        .max_limit(most(place))
        .increase_by(1)
        .decrease_factor(0.9)
        .latency_threshold(late(place))
        .build();
    let Ok(aimd) = aimd else {
        unreachable!("the least is not above the most, the step not 0, the factor below 1");
    };
    aimd
}

pub(super) fn queueing(place: &Place<'_>) -> Vegas {
    let workers = workers(place);
    let vegas = Vegas::builder()
        .initial_limit(workers * 2)
        .min_limit(workers)
        .max_limit(most(place))
        .alpha(workers.max(3))
        .beta((workers * 2).max(6))
        .build();
    let Ok(vegas) = vegas else {
        unreachable!("the least is not above the most");
    };
    vegas
}

fn limited(algorithm: impl ConcurrencyAlgorithm + 'static, work: Link) -> Link {
    shedding(AdaptiveLimiterLayer::new(algorithm).layer(LinkService(work)))
}
