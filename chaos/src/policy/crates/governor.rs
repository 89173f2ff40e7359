//! governor as a fixed quota, at what the instance can do.
//!
//! The quota is the capacity that the scenario says, so this is what a fixed quota can be at its best: nobody knows
//! that figure of a real service to the percent, and it stays as it is when an instance gets slow. A burst may be what
//! the workers hold and what is worked off within twice the threshold of queuing time; less would refuse requests
//! below the capacity. Instances without a bound of workers have no capacity, and get no quota.
//!
//! Checked: its README's claim that so many requests a second pass, evenly, and no more.

use std::{num::NonZeroU32, sync::Arc, time::Duration};

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};

use super::InFront;
use crate::{
    policy::{Place, Policy},
    wire::{Answering, Exchange, Link, Request, refuse},
};

/// Returns the policy.
#[must_use]
pub fn policy() -> impl Policy {
    InFront(|place, work| match quota(place) {
        Some(quota) => Arc::new(Limited {
            limit: RateLimiter::direct(quota),
            work,
        }),
        None => work,
    })
}

/// Work of which so much may be begun.
struct Limited {
    limit: DefaultDirectRateLimiter,
    work: Link,
}

impl Exchange for Limited {
    fn send(&self, request: Request) -> Answering {
        if self.limit.check().is_err() {
            return Box::pin(std::future::ready(Ok(refuse())));
        }
        self.work.send(request)
    }
}

/// Returns the capacity of an instance as a quota.
pub(super) fn quota(place: &Place<'_>) -> Option<Quota> {
    let spec = place.spec();
    let workers = spec.workers?;
    let instance = usize::try_from(place.instance).ok()?;
    let speed = spec.speeds.get(instance).copied().unwrap_or(1.0);
    let every = spec.service_time.mean().as_secs_f64() / f64::from(workers) / speed;
    let every = Duration::try_from_secs_f64(every).ok()?;
    let within = (place.scenario.threshold * 2).as_secs_f64() / every.as_secs_f64().max(1e-9);
    // Saturates.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates, and is not negative"
    )]
    let within = within as u32;
    let burst = NonZeroU32::new(workers.saturating_add(within))?;
    Some(Quota::with_period(every)?.allow_burst(burst))
}
