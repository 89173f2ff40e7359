//! The caller's side: spends credits, says what it would have spent.

use std::time::Duration;

use super::Tuning;
use crate::{
    policy::peer::{Reply, Send, Sender},
    wire::Call,
};

/// The caller's side: credits for each instance.
#[derive(Clone, Debug)]
pub struct Purse {
    tuning: Tuning,
    name: String,
    instances: Vec<Credit>,
}

/// Credits for one instance.
#[derive(Clone, Copy, Debug)]
struct Credit {
    /// What the callee told.
    credit: f64,
    /// Requests under way.
    spent: u32,
    /// Calls withheld since the last request.
    demand: u32,
    heard: Duration,
    /// With less than one credit: from when on the next request may be sent.
    next: Duration,
    /// How long an answer takes, smoothed.
    took: Duration,
}

impl Purse {
    /// The least credit that a gap is reckoned from.
    const LEAST: f64 = 0.01;

    /// A purse of the caller of this name, which no other caller has.
    pub(crate) const fn new(tuning: Tuning, name: String) -> Self {
        Self {
            tuning,
            name,
            instances: Vec::new(),
        }
    }

    fn credit(&mut self, instance: usize) -> &mut Credit {
        if self.instances.len() <= instance {
            let unknown = Credit {
                credit: self.tuning.first,
                spent: 0,
                demand: 0,
                heard: Duration::ZERO,
                next: Duration::ZERO,
                took: Duration::ZERO,
            };
            self.instances.resize(instance + 1, unknown);
        }
        &mut self.instances[instance]
    }
}

impl Sender for Purse {
    fn send(&mut self, now: Duration, _: &Call, instance: usize) -> Send {
        let tuning = self.tuning;
        let credit = self.credit(instance);
        if credit.spent == 0 && now >= credit.heard + tuning.memory {
            credit.credit = tuning.first;
        }
        if !credit.open(now, tuning.depth) {
            credit.demand = credit.demand.saturating_add(1);
            return Send::Withhold;
        }
        credit.spent += 1;
        let gap = credit.gap();
        let earliest = now.saturating_sub(gap.mul_f64(tuning.depth - 1.0));
        credit.next = credit.next.max(earliest).saturating_add(gap);
        let (spent, demand) = (credit.spent, std::mem::take(&mut credit.demand));
        Send::Go(Some(format!("{} {spent} {demand}", self.name)))
    }

    fn heard(&mut self, now: Duration, _: &Call, instance: usize, reply: &Reply) {
        let credit = self.credit(instance);
        credit.spent = credit.spent.saturating_sub(1);
        let told = reply.told.as_deref().and_then(|told| told.parse().ok());
        let Some(told) = told.filter(|told: &f64| told.is_finite()) else {
            return;
        };
        credit.credit = told;
        credit.heard = now;
        credit.took = if credit.took.is_zero() {
            reply.took
        } else {
            credit.took.mul_f64(0.9) + reply.took.mul_f64(0.1)
        };
    }

    fn gave_up(&mut self, _: Duration, _: &Call, instance: usize) {
        let credit = self.credit(instance);
        credit.spent = credit.spent.saturating_sub(1);
    }
}

impl Credit {
    fn open(&self, now: Duration, depth: f64) -> bool {
        if self.credit >= 1.0 {
            f64::from(self.spent) + 1.0 <= self.credit
        } else {
            f64::from(self.spent) < depth && now >= self.next
        }
    }

    /// From one request to the next with less than one credit.
    fn gap(&self) -> Duration {
        self.took.div_f64(self.credit.max(Purse::LEAST))
    }
}
