//! governor as a fixed quota, at what the instance can do.
//!
//! The quota is 0.95 of the capacity that the scenario says; at the capacity itself the queue of service times that
//! vary has no bound (measured: 0.31 of the optimum instead of 0.72, two calls a task at twice the capacity). This is
//! what a fixed quota can be at its best: nobody knows that figure of a real service to the percent, and it stays as
//! it is when an instance gets slow. A burst may be as much as the other limits begin with.
//!
//! Checked: its README's claim that so many requests a second pass, evenly, and no more.

use std::{num::NonZeroU32, sync::Arc, time::Duration};

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};

use super::{InFront, Limits};
use crate::{
    policy::{Place, Policy},
    wire::{Answering, Exchange, Link, Request, refuse},
};

/// Returns the policy.
#[must_use]
pub fn policy() -> impl Policy {
    InFront(|place, limits, work| match quota(place, limits) {
        Some(quota) => Arc::new(Limited {
            limit: RateLimiter::direct(quota),
            work,
        }),
        None => work,
    })
}

/// The quota by the capacity.
const SHARE: f64 = 0.95;

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

/// Returns the quota of an instance; `None` if its work takes no time.
pub(super) fn quota(place: &Place<'_>, limits: Limits) -> Option<Quota> {
    let spec = place.spec();
    let workers = u32::try_from(limits.workers).ok()?;
    let instance = usize::try_from(place.instance).ok()?;
    let speed = spec.speeds.get(instance).copied().unwrap_or(1.0);
    let every = spec.service_time.mean().as_secs_f64() / f64::from(workers) / speed / SHARE;
    let every = Duration::try_from_secs_f64(every).ok()?;
    let burst = u32::try_from(limits.least).ok().and_then(NonZeroU32::new)?;
    Some(Quota::with_period(every)?.allow_burst(burst))
}
