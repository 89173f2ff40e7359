//! Access tokens: one for each (corp, app), fetched rarely, shared by all that need it.
//!
//! A call takes the token at hand: no lock, no wait. This module decides when that token is fetched, by whom, and
//! when it is no longer used. A user of the crate chooses a [`TokenStore`], the [`Settings`] and an [`Egress`], and
//! has no more to do with it.
//!
//! ```
//! use std::time::Duration;
//! use wecom::{CorpId, Secret, token::{MemoryStore, Stored, TokenKey, TokenStore}};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//! let store = MemoryStore::new();
//! let key = TokenKey { corp: CorpId::new("ww1")?, app: "00112233aabbccdd".into() };
//! let stored = |token, generation| {
//!     let life = Duration::from_secs(7200);
//!     Stored { token: Secret::from(token), lasts: life, whole: life, generation }
//! };
//!
//! // One process may fetch; the others wait for what it brings.
//! let slow = store.lease(&key, Duration::from_secs(10)).await?.expect("nobody fetches");
//! assert!(store.lease(&key, Duration::from_secs(10)).await?.is_none());
//!
//! // It is so slow that its lease ends (here: is given back), and another one is quicker.
//! store.release(&key, &slow).await?;
//! let quick = store.lease(&key, Duration::from_secs(10)).await?.expect("nobody fetches");
//! store.store(&key, stored("new", quick.generation)).await?;
//!
//! // What the slow one brings in the end is too old, and it is told which token to use.
//! let there = store.store(&key, stored("old", slow.generation)).await?;
//! assert_eq!(there.map(|there| there.token), Some(Secret::from("new")));
//! assert_eq!(store.load(&key).await?.map(|there| there.token), Some(Secret::from("new")));
//! # Ok(()) }
//! ```
//!
//! # Signals
//!
//! - *time*: how long a token lives, as WeCom said (`expires_in`), counted from before it was asked for and by this
//!   process's own clock. A store tells remainders, never dates, so no two calendars are compared.
//! - *a rejection*: WeCom refused a token to a call. It counts for that token alone: the first of two hundred callers
//!   that saw the same one dead drops it, the others find that it is gone, or replaced, and drop nothing.
//! - *what a fetch is answered*: a token, a refusal of the secret, 45009, or anything else, which may pass.
//! - *what the store says*: a token of another process, and who may fetch.
//!
//! # When it is fetched
//!
//! By the first caller that finds none at hand, and ahead of its end, at a moment drawn from 85 to 90 % of its life so that
//! thirty thousand tenants started in one minute are refreshed over six. The old one is served until the new one is
//! stored. A refresh that fails is tried again after 5 s, 10 s, and so on to 2 minutes, and no caller is told while the
//! old one lives. A token that nobody asks for is not refreshed: there is no timer, and an idle tenant costs nothing. In
//! the last 5 s of its life (of a short one, the last tenth) a token is not used, for a call takes time to arrive.
//!
//! All callers of a process join one *flight*, which is a task of its own: a caller that gives up takes nothing with it. A
//! flight asks the store for a newer token, takes the lease, *asks the store again* (the last holder may just have brought
//! one), fetches, stores, and only then puts the token to hand. Every step has a timeout, so a flight ends; if its task
//! panics or its runtime is shut down, those who wait get an error at once.
//!
//! # When it is dropped
//!
//! When WeCom refuses it: from this process's hand, and from the store if it is still there, whoever put it there. The
//! last eight refused tokens are remembered, so that a store that did not forget one does not bring it back. If
//! WeCom itself gives the same text out once more, it is used: it is a later generation.
//!
//! A caller whose token is refused, and whose next one is refused too, gets an error although a third would do: one repetition a
//! call. That takes two tokens killed by somebody else, of which this process has not seen the second.
//!
//! # What bounds the fetches
//!
//! | bound | default | when it is reached |
//! |---|---|---|
//! | flights of a process at a time | 1 | callers wait for it |
//! | lease of all processes | 1 | the flight waits, at most two leases long |
//! | fetches in any 60 s of one client | 10 | [`NoToken::TooMany`](crate::error::NoToken::TooMany) |
//! | after failed fetches in a row | 0.5 s doubling to 10 s | the last error again |
//! | after a refused secret | 1 minute doubling to 1 hour | [`NoToken::Breaker`](crate::error::NoToken::Breaker) |
//! | refused secrets of an [`Egress`] in any hour | 200, 600 with those of new tenants, 800 in all | `TooMany`, to the refused first, then to new tenants, then to all |
//! | 45009 to a fetch of an `Egress` | 60 s doubling to 16 minutes | `TooMany`, to all but one attempt |
//!
//! While callers are held back, the store is still asked once a second: another process may have a token, and that also
//! closes the breaker.
//!
//! # Between processes
//!
//! A lease keeps them from fetching at once, and that is all it is for: if two hold it (a failover, a pause longer than the
//! lease), one fetch is made too many. Order hangs on the *generation* instead, which grows with every lease: a store takes
//! no token of a smaller one than it has had, and a process takes none from a store that is older than its last. A
//! process that dies with the lease delays the others by its rest, 10 s at most.
//!
//! Where WeCom lets the old token die with the new one, the other processes learn of the new one by their first refused call;
//! it finds the new one in the store and is repeated, without another fetch.
//!
//! # When the store is down
//!
//! The token at hand is used to its end. With none at hand one is fetched without a lease, for a dead Redis must not stop
//! thirty thousand tenants; then every process has a token of its own. Where each new one kills the last, the processes
//! kill each other's, ten times a minute each at most, until the store is back. A token without a lease has no generation: until
//! the next one that has, age decides which token is older.
//!
//! # Why no model of its memory orderings
//!
//! The token and all that belongs to it is swapped as one value (`ArcSwap`), and everything else changes under
//! one mutex. The only other atomic says when the refresh is due, and is claimed by compare-and-exchange; who loses does
//! nothing. There is no protocol between two atomics whose orderings could be wrong.
//!
//! # Units
//!
//! Durations everywhere; a store in milliseconds where it has to write them. Moments are times since a client's clock was
//! made. A generation is a number that only grows.

