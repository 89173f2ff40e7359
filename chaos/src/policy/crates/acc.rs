//! tower-acc's Vegas limit.
//!
//! In front of the work as in its README, with the README's smoothing of 0.5 and a first limit of twice the workers.
//! It holds 3 to 6 requests in the queue for limits up to 99. There is no least limit to set: its baseline is the
//! shortest time seen since it last looked anew, so with service times that vary much it lets in fewer than there
//! are workers.
//!
//! Checked: the README's claim that it raises the limit while the queue is short and lowers it when it is long.

use tower::Layer as _;
use tower_acc::{ConcurrencyLimitLayer, Vegas};

use super::{InFront, shedding, workers};
use crate::{policy::Policy, wire::LinkService};

/// Room for whatever the limit wants; the README's.
const MOST: usize = 500;

/// Returns the policy.
#[must_use]
pub fn policy() -> impl Policy {
    InFront(|place, work| {
        let first = workers(place) * 2;
        let vegas = Vegas::builder()
            .initial_limit(first)
            .max_limit(MOST.max(first))
            .smoothing(0.5)
            .build();
        shedding(ConcurrencyLimitLayer::new(vegas).layer(LinkService(work)))
    })
}
