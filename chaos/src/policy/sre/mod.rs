//! Client throttling as in Google's SRE book, chapter "Handling Overload".
//!
//! A caller knows of each instance how many calls it wanted to make lately (`requests`) and how many were accepted
//! (`accepts`), and withholds a call with probability max(0, (requests - K accepts) / (requests + 1)). What it
//! withholds counts as a request, so the more is refused the more it withholds, until it sends K times what is
//! accepted. The callee is what the book takes for granted: one that refuses at once when it is busy, here
//! when the line before its workers is longer than they work off in 40 ms.
//!
//! The history is kept by instance, not by service: the instance is chosen before the caller's side is asked, and
//! one that is slow must not cost the others their calls. A call counts when its end is known, so that those under
//! way do not look like refusals. One that ran out of its deadline counts as not accepted, one that was dropped for
//! another reason does not count.
//!
//! # How it was tuned
//!
//! In the cells of the reference plant (1 to 4 calls and the mix, 0.67 to 10 times the capacity, 3 seeds of
//! 20 s) and in steps of the load there. K: 1.1, 1.3, 1.5, 1.7, 2 (the book's). Window: 0.5, 1, 2, 5, 10, 30, 120 s
//! (the book's). Longest wait: 20, 30, 40, 60, 80 ms. K of 1.5 keeps single calls at 0.98 of the optimum in
//! overload, where 2 reaches 0.96 (half of what is sent is refused and costs the callee) and 1.1 0.95 (it
//! starves the callee). The window hardly matters while the load stays, but after it fell from 10 to 0.67 times the
//! capacity goodput is back after some 2 s and 5 s with windows of 0.5 and 2 s, and not within 20 s with 10 s or more;
//! 0.5 s loses 2 % with 100 callers, who have too few calls in it. Lines of 60 ms gain half a percent for single calls
//! and lose 4 % for tasks of four.
//!
//! # What is tested
//!
//! The book's claim that the requests sent settle at K times those accepted, for several K and loads; that a
//! callee that keeps up is sent everything; that the history is forgotten after the window; that an
//! instance that refuses does not throttle the others.

#[cfg(test)]
mod tests;

use std::{collections::VecDeque, time::Duration};

use super::{
    pace::{self, Pace},
    peer::{Arrival, Gatekeeper, Peer, Reply, Send, Sender, Verdict},
};
use crate::{
    wire::{Call, Ending},
    world::Chance,
};

/// Returns the policy.
#[must_use]
pub fn policy() -> Peer<Backend, Throttle> {
    let tuning = Tuning::default();
    Peer::both(
        move |place| Backend::new(tuning, pace::slots(place)),
        move |place, callee| {
            let chance = place.chance(&format!("throttle {}", callee.service));
            Throttle::new(tuning, chance)
        },
    )
}

/// The callee's side: first come, first served, refuses when busy.
#[derive(Clone, Debug)]
pub struct Backend {
    tuning: Tuning,
    slots: usize,
    pace: Pace,
}

/// The caller's side.
#[derive(Clone, Debug)]
pub struct Throttle {
    tuning: Tuning,
    chance: Chance,
    instances: Vec<History>,
}

/// The constants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tuning {
    /// K: calls sent for each that is accepted.
    pub(crate) multiplier: f64,
    /// How far back the history goes.
    pub(crate) window: Duration,
    /// How long the last in the callee's line may have to wait.
    pub(crate) longest_wait: Duration,
}

/// What became of the calls to one instance, in buckets of a twentieth of the window.
#[derive(Clone, Debug, Default)]
struct History {
    buckets: VecDeque<Bucket>,
    requests: u64,
    accepts: u64,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    number: u128,
    requests: u64,
    accepts: u64,
}

// === impl Tuning ===

impl Default for Tuning {
    fn default() -> Self {
        Self {
            multiplier: 1.5,
            window: Duration::from_secs(1),
            longest_wait: Duration::from_millis(40),
        }
    }
}

// === impl Backend ===

impl Backend {
    pub(crate) const fn new(tuning: Tuning, slots: usize) -> Self {
        Self {
            tuning,
            slots,
            pace: Pace::new(),
        }
    }
}

impl Gatekeeper for Backend {
    fn arrive(&mut self, _: Duration, _: &Arrival, waiting: usize, _: usize) -> Verdict {
        if waiting < self.queue_bound() {
            Verdict::Queue(0)
        } else {
            Verdict::Refuse
        }
    }

    fn slots(&self) -> usize {
        self.slots
    }

    fn queue_bound(&self) -> usize {
        self.pace.line(self.tuning.longest_wait, self.slots)
    }

    fn finish(&mut self, now: Duration, _: &Arrival, began: Duration, served: bool) {
        if served {
            self.pace.note(now.saturating_sub(began));
        }
    }
}

// === impl Throttle ===

impl Throttle {
    pub(crate) const fn new(tuning: Tuning, chance: Chance) -> Self {
        Self {
            tuning,
            chance,
            instances: Vec::new(),
        }
    }

    /// The history of an instance, without what is too old.
    fn history(&mut self, now: Duration, instance: usize) -> &mut History {
        if self.instances.len() <= instance {
            self.instances.resize_with(instance + 1, History::default);
        }
        let history = &mut self.instances[instance];
        history.forget(now, self.tuning.window);
        history
    }

    fn count(&mut self, now: Duration, instance: usize, accepted: bool) {
        let window = self.tuning.window;
        let history = self.history(now, instance);
        history.count(now, window, accepted);
    }
}

impl Sender for Throttle {
    fn send(&mut self, now: Duration, _: &Call, instance: usize) -> Send {
        let multiplier = self.tuning.multiplier;
        let probability = self.history(now, instance).rejection(multiplier);
        if probability > 0.0 && self.chance.unit() < probability {
            self.count(now, instance, false);
            return Send::Withhold;
        }
        Send::Go(None)
    }

    fn heard(&mut self, now: Duration, _: &Call, instance: usize, reply: &Reply) {
        self.count(now, instance, reply.ending == Ending::Served);
    }

    fn gave_up(&mut self, now: Duration, call: &Call, instance: usize) {
        if now >= call.deadline {
            self.count(now, instance, false);
        }
    }
}

// === impl History ===

impl History {
    const BUCKETS: u32 = 20;

    /// The book's formula.
    #[expect(clippy::cast_precision_loss, reason = "calls of a window")]
    fn rejection(&self, multiplier: f64) -> f64 {
        let (requests, accepts) = (self.requests as f64, self.accepts as f64);
        (requests - multiplier * accepts) / (requests + 1.0)
    }

    fn bucket(now: Duration, window: Duration) -> u128 {
        now.as_nanos() / (window.as_nanos() / u128::from(Self::BUCKETS)).max(1)
    }

    fn forget(&mut self, now: Duration, window: Duration) {
        let newest = Self::bucket(now, window);
        while let Some(&bucket) = self.buckets.front()
            && bucket.number + u128::from(Self::BUCKETS) <= newest
        {
            self.buckets.pop_front();
            self.requests -= bucket.requests;
            self.accepts -= bucket.accepts;
        }
    }

    fn count(&mut self, now: Duration, window: Duration, accepted: bool) {
        let (number, accepts) = (Self::bucket(now, window), u64::from(accepted));
        self.requests += 1;
        self.accepts += accepts;
        match self.buckets.back_mut() {
            Some(bucket) if bucket.number == number => {
                bucket.requests += 1;
                bucket.accepts += accepts;
            }
            _ => self.buckets.push_back(Bucket {
                number,
                requests: 1,
                accepts,
            }),
        }
    }
}
