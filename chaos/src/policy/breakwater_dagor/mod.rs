//! DAGOR as Breakwater's authors wrote it to compare with (`dg_server.c`, `dg_client.c`, `dg_config.h` beside their
//! own server; Cho et al., OSDI 2020).
//!
//! No histogram: the callee's level is a number that is multiplied by 0.95 while the smoothed queuing delay is above
//! the threshold, and rises by 1 % of all levels while it is not. A request is dropped if its level
//! is higher. Every answer, drops included, tells the level; a caller keeps it for each connection and
//! withholds what is above it. The lowest levels always pass. A connection starts with a random level and has at most
//! 64 requests under way.
//!
//! Theirs has 128 levels drawn from a hash; here it is 128 for each importance that the scenario's businesses have, by
//! the user's place, so that all peers rank the same users the same. Steps and bounds scale with the number of
//! levels. One thing is added in its favour: a caller that heard nothing for a second lets one call through, for
//! theirs has no way back for a connection whose every call is above the level it once heard.
//!
//! # How it was tuned
//!
//! Their constants are kept but for time: they sample the delay of 10 us services every 10 us and step every
//! 1 ms or 2,000 requests. Tried in the reference cells (see [`sre`](super::sre)): samples every 1 and 5 ms; steps
//! every 5, 10, 20, 40, 100 ms; thresholds of 10, 20, 30 ms (they chose one for each service time by hand).
//! Steps of 100 ms are best while the load stays (geometric mean 0.86 against 0.83, 0.80 and 0.77 at 20, 10 and
//! 5 ms, for the level swings less) and hopeless when it changes: in the ten seconds after a step from 0.67 to
//! 6.7 times the capacity goodput is 0.2 of the optimum, where 20 ms has 0.85 and 10 ms 0.88. 20 ms is the
//! default; the threshold is the scenario's.
//!
//! # What is tested
//!
//! That the level settles where what it admits is the capacity; the published recovery from a spike to
//! 1.4 times the capacity, within 500 steps (500 ms there); that a drop tells the level and its caller goes by
//! it.

#[cfg(test)]
mod tests;

use std::time::Duration;

use super::{
    pace,
    peer::{Arrival, Gatekeeper, Peer, Reply, Send, Sender, Verdict},
    ranks::Ranks,
    standing::Standing,
};
use crate::{wire::Call, world::Chance};

/// Returns the policy.
#[must_use]
pub fn policy() -> Peer<Watch, Filter> {
    Peer::both(
        |place| {
            let tuning = Tuning {
                threshold: place.scenario.threshold,
                ..Tuning::default()
            };
            Watch::new(tuning, pace::slots(place), Ranks::of(place))
        },
        |place, callee| {
            let chance = place.chance(&format!("filter {}", callee.service));
            Filter::new(Tuning::default(), Ranks::of(place), chance)
        },
    )
}

/// The callee's side.
#[derive(Clone, Debug)]
pub struct Watch {
    tuning: Tuning,
    slots: usize,
    ranks: Ranks,
    level: f64,
    delay: f64,
    requests: u32,
    stepped: Duration,
    standing: Standing,
}

/// The caller's side.
#[derive(Clone, Debug)]
pub struct Filter {
    tuning: Tuning,
    ranks: Ranks,
    chance: Chance,
    connections: Vec<Connection>,
}

/// The constants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tuning {
    /// The delay above which the callee is overloaded.
    pub(crate) threshold: Duration,
    /// How often the delay is sampled.
    pub(crate) sample: Duration,
    /// How often the level steps.
    pub(crate) step: Duration,
    /// It steps earlier after so many requests.
    pub(crate) requests: u32,
    /// What it is multiplied by.
    pub(crate) down: f64,
    /// What it rises by, as a share of all levels.
    pub(crate) up: f64,
    /// Requests under way on a connection.
    pub(crate) window: usize,
    /// How long a caller believes what it heard.
    pub(crate) silence: Duration,
}

#[derive(Clone, Copy, Debug)]
struct Connection {
    level: f64,
    under_way: usize,
    heard: Duration,
}

// === impl Tuning ===

