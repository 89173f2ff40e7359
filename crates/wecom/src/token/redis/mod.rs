//! Tokens in a Redis that processes share.
//!
//! Three keys for each (corp, app), with the corp as hash tag, so that a cluster keeps them on one node:
//!
//! | key | holds | lives |
//! |---|---|---|
//! | `wecom:{corp}:app:token` | the token, its generation, its whole life | as long as the token |
//! | `wecom:{corp}:app:lease` | who fetches now | as long as the lease |
//! | `wecom:{corp}:app:fence` | the last generation leased, and stored | twice the life of a token, 4 hours at least |
//!
//! Each step is one script, so it is done as a whole or not at all, and goes by the server's time. None of the keys
//! lives for ever: a generation is made of the server's time, so that it also grows over a lost
//! fence. Where `TIME` is refused, as by some rented ones, it is made of the caller's time, and one more
//! than the last at least; order then hangs on the fence alone.
//!
//! What stands under these names is this client's alone. Whatever else is found there, left by an operator, a `PERSIST`,
//! another version or a dump, counts as not there, and the next token is stored over it: a key of another
//! type, a token or a lease without an end, a number that is none or is out of range (a generation from 9 × 10¹⁵, a
//! life of more than 30 days), a token that is empty, longer than 4096 bytes or no UTF-8, one with more of its
//! life left than it ever had (the server's clock was set back by more than a minute), and a lease that lasts longer
//! than any: 5 minutes, and one for the clock. An error that names it would keep every process without a lease, each
//! fetching a token of its own, until somebody reads the log.
//!
//! A failover may lose a lease or a token that was not copied yet. That costs one fetch, and order is kept by the
//! generation.
//!
//! The token is kept as it is: who can read these keys can call as the app for up to two hours, and who can write
//! them can stop it. So give the clients a user of their own, which alone sees the prefix, and encrypt
//! the connection if others share the network:
//!
//! ```text
//! ACL SETUSER wecom on >… resetkeys ~wecom:* resetchannels -@all +eval +evalsha +script|load
//!     +time +get +set +del +hget +hmget +hset +pttl +pexpire +ping
//! ```
//!
//! # Example: one store for all clients of a process
//!
//! ```no_run
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! use redis::aio::{ConnectionManager, ConnectionManagerConfig};
//! use wecom::token::RedisStore;
//!
//! // Comes back by itself when Redis does; feature `connection-manager` of the crate `redis`.
//! let redis = redis::Client::open("redis://127.0.0.1/")?;
//! // Its own bound is 500 ms; that of `Settings::timeouts` is to hold.
//! let config = ConnectionManagerConfig::new().set_response_timeout(None);
//! let connection = ConnectionManager::new_with_config(redis, config).await?;
//! let store = RedisStore::new(connection).with_prefix("wecom-test")?;
//! # let _ = store;
//! # Ok(()) }
//! ```

use std::{fmt, sync::Arc, time::Duration};

use redis::{Script, aio::ConnectionLike};
use tokio::{runtime::Handle, time::timeout};

use super::{BoxFuture, Lease, Stored, TokenKey, TokenStore};
use crate::{
    clock::Clock,
    error::{BoxError, Invalid},
    keyspace::{self, run},
    secret::Secret,
};

/// A store in a Redis, 6.0 or later. Clones use the same connection.
///
/// No token in it is believed to live longer than 30 days, and no lease longer than 5 minutes; longer ones are cut.
///
/// `C` is any connection of the `redis` crate that can be cloned: `ConnectionManager` and `ClusterConnection`, which find
/// their way back by themselves, or `MultiplexedConnection`, which does not: once it is broken, every process is without
/// a store until it is started again. It is the connection's business to reconnect; the keeper's to give up a call
/// that takes too long, by [`Settings::timeouts`](super::Settings::timeouts). Connections of the `redis` crate
/// give up after 500 ms unless they are told otherwise, and the shorter one counts: take that bound away
/// (`set_response_timeout(None)`).
#[derive(Clone)]
pub struct RedisStore<C> {
    connection: C,
    prefix: Box<str>,
    /// For a Redis that does not tell the time.
    clock: Clock,
    scripts: Arc<Scripts>,
}

