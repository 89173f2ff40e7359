//! Who calls whom, and how often.

use std::ops::Range;

use super::tiers::Tiers;
use crate::world::Chance;

/// A call from one service to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Link {
    pub(super) from: usize,
    pub(super) to: usize,
    /// The chance that a task makes it when it is there.
    pub(super) probability: f64,
}

/// Some of the callees of a service.
struct Callees {
    places: Vec<usize>,
    /// How many calls a task makes to all of them together.
    calls: f64,
    /// How fast the calls fall with the rank.
    fall: Fall,
}

/// How much more the first is called than the others.
#[derive(Clone, Copy)]
enum Fall {
    /// As 1 / rank.
    Slow,
    /// As 1 / rank squared.
    Fast,
}

/// Draws all calls, ordered by caller.
pub(super) fn draw(seed: u64, tiers: &Tiers) -> Vec<Link> {
    let mut chance = Chance::new(seed, "links", 0);
    let popular = Popular::new(tiers);
    let mut links = Vec::new();
    for from in tiers.entries.clone() {
        let own = own(from, &tiers.entries, &tiers.upper);
        let upper = and_shared(own, ENTRY_SHARES, &tiers.upper, &mut chance);
        let basic = popular.draw(2, &mut chance);
        Callees::new(upper, ENTRY_CALLS, Fall::Fast).add(from, &mut links);
        Callees::new(basic, ENTRY_BASIC, Fall::Slow).add(from, &mut links);
    }
    for from in tiers.upper.clone() {
        let own = own(from, &tiers.upper, &tiers.lower);
        let lower = and_shared(own, UPPER_SHARES, &tiers.lower, &mut chance);
        let basic = popular.draw(1, &mut chance);
        Callees::new(lower, UPPER_CALLS, Fall::Slow).add(from, &mut links);
        Callees::new(basic, UPPER_BASIC, Fall::Slow).add(from, &mut links);
    }
    for from in tiers.lower.clone() {
        let basic = popular.draw(1, &mut chance);
        let mut own = own(from, &tiers.lower, &tiers.basic);
        own.retain(|callee| !basic.contains(callee));
        Callees::new(own, LOWER_CALLS, Fall::Slow).add(from, &mut links);
        Callees::new(basic, LOWER_BASIC, Fall::Slow).add(from, &mut links);
    }
    links
}

/// Returns those services of a tier that this caller, one of the tier above, has to call so that all are called.
fn own(from: usize, callers: &Range<usize>, tier: &Range<usize>) -> Vec<usize> {
    let first = tier.start + (from - callers.start);
    (first..tier.end).step_by(callers.len()).collect()
}

/// Adds some of the tier that others have to call.
fn and_shared(
    mut callees: Vec<usize>,
    many: usize,
    tier: &Range<usize>,
    chance: &mut Chance,
) -> Vec<usize> {
    for _ in 0..many {
        let shared = tier.start + chance.below(tier.len());
        if !callees.contains(&shared) {
            callees.push(shared);
        }
    }
    callees
}

// === impl Callees ===

impl Callees {
    const fn new(places: Vec<usize>, calls: f64, fall: Fall) -> Self {
        Self {
            places,
            calls,
            fall,
        }
    }

    /// Adds the calls to all of them.
    fn add(&self, from: usize, links: &mut Vec<Link>) {
        let mut left = self.calls;
        let mut weights: f64 = (1..=self.places.len()).map(|rank| self.fall.at(rank)).sum();
        for (rank, to) in (1..).zip(&self.places) {
            // What the first cannot take, because nothing is more than certain, the others share.
            let probability = f64::min(1.0, left * self.fall.at(rank) / weights);
            left -= probability;
            weights -= self.fall.at(rank);
            links.push(Link {
                from,
                to: *to,
                probability,
            });
        }
    }
}

// === impl Fall ===

impl Fall {
    fn at(self, rank: usize) -> f64 {
        match self {
            Self::Slow => weight(rank),
            Self::Fast => weight(rank) * weight(rank),
        }
    }
}

/// Basic services that everybody needs.
struct Popular {
    tier: Range<usize>,
    /// The sums of the weights up to each.
    sums: Vec<f64>,
}

// === impl Popular ===

impl Popular {
    fn new(tiers: &Tiers) -> Self {
        let mut sum = 0.0;
        let sums = (1..=tiers.basic.len()).map(|rank| {
            sum += weight(rank + POPULAR_FROM);
            sum
        });
        Self {
            tier: tiers.basic.clone(),
            sums: sums.collect(),
        }
    }

    /// Draws so many different ones; fewer than there are.
    fn draw(&self, many: usize, chance: &mut Chance) -> Vec<usize> {
        let all = self.sums.last().copied().unwrap_or_default();
        let mut drawn = Vec::with_capacity(many);
        while drawn.len() < many {
            let sum = chance.unit() * all;
            let rank = self.sums.partition_point(|before| *before <= sum);
            let place = self.tier.start + rank.min(self.tier.len() - 1);
            if !drawn.contains(&place) {
                drawn.push(place);
            }
        }
        drawn
    }
}

/// Returns 1 / rank.
pub(super) fn weight(rank: usize) -> f64 {
    // No tier has 2^32 services.
    1.0 / f64::from(u32::try_from(rank).unwrap_or(u32::MAX))
}

/// How many callees an entry draws from the whole upper tier, beside its own.
const ENTRY_SHARES: usize = 2;
/// Calls to the upper tier: the first of them for certain. Each makes 4.5 requests with all that follows, so that a
/// task makes 10.
const ENTRY_CALLS: f64 = 14.0 / 9.0;
/// Calls to popular basic services, two of them.
const ENTRY_BASIC: f64 = 2.0;
/// How many callees a service of the upper tier draws from the whole lower tier, beside its own.
const UPPER_SHARES: usize = 1;
/// Calls to the lower tier.
const UPPER_CALLS: f64 = 1.0;
/// Calls to a popular basic service.
const UPPER_BASIC: f64 = 1.0;
/// Calls to its own basic services.
const LOWER_CALLS: f64 = 1.0;
/// Calls to a popular basic service.
const LOWER_BASIC: f64 = 0.5;
/// How flat the first ranks of popular services are: the first is drawn twice as often as the sixteenth.
const POPULAR_FROM: usize = 14;
