//! The limiter of many processes, which count in one Redis.
//!
//! Three keys for each (corp, API), with the corp as hash tag, so that a cluster keeps them on one node and a script may
//! use them together:
//!
//! | key | holds | lives |
//! |---|---|---|
//! | `wecom:{corp}:limit:api:state` | pace, blocks, learnt ceiling and cap, whose turn it is | the long window, or until all learnt is undone |
//! | `wecom:{corp}:limit:api:ring` | the calls of the long window in up to 121 slots | the long window |
//! | `wecom:{corp}:limit:api:leases` | the calls in flight | the longest of them |
//!
//! Asking is one script, so that what is taken is taken from all or from none, and two processes never read the same
//! number before either writes it; giving back is another. What they reckon is what the limiter of one process
//! reckons, to the microsecond.
//!
//! # Whose time
//!
//! The server's, and never earlier than it was: a process whose clock is slow refills nothing. Where scripts may not ask for
//! `TIME`, as in some rented Redis, it is the caller's calendar, with the same rule; whichever clock is
//! ahead then leads, and [`skew`](super::Limits::skew) must be as long as the clocks are apart.
//! [`RedisLimiter::tells_time`] tells which it is.
//!
//! A server's clock that steps forward lets as much pass as it skipped, for it is the only one that all share. When it
//! steps back, time goes on from where it was.
//!
//! # Whose limits
//!
//! Each process keeps to its own, so that together they stay within the largest: new limits can be rolled out one process
//! at a time. Only the length of the long window must be the same, for its calls are counted in slots of a part of it. Whoever finds that others
//! count another length is told so ([`Refusal::Unreachable`](super::Refusal::Unreachable)) until those have granted nothing for the
//! length of a [lease](super::Limits::lease); then it takes over what they counted.
//!
//! # Who goes first
//!
//! Within a process the line decides. Between them: a less important call must leave half of the credit, so a more important one
//! of another process finds its room first; and the last room in flight goes to the process whose caller has the
//! turn, so that nobody starves beside one who gives back and takes again.
//!
//! # What is lost when
//!
//! Redis unreachable or slow: nothing is granted ([`Refusal::Unreachable`](super::Refusal::Unreachable)), because a
//! count that nobody keeps is no limit. A process dies: its calls in flight end with their leases. A reply is lost: what
//! was granted is given back when the connection works again, or ends with its lease. Redis loses its memory: the
//! count begins anew, and up to a window's worth is sent too much.
//!
//! # Cost
//!
//! One round trip to ask and one to give back, about 12 µs each of Redis' one thread (`benches/limit.rs`). Who finds no room is told when to ask
//! again, and spreads that over a quarter of the credit, so that eight processes ask about three times a call. Of a call in flight
//! nobody knows when it ends: the one that has the turn asks every 10 ms, the others every 40 ms.

use std::{fmt, sync::Arc, time::Duration};

use redis::aio::ConnectionLike;

use self::{office::Office, room::RedisRoom};
use super::{Ask, BoxAcquire, Limiter, Limits, desk::Desk, table::Table};
use crate::{
    error::{BoxError, Invalid},
    keyspace,
};

mod arguments;
mod office;
mod room;

/// A limiter that counts in a Redis, 6.0 or later. Cheap to clone; clones share connection and waiting lines.
///
/// `C` is any connection of the `redis` crate that can be cloned. Best one that finds its way back by itself
/// (`ConnectionManager`, `ClusterConnection`): a `MultiplexedConnection` that broke stays broken, and nothing is granted then.
///
/// All processes that share it must have the same length of the [long window](Limits::hour); of other limits, each keeps
/// to its own. An ACL user for it needs what the
/// [store for tokens](crate::token::RedisStore) needs, and `+hincrby +hdel +hgetall +zadd +zrem
/// +zcard +zscore +zremrangebyscore`.
///
/// ```no_run
/// # async fn run() -> Result<(), wecom::BoxError> {
/// use wecom::limit::{Limits, RedisLimiter};
///
/// let redis = redis::Client::open("redis://127.0.0.1/")?;
/// // Its own bound is 500 ms; that of the limiter is to hold.
/// let config = redis::aio::ConnectionManagerConfig::new().set_response_timeout(None);
/// let connection = redis.get_connection_manager_with_config(config).await?;
/// let limiter = RedisLimiter::connect(connection, Limits::default()).await?;
/// if !limiter.tells_time() {
///     eprintln!("this Redis does not tell the time: keep the clocks together");
/// }
/// # Ok(()) }
/// ```
pub struct RedisLimiter<C: RedisConnection>(Arc<Shared<C>>);

