//! tower-acc's Vegas limit.
//!
//! In front of the work as in its README, with the README's smoothing of 0.5. It holds 3 to 6 requests in the queue for
//! limits up to 99. There is no least limit to set: its baseline is the shortest time seen since it last looked
//! anew, so with service times that vary much it lets in fewer than there are workers. When it looks anew it takes
//! the next request's time for the baseline, queue included, so in an overload that lasts it rises to its most.
//!
//! Checked: the README's claim that it raises the limit while the queue is short and lowers it when it is long.

use tower::Layer as _;
use tower_acc::{ConcurrencyLimitLayer, Vegas};

use super::{InFront, Limits, shedding};
use crate::{policy::Policy, wire::LinkService};

/// Returns the policy.
#[must_use]
pub fn policy() -> impl Policy {
    InFront(|_, limits, work| {
        shedding(ConcurrencyLimitLayer::new(vegas(limits)).layer(LinkService(work)))
    })
}

pub(super) fn vegas(limits: Limits) -> Vegas {
    Vegas::builder()
        .initial_limit(limits.least)
        .max_limit(limits.most)
        .smoothing(0.5)
        .build()
}
