//! tower-resilience's adaptive limits, AIMD and Vegas.
//!
//! From `tower-resilience-adaptive`, in front of the work as in its README. AIMD adds 1 to the limit for each request
//! that is done in time and multiplies it for each that is late. Late is here what waits longer than five thresholds, which
//! comes to the README's 100 ms where a service is quick; the factor is 0.9, since the default of 0.5 is applied once
//! for *each* of the requests that are late together, and empties the instance. Vegas
//! holds a queue between alpha and beta: the number of workers and twice that, at least the README's 3 and 6. Its
//! baseline is the shortest time ever seen, so with service times that vary it ends at its least limit.
//!
//! Checked: the README's claims that the limit grows while requests are in time and falls when they are late, and
//! that Vegas keeps a short queue.

use tower::Layer as _;
use tower_resilience_adaptive::{AdaptiveLimiterLayer, Aimd, ConcurrencyAlgorithm, Vegas};

use super::{InFront, Limits, shedding};
use crate::{
    policy::Policy,
    wire::{Link, LinkService},
};

/// Returns the AIMD limit as a policy.
#[must_use]
pub fn aimd() -> impl Policy {
    InFront(|_, limits, work| limited(additive(limits), work))
}

/// Returns the Vegas limit as a policy.
#[must_use]
pub fn vegas() -> impl Policy {
    InFront(|_, limits, work| limited(queueing(limits), work))
}

pub(super) fn additive(limits: Limits) -> Aimd {
    let aimd = Aimd::builder()
        .initial_limit(limits.least)
        .min_limit(limits.least)
        .max_limit(limits.most)
        .increase_by(1)
        .decrease_factor(0.9)
        .latency_threshold(limits.late)
        .build();
    let Ok(aimd) = aimd else {
        unreachable!("the least is not above the most, the step not 0, the factor below 1");
    };
    aimd
}

pub(super) fn queueing(limits: Limits) -> Vegas {
    let vegas = Vegas::builder()
        .initial_limit(limits.least)
        .min_limit(limits.least)
        .max_limit(limits.most)
        .alpha(limits.workers.max(3))
        .beta((limits.workers * 2).max(6))
        .build();
    let Ok(vegas) = vegas else {
        unreachable!("the least is not above the most");
    };
    vegas
}

fn limited(algorithm: impl ConcurrencyAlgorithm + 'static, work: Link) -> Link {
    shedding(AdaptiveLimiterLayer::new(algorithm).layer(LinkService(work)))
}