struct Scripts {
    load: Script,
    lease: Script,
    store: Script,
    release: Script,
    remove: Script,
}

/// A lease that was asked for and of which nothing was heard. It may have been granted, and then nobody would fetch as
/// long as it lasts: so it is given back when this is dropped.
struct Unheard<C>(Option<(RedisStore<C>, TokenKey, Lease)>)
where
    C: ConnectionLike + Clone + Send + Sync + 'static;

/// What a script returns of a token: the token, its generation, its whole life and the rest, in ms.
type Row = Option<(Vec<u8>, String, String, u64)>;

/// A script, with what all of them begin with.
macro_rules! script {
    ($file:literal) => {
        Script::new(concat!(include_str!("common.lua"), include_str!($file)))
    };
}

// === impl RedisStore ===

impl<C> RedisStore<C> {
    /// The fence lives at least for twice the usual 7200 s.
    const FENCE: Duration = Duration::from_secs(4 * 3600);
    /// What is longer than these is not believed by the scripts.
    const LONGEST_LIFE: Duration = Duration::from_secs(30 * 24 * 3600);
    const LONGEST_LEASE: Duration = Duration::from_secs(300);

    /// Returns a store that uses this connection, and `wecom` as the prefix of its keys.
    #[must_use]
    pub fn new(connection: C) -> Self {
        Self {
            connection,
            prefix: keyspace::PREFIX.into(),
            clock: Clock::system(),
            scripts: Arc::new(Scripts {
                load: script!("load.lua"),
                lease: script!("lease.lua"),
                store: script!("store.lua"),
                release: script!("release.lua"),
                remove: script!("remove.lua"),
            }),
        }
    }

    /// Sets what its keys begin with. Default `wecom`. Processes with different prefixes share nothing.
    ///
    /// # Errors
    ///
    /// If it is empty, longer than 64 bytes, or has a byte that is no letter, digit, `-`, `_`, `.` or `:`. Braces
    /// would become the hash tag in place of the corp.
    pub fn with_prefix(mut self, prefix: &str) -> Result<Self, Invalid> {
        self.prefix = keyspace::prefix(prefix)?;
        Ok(self)
    }

    fn name(&self, key: &TokenKey, part: &str) -> String {
        let Self { prefix, .. } = self;
        let TokenKey { corp, app } = key;
        format!("{prefix}:{{{corp}}}:{app}:{part}")
    }
}

