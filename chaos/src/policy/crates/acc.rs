//! tower-acc's Vegas limit.
//!
//! In front of the work as in its README, with the README's smoothing of 0.5. It holds 3 to 6 requests in the queue for
//! limits up to 99. Two traits of it had to be met. Its baseline is the shortest time seen since it last looked anew,
//! so with service times that vary it lets in fewer than there are workers (0.50 of the optimum, one call a task at
//! twice the capacity); it has no least limit to set, so one is put around it, as an algorithm of one's own. And when it
//! looks anew it takes the next request's time for the baseline, queue included, so in an overload that lasts it rises
//! to its most; that is set.
//!
//! Checked: the README's claim that it raises the limit while the queue is short and lowers it when it is long.

use std::time::Duration;

use tower::Layer as _;
use tower_acc::{Algorithm, ConcurrencyLimitLayer, Vegas};

use super::{InFront, Limits, shedding};
use crate::{policy::Policy, wire::LinkService};

/// Returns the policy.
#[must_use]
pub fn policy() -> impl Policy {
    InFront(|_, limits, work| {
        let least = AtLeast {
            limit: limits.least,
            inner: vegas(limits),
        };
        shedding(ConcurrencyLimitLayer::new(least).layer(LinkService(work)))
    })
}

pub(super) fn vegas(limits: Limits) -> Vegas {
    Vegas::builder()
        .initial_limit(limits.least)
        .max_limit(limits.most)
        .smoothing(0.5)
        .build()
}

/// An algorithm whose limit is at least so much.
#[derive(Clone, Debug)]
pub(super) struct AtLeast<A> {
    pub(super) limit: usize,
    pub(super) inner: A,
}

impl<A: Algorithm> Algorithm for AtLeast<A> {
    fn max_concurrency(&self) -> usize {
        self.inner.max_concurrency().max(self.limit)
    }

    fn update(&mut self, rtt: Duration, num_inflight: usize, is_error: bool, is_canceled: bool) {
        self.inner.update(rtt, num_inflight, is_error, is_canceled);
    }
}
