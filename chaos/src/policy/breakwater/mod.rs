//! Breakwater: credits that the callee issues to its callers (Cho et al., OSDI 2020, and their `bw_server.c`,
//! `bw_client.c`, `bw2_server.c`).
//!
//! A caller spends a credit for each request under way and withholds without; with a request it says how many
//! it has under way and how many it withheld since the last one, its demand. The callee keeps a pool of credits. Once a
//! round it looks at how long the oldest request has waited, d, and compares with the target, t: below, the
//! pool grows by A for each caller; above, it shrinks by the share B (d - t) / t, by half at most. Every answer, drops
//! included, tells the caller its credits: what it has under way and wants, and on top of it an equal share of what
//! nobody holds, at least 1 (overcommitment: callers are assumed to want more than they said). When the delay
//! reaches twice the target requests are dropped as they come.
//!
//! # What is different
//!
//! - Their clients let a request wait up to a given time for a credit. A sender here decides at once, so the call is
//!   withheld. The pool makes up for credits that are idle meanwhile: it grows until the delay is at the target.
//! - Their server wakes clients that ran out of credits with a message of its own. Here there are only answers. So
//!   nobody is ever without: with more callers than credits each has a fraction of one, 1 / n, and paces itself, one
//!   request for each n times that an answer takes, of which it may be two behind.
//! - Callers that were silent for a second are forgotten, for connections do not end here.
//!
//! # How it was tuned
//!
//! For milliseconds instead of microseconds, in the reference cells (see [`sre`](super::sre)). Their 10 us round is
//! their round trip, and their targets (80 us for 10 us of service, 500 for 100) are some services long. Here a
//! round trip is 1 ms, a service 40. Rounds of 1, 2, 5, 10 ms; growth of 0.05, 0.1, 0.2, 0.3, 0.5, 1 credit a round and
//! A of 0.001 (theirs) and 0.01; B of 0.01, 0.02 (theirs), 0.05, 0.1, 0.2; targets of 10, 20, 30, 35, 40 ms, drops
//! at 2 to 4 times; pools of 2, 3, 4, 5, 8 times the slots; 4 and 8 credits to begin with; depths of 1, 2, 3.
//! The slow, gentle end is best: twice the growth costs 0.4 % and triples the drops. A target of twice the
//! threshold that others keep (40 ms, drops at 80) gives single calls 0.98 of the optimum at 1.33 times the
//! capacity and 1.00 from 2 on, with a mean wait below 40 ms; 20 ms costs 2.5 % up to 1.33, 30 ms 1 %. A of
//! 0.01 and a depth of 2 do nothing with 3 callers; with 100 they lift the mix at twice the capacity from 0.51 to
//! 0.67. Pools above 5 times the slots only lengthen the queue after a step, smaller ones withhold calls without
//! overload. Credits know no tasks, so tasks of several calls lose some of them: 0.65 of the optimum for 4 calls at
//! twice the capacity, 0.22 at 10 times.
//!
//! # What is tested
//!
//! The claim of the abstract: from a spike to 1.4 times the capacity it is back within 20 ms, 2,000 round trips (here
//! 2 s, and it is: within 1 s); the delay stays below twice the target; hardly anything is dropped by the callee. And
//! that credits go where there is demand, and that many callers with few calls each are controlled too.

mod issuer;
mod purse;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use self::{issuer::Issuer, purse::Purse};
use super::{pace, peer::Peer};

/// Returns the policy.
#[must_use]
pub fn policy() -> Peer<Issuer, Purse> {
    Peer::both(
        |place| Issuer::new(Tuning::of(place.scenario.threshold), pace::slots(place)),
        |place, _| {
            let name = format!("{}.{}.{}", place.service, place.instance, place.start);
            Purse::new(Tuning::of(place.scenario.threshold), name)
        },
    )
}

/// The constants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tuning {
    /// Target of the queuing delay, t.
    pub(crate) target: Duration,
    /// The delay at which requests are dropped.
    pub(crate) drop: Duration,
    /// How often the pool changes.
    pub(crate) round: Duration,
    /// A: what it grows by in a round, for each caller.
    pub(crate) growth: f64,
    /// What it grows by at least.
    pub(crate) least_growth: f64,
    /// B: the share that it shrinks by in a round when the delay is twice the target.
    pub(crate) cut: f64,
    /// How large it gets, by the slots of the instance; at least 2 for each caller.
    pub(crate) largest: f64,
    /// Credits of a caller that has not heard yet.
    pub(crate) first: f64,
    /// How many requests a caller with less than one credit may make up for.
    pub(crate) depth: f64,
    /// How long callee and caller remember what they heard of each other.
    pub(crate) memory: Duration,
}

impl Tuning {
    /// Those for a threshold of queuing time that others go by.
    pub(crate) fn of(threshold: Duration) -> Self {
        Self {
            target: threshold * 2,
            drop: threshold * 4,
            round: Duration::from_millis(5),
            growth: 0.01,
            least_growth: 0.05,
            cut: 0.01,
            largest: 5.0,
            first: 4.0,
            depth: 2.0,
            memory: Duration::from_secs(1),
        }
    }
}
