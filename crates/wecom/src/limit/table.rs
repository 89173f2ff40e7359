//! The desks of all (corp, API), made when first asked for and forgotten when nothing would be lost with them.

use std::{
    collections::{
        HashMap,
        hash_map::{Entry, RandomState},
    },
    fmt,
    hash::BuildHasher as _,
    sync::{Arc, Mutex, PoisonError},
};

use super::desk::{Desk, Room};
use crate::name::{Api, CorpId};

/// So that looking for what can be forgotten, which is done one shard at a time, holds up few.
const SHARDS: usize = 32;
/// A shard with fewer desks is left as it is.
const FEW: usize = 64;

/// The desks.
///
/// There are as many as (corp, API) were called within the long window, and at most as many again: each time that a shard
/// has twice as many as were left of it the last time, the blank ones go.
pub(super) struct Table<R: Room> {
    shards: [Mutex<Shard<R>>; SHARDS],
    hasher: RandomState,
}

struct Shard<R: Room> {
    desks: HashMap<(CorpId, Api), Arc<Desk<R>>>,
    /// At how many to look for blank ones.
    full: usize,
}

// === impl Table ===

impl<R: Room> Table<R> {
    pub(super) fn new() -> Self {
        let shard = |_| {
            Mutex::new(Shard {
                desks: HashMap::new(),
                full: FEW,
            })
        };
        Self {
            shards: std::array::from_fn(shard),
            hasher: RandomState::new(),
        }
    }

    /// Returns the desk of this (corp, API), made with `make` if there is none.
    pub(super) fn get(
        &self,
        corp: &CorpId,
        api: Api,
        make: impl FnOnce() -> Desk<R>,
    ) -> Arc<Desk<R>> {
        let key = (corp.clone(), api);
        let shards = u64::try_from(SHARDS).unwrap_or(1);
        let index = usize::try_from(self.hasher.hash_one(&key) % shards).unwrap_or(0);
        // Nothing in there is left half done by a panic.
        let shard = self.shards[index].lock();
        let mut shard = shard.unwrap_or_else(PoisonError::into_inner);
        if shard.desks.len() >= shard.full && !shard.desks.contains_key(&key) {
            shard.forget_blank();
        }
        let desk = match shard.desks.entry(key) {
            Entry::Occupied(desk) => desk.into_mut(),
            Entry::Vacant(place) => place.insert(Arc::new(make())),
        };
        Arc::clone(desk)
    }

    /// Returns how many there are.
    pub(super) fn len(&self) -> usize {
        let len = |shard: &Mutex<Shard<R>>| {
            let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            shard.desks.len()
        };
        self.shards.iter().map(len).sum()
    }
}

impl<R: Room> fmt::Debug for Table<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("len", &self.len()).finish()
    }
}

// === impl Shard ===

impl<R: Room> Shard<R> {
    fn forget_blank(&mut self) {
        // Desks are handed out under the lock of the shard: one that nobody has now, nobody can get before it is gone.
        self.desks
            .retain(|_, desk| Arc::strong_count(desk) > 1 || !desk.is_blank());
        self.full = (2 * self.desks.len()).max(FEW);
    }
}
