//! The callee's side: a pool of credits, and who holds them.

use std::{collections::BTreeMap, time::Duration};

use super::Tuning;
use crate::policy::{
    pace::number,
    peer::{Arrival, Gatekeeper, Verdict},
    standing::Standing,
};

/// The callee's side: issues credits by queuing delay, drops when it is far too long.
#[derive(Clone, Debug)]
pub struct Issuer {
    tuning: Tuning,
    slots: usize,
    pub(super) pool: f64,
    callers: BTreeMap<String, Caller>,
    standing: Standing,
    /// When the pool was last cut because a request was dropped.
    cut: Duration,
}

/// What is known of a caller.
#[derive(Clone, Copy, Debug, Default)]
struct Caller {
    /// Credits that it was told it has.
    credit: f64,
    /// What it had under way when it last sent, that request included.
    under_way: f64,
    /// What it had withheld before.
    demand: f64,
    heard: Duration,
}

impl Issuer {
    /// Credits of one caller at most, as theirs.
    const MOST: f64 = 63.0;

    pub(crate) fn new(tuning: Tuning, slots: usize) -> Self {
        Self {
            tuning,
            slots,
            pool: number(slots),
            callers: BTreeMap::new(),
            standing: Standing::default(),
            cut: Duration::ZERO,
        }
    }

    fn shrink(&mut self, delay: Duration) {
        let over = delay.div_duration_f64(self.tuning.target) - 1.0;
        let factor = (1.0 - self.tuning.cut * over).max(0.5);
        self.pool = (self.pool * factor).max(number(self.slots));
    }

    fn grow(&mut self) {
        let callers = number(self.callers.len());
        let growth = self.tuning.growth * callers;
        let largest = (self.tuning.largest * number(self.slots)).max(2.0 * callers);
        self.pool = (self.pool + growth.max(self.tuning.least_growth)).min(largest);
    }

    /// Credits for a caller that is about to be told.
    fn issue(&self, caller: &Caller) -> f64 {
        let callers = number(self.callers.len());
        let held: f64 = self.callers.values().map(|caller| caller.credit).sum();
        let unused = (self.pool - held).floor();
        let spare = (unused / callers).floor().max(1.0);
        let under_way = (caller.under_way - 1.0).max(0.0);
        let wanted = under_way + caller.demand + spare;
        let credit = if unused > 0.0 {
            caller.credit + unused
        } else if held > self.pool {
            caller.credit - 1.0
        } else {
            caller.credit
        };
        let least = (self.pool / callers).min(1.0);
        credit.max(under_way).min(wanted).min(Self::MOST).max(least)
    }
}

impl Gatekeeper for Issuer {
    fn arrive(&mut self, now: Duration, request: &Arrival, waiting: usize, _: usize) -> Verdict {
        if let Some((name, under_way, demand)) = read(request) {
            let caller = match self.callers.get_mut(name) {
                Some(caller) => caller,
                None => self.callers.entry(name.into()).or_default(),
            };
            (caller.under_way, caller.demand, caller.heard) = (under_way, demand, now);
        }
        let delay = self.standing.age(now, waiting);
        if delay >= self.tuning.drop {
            if now >= self.cut + self.tuning.round {
                self.cut = now;
                self.shrink(delay);
            }
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
        Some(self.tuning.round)
    }

    fn tick(&mut self, now: Duration, waiting: usize, _: usize) {
        let memory = self.tuning.memory;
        self.callers.retain(|_, caller| now < caller.heard + memory);
        let delay = self.standing.age(now, waiting);
        if delay >= self.tuning.target {
            self.shrink(delay);
        } else {
            self.grow();
        }
    }

    fn tell(&mut self, _: Duration, request: &Arrival) -> Option<String> {
        let (name, ..) = read(request)?;
        // Forgotten meanwhile: it will be known again when it sends again.
        let credit = self.issue(self.callers.get(name)?);
        self.callers.get_mut(name)?.credit = credit;
        Some(format!("{credit:.3}"))
    }

    /// The pool by the largest that it gets with few callers; open where nothing is bounded.
    fn level(&self) -> f64 {
        if self.slots == usize::MAX {
            return 1.0;
        }
        (self.pool / (self.tuning.largest * number(self.slots))).min(1.0)
    }
}

/// Who asks, what it has under way, what it withheld; `None` for a caller without credits.
fn read(request: &Arrival) -> Option<(&str, f64, f64)> {
    let mut parts = request.ask.as_deref()?.split(' ');
    let (name, under_way, demand) = (parts.next()?, parts.next()?, parts.next()?);
    let (under_way, demand): (u32, u32) = (under_way.parse().ok()?, demand.parse().ok()?);
    Some((name, under_way.into(), demand.into()))
}