/// A connection to a Redis that can be cloned; implemented for all that fit, not by hand.
pub trait RedisConnection: ConnectionLike + Clone + Send + Sync + 'static {}

struct Shared<C: RedisConnection> {
    office: Arc<Office<C>>,
    prefix: Box<str>,
    table: Table<RedisRoom<C>>,
}

// === impl RedisLimiter ===

impl<C: RedisConnection> RedisLimiter<C> {
    /// Returns a limiter that uses this connection, having asked whether Redis tells scripts its time. Its keys
    /// begin with `wecom`, and it waits 1 s for an answer.
    ///
    /// # Errors
    ///
    /// [`Invalid`] if one of the limits is out of its range; else Redis cannot be asked, or runs no scripts.
    pub async fn connect(connection: C, limits: Limits) -> Result<Self, BoxError> {
        let mut office = Office::new(connection, limits.check()?);
        office.tells_time = office.probe().await?;
        Ok(Self::of(office, keyspace::PREFIX.into()))
    }

    /// Returns a limiter with another prefix of its keys. Default `wecom`. It shares nothing with this one.
    ///
    /// # Errors
    ///
    /// If it is empty, longer than 64 bytes, or has a byte that is no letter, digit, `-`, `_`, `.` or `:`. Braces
    /// would become the hash tag in place of the corp.
    pub fn with_prefix(self, prefix: &str) -> Result<Self, Invalid> {
        let prefix = keyspace::prefix(prefix)?;
        Ok(Self::of(self.0.office.again(), prefix))
    }

    /// Returns a limiter that waits for an answer of Redis this long, 1 ms to 60 s; what is out of the range is moved
    /// into it. Default 1 s. It shares no waiting line with this one.
    ///
    /// Connections of the `redis` crate give up after 500 ms unless they are told otherwise (`set_response_timeout`), and the
    /// shorter one counts.
    ///
    /// Too short: calls fail while Redis is only slow, and what was granted meanwhile is unused until it is given back.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        let mut office = self.0.office.again();
        office.timeout = timeout.clamp(Duration::from_millis(1), Duration::from_secs(60));
        Self::of(office, self.0.prefix.clone())
    }

    /// Returns whether Redis told scripts its time when this limiter was made. If not, the clocks of the processes count.
    #[must_use]
    pub fn tells_time(&self) -> bool {
        self.0.office.tells_time
    }

    fn of(office: Office<C>, prefix: Box<str>) -> Self {
        Self(Arc::new(Shared {
            office: Arc::new(office),
            prefix,
            table: Table::new(),
        }))
    }

    fn desk(&self, ask: &Ask<'_>) -> Arc<Desk<RedisRoom<C>>> {
        let Shared {
            office,
            prefix,
            table,
        } = &*self.0;
        table.get(ask.corp, ask.api, || {
            let name = |part| format!("{prefix}:{{{}}}:limit:{}:{part}", ask.corp, ask.api);
            let room = RedisRoom {
                office: Arc::clone(office),
                keys: Arc::new(["state", "ring", "leases"].map(name)),
            };
            Desk::new(room, Arc::clone(&office.plan), office.clock)
        })
    }
}

impl<C: RedisConnection> Limiter for RedisLimiter<C> {
    fn acquire<'a>(&'a self, ask: Ask<'a>) -> BoxAcquire<'a> {
        Box::pin(async move { self.desk(&ask).acquire(ask.rank, ask.patience).await })
    }
}

impl<C: RedisConnection> Clone for RedisLimiter<C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<C: RedisConnection> fmt::Debug for RedisLimiter<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisLimiter")
            .field("limits", &self.0.office.plan.limits)
            .field("prefix", &self.0.prefix)
            .finish_non_exhaustive()
    }
}

// === impl RedisConnection ===

impl<C: ConnectionLike + Clone + Send + Sync + 'static> RedisConnection for C {}

#[cfg(test)]
mod tests;
