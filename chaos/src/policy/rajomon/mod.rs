//! Rajomon: tokens and prices (Xing et al., NSDI 2025, and their repository `pennsail/rajomon`).
//!
//! Every task comes with tokens, which travel with all its calls. A callee has a price, which rises with the queuing
//! delay above a threshold and falls below it; a request with fewer tokens is refused. Answers, refusals included, tell
//! the price, and a caller withholds what cannot pay it. A service in the middle of the graph charges the
//! highest of its own price and of those downstream ("maximal" aggregation, their default), so that a task that
//! will not be served at the end is turned away at the beginning. Prices downstream are kept by business, as
//! theirs by interface: tasks pay for what they will call.
//!
//! # What is different
//!
//! - Their clients draw tokens evenly from what they saved. Here a task's tokens come from the chance drawn for it (the
//!   same for all its calls and retries) with an exponential distribution, so that a step of the price changes what is
//!   admitted by the same factor at any load; and each importance of business has 5,000 more than the next,
//!   for tokens are what tells them whom to serve.
//! - Their price changes by the delay alone. On a queue, which sums up what is too much by itself, that swings without
//!   end; theirs is damped by making steps smaller the more of them follow each other (`expdecay`), which
//!   stops rising before the price is reached once tokens are not a few dozen. Here a part
//!   of the price is proportional to the delay above half the threshold, which damps it.
//! - They tell the price with one answer in five. Here all tell it: it costs nothing.
//! - With several instances of a callee the price downstream is the mean of what they told. A price that was not
//!   heard of for a while is taken to fall as fast as an idle callee's does, so that nobody is locked out; theirs save tokens
//!   meanwhile, to the same end.
//!
//! # How it was tuned
//!
//! In the reference cells (see [`sre`](super::sre)), starting from theirs (every 10 ms, the longest delay of the
//! interval, `step`, `linear` and `expdecay`, decay of 0.8). Periods of 5, 10, 20 ms; steps of 2, 3, 5, 10, 20 tokens in 1,000; a
//! proportional part of 0, 50, 100, 200, 300, 400 above 0, half, all of the threshold; steps for at most 1, 2, 3, any
//! number of thresholds; falling 1, 2, 3 times as fast; the longest and the mean delay; thresholds of 10 (theirs
//! are chosen by application), 20, 30 ms. With their law the geometric mean over the cells is at best 0.03 with decay and
//! 0.45 without, with the proportional part 0.79, with exponential tokens too 0.88, with the rest 0.90. A threshold of
//! 30 ms would gain 1 % more for waits half as long again; the scenario's is kept.
//!
//! # What is tested
//!
//! That goodput holds at twice the capacity and beyond; that the price clears the market: what can pay is what
//! can be served, and the price goes when the demand does; that tasks of several calls are served or turned away as
//! one; that the important pay first; that a price downstream is charged and told upstream.

mod buyer;
mod market;
mod seller;
#[cfg(test)]
mod tests;

use std::time::Duration;

use self::market::Market;
pub use self::{buyer::Buyer, seller::Seller};
use super::{pace, peer::Peer, ranks::Ranks};
use crate::wire::Call;

/// Returns the policy.
#[must_use]
pub fn policy() -> Peer<Seller, Buyer> {
    let market = Market::default();
    let upstream = market.clone();
    Peer::both(
        move |place| {
            let tuning = Tuning {
                threshold: place.scenario.threshold,
                ..Tuning::default()
            };
            Seller::new(
                tuning,
                pace::slots(place),
                Ranks::of(place),
                market.ledger(place),
            )
        },
        move |place, callee| Buyer::new(Ranks::of(place), upstream.ledger(place), callee.service),
    )
    .told_closes()
}

/// The constants. Tokens of tasks of one importance are exponential with a mean of [`MEAN_TOKENS`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tuning {
    /// The queuing delay above which the price rises.
    pub(crate) threshold: Duration,
    /// How often it changes.
    pub(crate) period: Duration,
    /// Tokens that it rises by in a period when the delay is a threshold above the threshold.
    pub(crate) step: f64,
    /// It rises by so many steps at most.
    pub(crate) steps: f64,
    /// How much faster it falls.
    pub(crate) fall: f64,
    /// Tokens on top of it for each threshold that the delay is above half the threshold.
    pub(crate) proportional: f64,
}

/// The mean of a task's tokens above those of its importance.
const MEAN_TOKENS: f64 = 1000.0;

/// What the tokens of one importance are above those of the next.
const IMPORTANCE: f64 = 5000.0;

// === impl Tuning ===

impl Tuning {
    /// Tokens a second by which the price of an idle callee falls.
    fn fall_rate(&self) -> f64 {
        self.step * self.fall / self.period.as_secs_f64()
    }
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            threshold: Duration::from_millis(20),
            period: Duration::from_millis(10),
            step: 5.0,
            steps: 2.0,
            fall: 3.0,
            proportional: 200.0,
        }
    }
}

/// Returns the tokens of a call: the same for all of its task.
#[expect(clippy::cast_precision_loss, reason = "53 bits are what a double has")]
fn tokens(ranks: &Ranks, call: &Call) -> f64 {
    // Other things are drawn from the same bits: mix them, or those with many calls would have many tokens.
    let mut bits = call.draw ^ call.task.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    let unit = ((bits >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    let less_important = ranks.count() - 1 - ranks.rank(call);
    pace::number(less_important) * IMPORTANCE - MEAN_TOKENS * libm::log(unit)
}
