//! What goes wrong by itself: which faults befall which call.
//!
//! Each call gets a number, and whether a rule befalls it is drawn from the seed, that number and the rule's place
//! alone: so the same calls in the same order meet the same faults, and a rule more or less does not move what the
//! others do. Several can befall one call: slow, and then without an answer. What they do is the business of whoever
//! answers the call; here is only drawn. Rules are switched while calls run by putting other [`Faults`] in place
//! (`PUT /admin/settings`), which counts `times` anew.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::{
    api::Api,
    profile::{Fault, FaultKind},
};

mod chance;

pub(crate) use self::chance::Draw;

/// The faults of a profile, and how often each has still to happen.
#[derive(Debug, Default)]
pub struct Faults {
    rules: Vec<Rule>,
    seed: u64,
    /// Calls that were drawn for; the next one's number.
    calls: AtomicU64,
}

/// How often a rule befell a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Befell {
    /// The rule.
    pub fault: Fault,
    /// How many calls it befell.
    pub calls: u64,
}

#[derive(Debug)]
struct Rule {
    fault: Fault,
    befell: AtomicU64,
}

// === impl Faults ===

impl Faults {
    /// Returns the layer that draws from these, in this order; `seed` decides which calls they befall.
    #[must_use]
    pub fn new(faults: &[Fault], seed: u64) -> Self {
        let rules = faults.iter().map(|fault| Rule {
            fault: Fault {
                // Calls are drawn for by their names.
                api: fault.api.as_ref().map(|api| {
                    let known = Api::of_name(api).map(|api| String::from(api.name()));
                    known.unwrap_or_else(|| api.clone())
                }),
                ..fault.clone()
            },
            befell: AtomicU64::new(0),
        });
        Self {
            rules: rules.collect(),
            seed,
            calls: AtomicU64::new(0),
        }
    }

    /// Returns what befalls one call of this enterprise (empty if it is not known) and API, in the order of the rules.
    /// A latency comes with the delay that was drawn, as its median and its percentile alike.
    #[must_use]
    pub fn draw(&self, corp: &str, api: &str) -> Vec<FaultKind> {
        if self.rules.is_empty() {
            return Vec::new();
        }
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let befallen = self.rules.iter().zip(0..).filter_map(|(rule, place)| {
            let mut draw = Draw::new(self.seed, call, place);
            (rule.fits(corp, api) && rule.befalls(&mut draw)).then(|| drawn(&rule.fault.what, draw))
        });
        befallen.collect()
    }

    /// Returns how often each rule befell a call, in their order.
    #[must_use]
    pub fn befell(&self) -> Vec<Befell> {
        let rules = self.rules.iter().map(|rule| Befell {
            fault: rule.fault.clone(),
            calls: rule.befell.load(Ordering::Relaxed),
        });
        rules.collect()
    }
}

// === impl Rule ===

impl Rule {
    fn fits(&self, corp: &str, api: &str) -> bool {
        let is = |wanted: &Option<String>, name| wanted.as_ref().is_none_or(|it| it == name);
        is(&self.fault.corp, corp) && is(&self.fault.api, api)
    }

    /// Draws, and counts the call against `times`.
    fn befalls(&self, draw: &mut Draw) -> bool {
        if draw.unit() >= self.fault.share {
            return false;
        }
        let most = self.fault.times.unwrap_or(u64::MAX);
        let counted = self
            .befell
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |befell| {
                (befell < most).then_some(befell + 1)
            });
        counted.is_ok()
    }
}

/// Returns what happens to one call.
fn drawn(what: &FaultKind, mut draw: Draw) -> FaultKind {
    let FaultKind::Latency { median_ms, p99_ms } = *what else {
        return what.clone();
    };
    // The percentile is that of the normal distribution below the exponential.
    let width = (p99_ms / median_ms).ln() / NORMAL_P99;
    let delay_ms = (median_ms * (width * draw.normal()).exp()).min(LONGEST_MS);
    FaultKind::Latency {
        median_ms: delay_ms,
        p99_ms: delay_ms,
    }
}

/// The 99th percentile of the standard normal distribution.
const NORMAL_P99: f64 = 2.326_347_874_040_840_8;

/// An hour, as the longest median: the tail of a wide distribution has no end.
const LONGEST_MS: f64 = 3_600_000.0;
