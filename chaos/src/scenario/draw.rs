//! What a task's draw decides: how many calls it makes, and whether it makes them at all.
//!
//! Each task has 64 bits of chance of its own. Every call of the graph mixes them with its place in the
//! scenario, so that what a task does at one call says nothing about what it does at another, while the
//! same task does the same under every policy, in both engines and whoever asks.

use super::{Calls, Edge, Scenario, Service};

// === impl Edge ===

impl Edge {
    /// Returns how many calls a task with this `draw` makes here, each time it gets to the caller; `index` is the
    /// call's place in the scenario. Whether the task's business makes them at all is not asked.
    #[must_use]
    pub fn makes(&self, index: usize, draw: u64) -> u32 {
        // Lossless: usize has at most 64 bits.
        let of_edge = mixed(draw ^ mixed(index as u64 + 1));
        if unit(of_edge) >= self.probability {
            return 0;
        }
        match &self.calls {
            Calls::Fixed(calls) => *calls,
            Calls::OneOf(choices) => {
                let place = below(mixed(of_edge), choices.len());
                choices.get(place).copied().unwrap_or_default()
            }
        }
    }

    /// Returns whether tasks of this business make these calls.
    #[must_use]
    pub fn is_for(&self, business: usize) -> bool {
        self.businesses.is_empty() || self.businesses.contains(&business)
    }
}

// === impl Service ===

impl Service {
    /// Returns the speed of an instance while nothing is wrong.
    #[must_use]
    pub fn speed(&self, instance: u32) -> f64 {
        let place = usize::try_from(instance).unwrap_or(usize::MAX);
        self.speeds.get(place).copied().unwrap_or(1.0)
    }
}

/// How many calls tasks of one business make at one service, ready to be asked for many tasks.
#[derive(Clone, Debug)]
pub struct Weigher<'a> {
    edges: &'a [Edge],
    /// The calls that lie between the entry and the service: in an order in which each caller has all of its calls
    /// counted before its own.
    steps: Vec<usize>,
    services: usize,
    entry: usize,
    service: usize,
}

impl<'a> Weigher<'a> {
    /// Looks up what lies between the entry of `business` and `service`.
    #[must_use]
    pub fn new(scenario: &'a Scenario, business: usize, service: usize) -> Self {
        let edges = &scenario.edges;
        let mut leads = vec![false; scenario.services.len()];
        leads[service] = true;
        let order = super::order::callers_first(scenario.services.len(), edges);
        let mut steps = Vec::new();
        for &place in order.iter().rev() {
            let edge = &edges[place];
            if edge.is_for(business) && leads[edge.to] {
                leads[edge.from] = true;
                steps.push(place);
            }
        }
        steps.reverse();
        Self {
            edges,
            steps,
            services: scenario.services.len(),
            entry: scenario.businesses[business].entry,
            service,
        }
    }

    /// Returns how many calls the task with this draw makes at the service if nothing fails; the task itself
    /// counts as one where it enters.
    #[must_use]
    pub fn of(&self, draw: u64) -> u32 {
        let mut made = vec![0_u32; self.services];
        made[self.entry] = 1;
        for &place in &self.steps {
            let edge = &self.edges[place];
            let calls = made[edge.from].saturating_mul(edge.makes(place, draw));
            made[edge.to] = made[edge.to].saturating_add(calls);
        }
        made[self.service]
    }
}

/// Returns how many calls the task of `business` with this `draw` makes at `service`, if nothing fails.
///
/// [`Weigher`] answers the same for many tasks faster.
#[must_use]
pub fn visits_of_draw(scenario: &Scenario, business: usize, draw: u64, service: usize) -> u32 {
    Weigher::new(scenario, business, service).of(draw)
}

/// Sixty-four bits of which each depends on all of `bits`: the finalizer of `SplitMix64` (Steele, Lea and Flood 2014).
const fn mixed(bits: u64) -> u64 {
    let bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Returns a number from 0 to below 1.
#[expect(clippy::cast_precision_loss, reason = "53 bits are what a double has")]
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

/// Returns a whole number below `bound`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the result is below the bound"
)]
fn below(bits: u64, bound: usize) -> usize {
    ((u128::from(bits) * bound as u128) >> 64) as usize
}
