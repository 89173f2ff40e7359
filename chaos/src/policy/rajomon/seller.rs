//! The callee's side: a price by queuing delay.

use std::time::Duration;

use super::{IMPORTANCE, MEAN_TOKENS, Tuning, market::Ledger, tokens};
use crate::policy::{
    pace::number,
    peer::{Arrival, Gatekeeper, Verdict},
    ranks::Ranks,
    standing::Standing,
};

/// The callee's side: first come, first served, for those who can pay.
#[derive(Clone, Debug)]
pub struct Seller {
    tuning: Tuning,
    slots: usize,
    ranks: Ranks,
    downstream: Ledger,
    standing: Standing,
    /// The part of the price that stays when the delay goes.
    base: f64,
    pub(super) price: f64,
    /// The longest wait of those begun since the last change.
    longest: Option<Duration>,
}

impl Seller {
    pub(in crate::policy) fn new(
        tuning: Tuning,
        slots: usize,
        ranks: Ranks,
        downstream: Ledger,
    ) -> Self {
        Self {
            tuning,
            slots,
            ranks,
            downstream,
            standing: Standing::default(),
            base: 0.0,
            price: 0.0,
            longest: None,
        }
    }

    /// What a request has to pay: the higher of the prices here and downstream.
    fn asked(&self, now: Duration, request: &Arrival) -> f64 {
        let downstream = self.downstream.downstream(now, request.call.business);
        self.price.max(downstream)
    }
}

impl Gatekeeper for Seller {
    fn arrive(&mut self, now: Duration, request: &Arrival, _: usize, _: usize) -> Verdict {
        let sent = request.ask.as_deref().and_then(|ask| ask.parse().ok());
        let has: f64 = sent.unwrap_or_else(|| tokens(&self.ranks, &request.call));
        if has < self.asked(now, request) {
            return Verdict::Refuse;
        }
        self.standing.join(now);
        Verdict::Queue(0)
    }

    fn slots(&self) -> usize {
        self.slots
    }

    fn start(&mut self, now: Duration, request: &Arrival, _: usize) -> bool {
        self.standing.start(request.at);
        let waited = now.saturating_sub(request.at);
        self.longest = Some(self.longest.map_or(waited, |longest| longest.max(waited)));
        true
    }

    fn finish(&mut self, _: Duration, _: &Arrival, _: Duration, _: bool) {}

    fn period(&self) -> Option<Duration> {
        Some(self.tuning.period)
    }

    fn tick(&mut self, now: Duration, waiting: usize, _: usize) {
        let oldest = self.standing.age(now, waiting);
        // Where nothing began, nothing waited, or everything does.
        let delay = self.longest.take().unwrap_or(oldest);
        let over = delay.div_duration_f64(self.tuning.threshold) - 1.0;
        let faster = if over < 0.0 { self.tuning.fall } else { 1.0 };
        let change = self.tuning.step * over.min(self.tuning.steps) * faster;
        let highest = number(self.ranks.count()) * IMPORTANCE + 2.0 * MEAN_TOKENS;
        self.base = (self.base + change).clamp(0.0, highest);
        self.price = self.base + self.tuning.proportional * (over + 0.5).max(0.0);
    }

    fn tell(&mut self, now: Duration, request: &Arrival) -> Option<String> {
        Some(format!("{:.1}", self.asked(now, request)))
    }

    /// The share of tokens, all importances alike, that are enough.
    fn level(&self) -> f64 {
        let share = |rank| {
            let above = self.price - number(rank) * IMPORTANCE;
            libm::exp(-above.max(0.0) / MEAN_TOKENS)
        };
        let ranks = self.ranks.count();
        (0..ranks).map(share).sum::<f64>() / number(ranks)
    }
}
