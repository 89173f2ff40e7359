//! The caller's side: sends what can pay.

use std::time::Duration;

use super::{market::Ledger, tokens};
use crate::{
    policy::{
        peer::{Reply, Send, Sender},
        ranks::Ranks,
    },
    wire::Call,
};

/// The caller's side.
#[derive(Clone, Debug)]
pub struct Buyer {
    ranks: Ranks,
    ledger: Ledger,
    callee: usize,
}

impl Buyer {
    /// A caller that writes the prices of this callee down.
    pub(in crate::policy) const fn new(ranks: Ranks, ledger: Ledger, callee: usize) -> Self {
        Self {
            ranks,
            ledger,
            callee,
        }
    }
}

impl Sender for Buyer {
    fn send(&mut self, now: Duration, call: &Call, instance: usize) -> Send {
        let tokens = tokens(&self.ranks, call);
        if tokens < self.ledger.of(now, call.business, (self.callee, instance)) {
            return Send::Withhold;
        }
        Send::Go(Some(format!("{tokens:.1}")))
    }

    fn heard(&mut self, now: Duration, call: &Call, instance: usize, reply: &Reply) {
        let told = reply.told.as_deref().and_then(|told| told.parse().ok());
        if let Some(price) = told.filter(|price: &f64| price.is_finite()) {
            let of = (self.callee, instance);
            self.ledger.hear(now, call.business, of, price);
        }
    }

    fn gave_up(&mut self, _: Duration, _: &Call, _: usize) {}
}