impl Default for Tuning {
    fn default() -> Self {
        Self {
            threshold: Duration::from_millis(20),
            sample: Duration::from_millis(1),
            step: Duration::from_millis(20),
            requests: 2000,
            down: 0.95,
            up: 0.01,
            window: 64,
            silence: Duration::from_secs(1),
        }
    }
}

// === impl Watch ===

impl Watch {
    /// The weight of the newest sample of the delay.
    const WEIGHT: f64 = 0.2;

    pub(super) fn new(tuning: Tuning, slots: usize, ranks: Ranks) -> Self {
        Self {
            tuning,
            slots,
            // Theirs starts at 32 of 128.
            level: ranks.levels() / 4.0,
            ranks,
            delay: 0.0,
            requests: 0,
            stepped: Duration::ZERO,
            standing: Standing::default(),
        }
    }

    fn step(&mut self, now: Duration) {
        if self.delay >= self.tuning.threshold.as_secs_f64() {
            self.level *= self.tuning.down;
        } else {
            self.level += self.tuning.up * self.ranks.levels();
        }
        self.level = self.level.clamp(1.0, self.ranks.levels() - 1.0);
        self.stepped = now;
        self.requests = 0;
    }
}

impl Gatekeeper for Watch {
    fn arrive(&mut self, now: Duration, request: &Arrival, _: usize, _: usize) -> Verdict {
        self.requests += 1;
        let told = request.ask.as_deref().and_then(|ask| ask.parse().ok());
        let level: f64 = told.unwrap_or_else(|| self.ranks.level(&request.call));
        if level > self.level.floor() {
            return Verdict::Refuse;
        }
        self.standing.join(now);
        Verdict::Queue(0)
    }

    fn slots(&self) -> usize {
        self.slots
    }

    fn start(&mut self, _: Duration, request: &Arrival, _: usize) -> bool {
        self.standing.start(request.at);
        true
    }

    fn finish(&mut self, _: Duration, _: &Arrival, _: Duration, _: bool) {}

    fn period(&self) -> Option<Duration> {
        Some(self.tuning.sample)
    }

    fn tick(&mut self, now: Duration, waiting: usize, _: usize) {
        let delay = self.standing.age(now, waiting).as_secs_f64();
        self.delay += Self::WEIGHT * (delay - self.delay);
        let due = now >= self.stepped + self.tuning.step || self.requests >= self.tuning.requests;
        if self.requests > 0 && due {
            self.step(now);
        }
    }

    fn tell(&mut self, _: Duration, _: &Arrival) -> Option<String> {
        Some(self.level.floor().to_string())
    }

    fn level(&self) -> f64 {
        (self.level + 1.0) / self.ranks.levels()
    }
}

// === impl Filter ===

impl Filter {
    pub(super) const fn new(tuning: Tuning, ranks: Ranks, chance: Chance) -> Self {
        Self {
            tuning,
            ranks,
            chance,
            connections: Vec::new(),
        }
    }

    fn connection(&mut self, instance: usize) -> &mut Connection {
        while self.connections.len() <= instance {
            self.connections.push(Connection {
                level: (self.chance.unit() * self.ranks.levels()).floor(),
                under_way: 0,
                heard: Duration::ZERO,
            });
        }
        &mut self.connections[instance]
    }

    fn ended(&mut self, instance: usize) -> &mut Connection {
        let connection = self.connection(instance);
        connection.under_way = connection.under_way.saturating_sub(1);
        connection
    }
}

impl Sender for Filter {
    fn send(&mut self, now: Duration, call: &Call, instance: usize) -> Send {
        let Tuning {
            window, silence, ..
        } = self.tuning;
        let level = self.ranks.level(call);
        let connection = self.connection(instance);
        let silent = now >= connection.heard + silence;
        if connection.under_way >= window || level > connection.level && !silent {
            return Send::Withhold;
        }
        if silent {
            connection.heard = now;
        }
        connection.under_way += 1;
        Send::Go(Some(level.to_string()))
    }

    fn heard(&mut self, now: Duration, _: &Call, instance: usize, reply: &Reply) {
        let connection = self.ended(instance);
        if let Some(level) = reply.told.as_deref().and_then(|told| told.parse().ok()) {
            connection.level = level;
            connection.heard = now;
        }
    }

    fn gave_up(&mut self, _: Duration, _: &Call, instance: usize) {
        self.ended(instance);
    }
}
