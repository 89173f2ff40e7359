//! Which instance of the callee a call goes to.

use std::sync::{
    Mutex,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use super::{lock, spread};
use crate::{scenario::Balance, wire::Link, world::Chance};

/// How one caller instance chooses.
pub(super) struct Balancer {
    kind: Balance,
    chance: Mutex<Chance>,
    /// Whose turn it is.
    turn: AtomicUsize,
    /// Calls under way to each, where that is looked at.
    under_way: Box<[AtomicU64]>,
}

/// A call under way; over when this is dropped.
pub(super) struct UnderWay<'a>(Option<&'a AtomicU64>);

impl Balancer {
    /// For so many instances; `first` is whose turn is first.
    pub(super) fn new(kind: Balance, instances: usize, first: usize, chance: Chance) -> Self {
        let watched = if kind == Balance::TwoChoices {
            instances
        } else {
            0
        };
        Self {
            kind,
            chance: Mutex::new(chance),
            turn: AtomicUsize::new(first),
            under_way: (0..watched).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Returns the place of one of `links` (at least one) for a call of this user.
    pub(super) fn choose(&self, links: &[Link], user: u32) -> usize {
        let many = links.len();
        match self.kind {
            _ if many < 2 => 0,
            Balance::Random => lock(&self.chance).below(many),
            Balance::RoundRobin => self.turn.fetch_add(1, Ordering::Relaxed) % many,
            Balance::ByUser => by_user(user, many),
            Balance::TwoChoices => {
                let (one, other) = self.two(many);
                let better = self.load(links, other) < self.load(links, one);
                if better { other } else { one }
            }
        }
    }

    /// Counts a call to that one.
    pub(super) fn begin(&self, chosen: usize) -> UnderWay<'_> {
        let under_way = self.under_way.get(chosen);
        if let Some(under_way) = under_way {
            under_way.fetch_add(1, Ordering::Relaxed);
        }
        UnderWay(under_way)
    }

    /// Draws two different ones.
    fn two(&self, many: usize) -> (usize, usize) {
        let mut chance = lock(&self.chance);
        let one = chance.below(many);
        let other = chance.below(many - 1);
        (one, other + usize::from(other >= one))
    }

    /// What the policy knows, else our own calls under way.
    fn load(&self, links: &[Link], instance: usize) -> u64 {
        let link = &links[instance];
        if link.knows_load() {
            link.load()
        } else {
            self.under_way[instance].load(Ordering::Relaxed)
        }
    }
}

/// The same instance for a user from every caller, and neighbours in number all over them.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the result is below the count"
)]
fn by_user(user: u32, many: usize) -> usize {
    (spread(u64::from(user) + 1) % many as u64) as usize
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        if let Some(under_way) = self.0 {
            under_way.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
