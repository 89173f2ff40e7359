//! What the callers of an instance have heard of prices downstream, for the instance's own price.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use super::Tuning;
use crate::policy::{Place, pace::number};

/// The ledgers of all instances in a run. Clones are one.
#[derive(Clone, Debug, Default)]
pub(super) struct Market(Arc<Mutex<BTreeMap<(usize, u32), (u32, Ledger)>>>);

/// Prices that an instance heard of, by business, callee and instance of it. Clones are one.
#[derive(Clone, Debug, Default)]
pub(in crate::policy) struct Ledger(Arc<Mutex<BTreeMap<(usize, usize), Vec<Option<Told>>>>>);

/// A price, and when it was told.
#[derive(Clone, Copy, Debug)]
struct Told {
    price: f64,
    at: Duration,
}

impl Market {
    /// Returns the ledger of an instance since it was last started.
    pub(super) fn ledger(&self, place: &Place<'_>) -> Ledger {
        let mut ledgers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = || (place.start, Ledger::default());
        let key = (place.service, place.instance);
        let entry = ledgers.entry(key).or_insert_with(fresh);
        if entry.0 != place.start {
            *entry = fresh();
        }
        entry.1.clone()
    }
}

impl Ledger {
    /// An instance of a callee told its price for a business.
    pub(super) fn hear(&self, at: Duration, business: usize, of: (usize, usize), price: f64) {
        let (callee, instance) = of;
        let mut prices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let prices = prices.entry((business, callee)).or_default();
        if prices.len() <= instance {
            prices.resize(instance + 1, None);
        }
        prices[instance] = Some(Told { price, at });
    }

    /// Returns what an instance of a callee asks now, as far as is known: nothing if it was never heard of.
    pub(super) fn of(&self, now: Duration, business: usize, of: (usize, usize)) -> f64 {
        let prices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let told = prices
            .get(&(business, of.0))
            .and_then(|prices| prices.get(of.1));
        told.copied().flatten().map_or(0.0, |told| told.now(now))
    }

    /// Returns what a business's tasks have to pay downstream: the highest, over its callees, of the mean of their
    /// instances.
    pub(super) fn downstream(&self, now: Duration, business: usize) -> f64 {
        let prices = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let callees = prices.range((business, 0)..=(business, usize::MAX));
        let mean = |prices: &Vec<Option<Told>>| {
            let known = prices.iter().flatten().map(|told| told.now(now));
            let (sum, count) = known.fold((0.0, 0), |(sum, count), price| (sum + price, count + 1));
            sum / number(count.max(1))
        };
        callees.map(|(_, prices)| mean(prices)).fold(0.0, f64::max)
    }
}

impl Told {
    /// The price by now, if it fell as fast as it can.
    fn now(&self, now: Duration) -> f64 {
        let silent = now.saturating_sub(self.at).as_secs_f64();
        (self.price - silent * Tuning::default().fall_rate()).max(0.0)
    }
}