impl<C> TokenStore for RedisStore<C>
where
    C: ConnectionLike + Clone + Send + Sync + 'static,
{
    fn load<'a>(&'a self, key: &'a TokenKey) -> BoxFuture<'a, Result<Option<Stored>, BoxError>> {
        Box::pin(async {
            let mut connection = self.connection.clone();
            let mut script = self.scripts.load.prepare_invoke();
            script.key(self.name(key, "token"));
            let row: Row = run(&script, &mut connection).await?;
            read(row)
        })
    }

    fn lease<'a>(
        &'a self,
        key: &'a TokenKey,
        lasts: Duration,
    ) -> BoxFuture<'a, Result<Option<Lease>, BoxError>> {
        Box::pin(async move {
            let mut connection = self.connection.clone();
            let owner = format!("{:032x}", rand::random::<u128>());
            let mut script = self.scripts.lease.prepare_invoke();
            script
                .key(self.name(key, "token"))
                .key(self.name(key, "fence"))
                .key(self.name(key, "lease"))
                .arg(&owner)
                .arg(whole_ms(lasts.min(Self::LONGEST_LEASE)))
                .arg(whole_ms(Self::FENCE))
                .arg(micros(self.clock.calendar()));
            let mut unheard = Unheard::new(self, key, &owner);
            let generation: Option<String> = run(&script, &mut connection).await?;
            let lease = match generation {
                Some(generation) => Some(Lease {
                    generation: number(&generation, "a lease's generation")?,
                    owner: owner.into(),
                }),
                None => None,
            };
            unheard.heard();
            Ok(lease)
        })
    }

    fn store<'a>(
        &'a self,
        key: &'a TokenKey,
        new: Stored,
    ) -> BoxFuture<'a, Result<Option<Stored>, BoxError>> {
        Box::pin(async move {
            let mut connection = self.connection.clone();
            new.check_generation()?;
            let whole = new.whole.min(Self::LONGEST_LIFE);
            let fence = Self::FENCE.max(whole * 2);
            let mut script = self.scripts.store.prepare_invoke();
            script
                .key(self.name(key, "token"))
                .key(self.name(key, "fence"))
                .arg(new.token.reveal())
                .arg(new.generation)
                .arg(whole_ms(whole))
                .arg(whole_ms(new.lasts.min(whole)))
                .arg(whole_ms(fence));
            let row: Row = run(&script, &mut connection).await?;
            read(row)
        })
    }

    fn release<'a>(
        &'a self,
        key: &'a TokenKey,
        lease: &'a Lease,
    ) -> BoxFuture<'a, Result<(), BoxError>> {
        Box::pin(async {
            let mut connection = self.connection.clone();
            let mut script = self.scripts.release.prepare_invoke();
            script.key(self.name(key, "lease")).arg(&*lease.owner);
            let _: i64 = run(&script, &mut connection).await?;
            Ok(())
        })
    }

    fn remove<'a>(
        &'a self,
        key: &'a TokenKey,
        value: &'a Secret,
    ) -> BoxFuture<'a, Result<bool, BoxError>> {
        Box::pin(async {
            let mut connection = self.connection.clone();
            let mut script = self.scripts.remove.prepare_invoke();
            script.key(self.name(key, "token")).arg(value.reveal());
            let removed: i64 = run(&script, &mut connection).await?;
            Ok(removed > 0)
        })
    }
}

impl<C> Unheard<C>
where
    C: ConnectionLike + Clone + Send + Sync + 'static,
{
    fn new(store: &RedisStore<C>, key: &TokenKey, owner: &str) -> Self {
        let lease = Lease {
            generation: 0,
            owner: owner.into(),
        };
        Self(Some((store.clone(), key.clone(), lease)))
    }

    fn heard(&mut self) {
        self.0 = None;
    }
}

impl<C> Drop for Unheard<C>
where
    C: ConnectionLike + Clone + Send + Sync + 'static,
{
    fn drop(&mut self) {
        let (Some((store, key, lease)), Ok(runtime)) = (self.0.take(), Handle::try_current())
        else {
            return;
        };
        runtime.spawn(async move {
            // Where this fails too, the lease ends by itself.
            let released = store.release(&key, &lease);
            let _ = timeout(RedisStore::<C>::LONGEST_LEASE, released).await;
        });
    }
}

impl<C> fmt::Debug for RedisStore<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore")
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

fn read(row: Row) -> Result<Option<Stored>, BoxError> {
    let Some((token, generation, whole, left)) = row else {
        return Ok(None);
    };
    // No token of ours: the next one takes its place.
    let Ok(token) = String::from_utf8(token) else {
        return Ok(None);
    };
    let stored = Stored {
        token: Secret::from(token),
        lasts: Duration::from_millis(left),
        whole: Duration::from_millis(number(&whole, "a token's whole_ms")?),
        generation: number(&generation, "a token's generation")?,
    };
    Ok(Some(stored).filter(Stored::is_token))
}

fn number(text: &str, what: &'static str) -> Result<u64, BoxError> {
    text.parse().map_err(|_| {
        format!("redis: {what} is not a whole number; who else writes that key?").into()
    })
}

/// Returns it in milliseconds, at least 1: Redis takes no life of 0.
fn whole_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).map_or(u64::MAX, |ms| ms.max(1))
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(0)
}