use std::{
    future::{Future, ready},
    pin::Pin,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crate::{error::Error, name::Api, secret::Secret};

mod breaker;
mod budget;
mod egress;
mod flight;
mod held;
mod keeper;
mod memory;
mod order;
#[cfg(feature = "redis")]
mod redis;
mod settings;
mod store;
#[cfg(test)]
mod tests;

#[cfg(feature = "redis")]
pub use self::redis::RedisStore;
pub use self::{
    egress::Egress,
    memory::MemoryStore,
    settings::Settings,
    store::{Lease, Stored, TokenKey, TokenStore},
};
pub(crate) use self::{keeper::Keeper, store::LONGEST_TOKEN};

/// A boxed future, so that stores can be chosen when the program runs.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Fetches a new token from WeCom; made by the client of its transport and credential.
pub(crate) trait Fetch: Send + Sync + 'static {
    /// Gets what has to be had of others before WeCom can be asked. Nothing is sent to WeCom, so it counts against
    /// nothing that WeCom counts.
    fn prepare(&self) -> BoxFuture<'_, Result<Option<Secret>, Error>> {
        Box::pin(ready(Ok(None)))
    }

    /// Asks WeCom for a token, once, with what was prepared.
    fn fetch(&self, prepared: Option<Secret>) -> BoxFuture<'_, Result<Fetched, Error>>;

    /// Returns the API that is asked, which errors name.
    fn api(&self) -> Api;
}

/// A token as WeCom gave it.
#[derive(Clone, Debug)]
pub(crate) struct Fetched {
    pub(crate) token: Secret,
    /// `expires_in`.
    pub(crate) lasts: Duration,
}

/// Locks what is never left half changed, so that another thread's panic does not matter.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
