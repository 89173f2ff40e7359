//! (interim)
#[cfg(test)]
pub(crate) mod fixture;

use std::time::Duration;

use crate::{scenario::Scenario, wire::Call, world::Chance};

/// Tasks, steady loads only.
#[derive(Debug)]
pub struct Arrivals {
    chance: Chance,
    at: Duration,
    rate: f64,
    task: u64,
    scenario: Scenario,
}

impl Arrivals {
    /// New.
    #[must_use]
    pub fn new(scenario: &Scenario, seed: u64) -> Self {
        Self {
            chance: Chance::new(seed, "load", 0),
            at: Duration::ZERO,
            rate: scenario.loads.iter().map(|load| load.rate).sum(),
            task: 0,
            scenario: scenario.clone(),
        }
    }
}

impl Iterator for Arrivals {
    type Item = (Duration, Call);

    fn next(&mut self) -> Option<Self::Item> {
        let gap = self.chance.exponential() / self.rate;
        self.at += Duration::from_secs_f64(gap);
        if self.at >= self.scenario.duration {
            return None;
        }
        let business = self.chance.below(self.scenario.businesses.len());
        self.task += 1;
        let call = Call {
            task: self.task,
            business,
            number: self.scenario.businesses[business].number,
            user: 1,
            place: 0,
            deadline: self.at + self.scenario.deadline,
            draw: self.chance.bits(),
        };
        Some((self.at, call))
    }
}
