//! Tokens in the memory of one process.

use std::{
    collections::HashMap,
    future::ready,
    sync::{Arc, Mutex},
    time::Duration,
};

use super::{BoxFuture, Lease, Stored, TokenKey, TokenStore, lock};
use crate::{clock::Clock, error::BoxError, secret::Secret};

/// A store in the memory of one process; its clones are the same store.
///
/// One entry of some 700 bytes for each key that has a token or a lease; others are dropped now and then, at
/// the latest when there are as many of them as of the living.
#[derive(Clone, Debug)]
pub struct MemoryStore {
    clock: Clock,
    shelf: Arc<Mutex<Shelf>>,
}

#[derive(Debug, Default)]
struct Shelf {
    entries: HashMap<TokenKey, Entry>,
    /// The greatest number of any lease or token, so that a key that was dropped and comes back goes on upwards.
    last: u64,
    /// With how many entries the dead ones are looked for.
    sweep_at: usize,
}

#[derive(Debug, Default)]
struct Entry {
    token: Option<Kept>,
    lease: Option<(u64, Duration)>,
    /// The latest generation that was stored; outlives the token, so that none before it comes back.
    stored: u64,
}

#[derive(Debug)]
struct Kept {
    token: Secret,
    expires: Duration,
    whole: Duration,
    generation: u64,
}

// === impl MemoryStore ===

impl MemoryStore {
    /// Returns an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self {
            clock: Clock::system(),
            shelf: Arc::default(),
        }
    }

    fn with<T>(&self, act: impl FnOnce(&mut Shelf, Duration) -> T) -> T {
        let now = self.clock.now();
        act(&mut lock(&self.shelf), now)
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl TokenStore for MemoryStore {
    fn load<'a>(&'a self, key: &'a TokenKey) -> BoxFuture<'a, Result<Option<Stored>, BoxError>> {
        let found = self.with(|shelf, now| shelf.entries.get(key)?.token(now));
        Box::pin(ready(Ok(found)))
    }

    fn lease<'a>(
        &'a self,
        key: &'a TokenKey,
        lasts: Duration,
    ) -> BoxFuture<'a, Result<Option<Lease>, BoxError>> {
        let lease = self.with(|shelf, now| {
            shelf.sweep(now);
            if shelf
                .entries
                .get(key)
                .is_some_and(|entry| entry.leased(now))
            {
                return None;
            }
            shelf.last += 1;
            let generation = shelf.last;
            let entry = shelf.entries.entry(key.clone()).or_default();
            entry.lease = Some((generation, now.saturating_add(lasts)));
            let owner = generation.to_string().into();
            Some(Lease { generation, owner })
        });
        Box::pin(ready(Ok(lease)))
    }

    fn store<'a>(
        &'a self,
        key: &'a TokenKey,
        new: Stored,
    ) -> BoxFuture<'a, Result<Option<Stored>, BoxError>> {
        if let Err(error) = new.check_generation() {
            return Box::pin(ready(Err(error)));
        }
        let there = self.with(|shelf, now| {
            shelf.sweep(now);
            shelf.last = shelf.last.max(new.generation);
            let entry = shelf.entries.entry(key.clone()).or_default();
            if new.generation >= entry.stored {
                entry.stored = new.generation;
                entry.token = Some(Kept {
                    token: new.token,
                    expires: now.saturating_add(new.lasts),
                    whole: new.whole,
                    generation: new.generation,
                });
            }
            entry.token(now)
        });
        Box::pin(ready(Ok(there)))
    }

    fn release<'a>(
        &'a self,
        key: &'a TokenKey,
        lease: &'a Lease,
    ) -> BoxFuture<'a, Result<(), BoxError>> {
        self.with(|shelf, _| {
            if let Some(entry) = shelf.entries.get_mut(key)
                && entry
                    .lease
                    .is_some_and(|(held, _)| held == lease.generation)
            {
                entry.lease = None;
            }
        });
        Box::pin(ready(Ok(())))
    }

    fn remove<'a>(
        &'a self,
        key: &'a TokenKey,
        value: &'a Secret,
    ) -> BoxFuture<'a, Result<bool, BoxError>> {
        let removed = self.with(|shelf, _| {
            let kept = &mut shelf.entries.get_mut(key)?.token;
            kept.take_if(|kept| kept.token == *value)
        });
        Box::pin(ready(Ok(removed.is_some())))
    }
}

// === impl Shelf ===

impl Shelf {
    /// The fewest entries that are worth a search.
    const FEW: usize = 64;

    /// Drops the dead entries each time that their number may have reached that of the living.
    fn sweep(&mut self, now: Duration) {
        if self.entries.len() < self.sweep_at.max(Self::FEW) {
            return;
        }
        self.entries
            .retain(|_, entry| entry.leased(now) || entry.token(now).is_some());
        self.sweep_at = self.entries.len() * 2;
    }
}

// === impl Entry ===

impl Entry {
    fn leased(&self, now: Duration) -> bool {
        self.lease.is_some_and(|(_, until)| now < until)
    }

    fn token(&self, now: Duration) -> Option<Stored> {
        let kept = self.token.as_ref().filter(|kept| now < kept.expires)?;
        Some(Stored {
            token: kept.token.clone(),
            lasts: kept.expires.saturating_sub(now),
            whole: kept.whole,
            generation: kept.generation,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::CorpId;

    fn key(corp: usize) -> TokenKey {
        TokenKey {
            corp: CorpId::new(&format!("ww{corp}")).unwrap(),
            app: "00112233aabbccdd".into(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn entries_of_the_dead_are_dropped() {
        let store = MemoryStore::new();
        for corp in 0..10_000 {
            let lease = store
                .lease(&key(corp), Duration::from_secs(1))
                .await
                .unwrap();
            let generation = lease.unwrap().generation;
            let new = Stored {
                token: Secret::from("t"),
                lasts: Duration::from_secs(2),
                whole: Duration::from_secs(2),
                generation,
            };
            store.store(&key(corp), new).await.unwrap();
            tokio::time::advance(Duration::from_millis(20)).await;
        }
        let left = store.with(|shelf, _| shelf.entries.len());
        assert!(
            left <= 2 * 100 + Shelf::FEW,
            "{left} entries for 100 living"
        );
    }
}
