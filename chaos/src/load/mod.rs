//! Who comes when: the tasks of a run, one after the other.
//!
//! The tasks of each load come independently of each other (a Poisson process whose rate is the load's at that
//! moment), as do many clients that know nothing of each other. What a task is, its business, its user, its chance,
//! comes from another stream than when it comes, so that a load may change its shape and the users stay
//! in order.

#[cfg(test)]
pub(crate) mod fixture;
mod piece;
mod rate;
mod stream;
#[cfg(test)]
mod tests;
mod who;

use std::{cmp::Reverse, collections::BinaryHeap, time::Duration};

use self::{stream::Stream, who::Who};
use crate::{scenario::Scenario, wire::Call};

/// All tasks of a run in order of time; those of one moment in the order of their loads. Numbered from 0.
///
/// The same for a scenario and a seed, whoever asks.
#[derive(Clone, Debug)]
pub struct Arrivals {
    loads: Vec<Of>,
    /// When the next task of each load comes that has one.
    next: BinaryHeap<Reverse<(Duration, usize)>>,
    /// How long the client of a task waits.
    patience: Duration,
    task: u64,
}

/// The tasks of a load.
#[derive(Clone, Debug)]
struct Of {
    when: Stream,
    who: Who,
}

impl Arrivals {
    /// Returns the tasks of a scenario that was checked.
    #[must_use]
    pub fn new(scenario: &Scenario, seed: u64) -> Self {
        let mut loads = Vec::with_capacity(scenario.loads.len());
        let mut next = BinaryHeap::new();
        for (number, load) in scenario.loads.iter().enumerate() {
            let mut when = Stream::new(load, scenario.duration, seed, number);
            next.extend(when.next().map(|first| Reverse((first, number))));
            let who = Who::new(scenario, load.business, seed, number);
            loads.push(Of { when, who });
        }
        Self {
            loads,
            next,
            patience: scenario.deadline,
            task: 0,
        }
    }
}

impl Iterator for Arrivals {
    type Item = (Duration, Call);

    fn next(&mut self) -> Option<(Duration, Call)> {
        let Reverse((at, number)) = self.next.pop()?;
        let load = &mut self.loads[number];
        self.next
            .extend(load.when.next().map(|next| Reverse((next, number))));
        let call = load
            .who
            .draw(self.task, at, at.saturating_add(self.patience));
        self.task += 1;
        Some((at, call))
    }
}
