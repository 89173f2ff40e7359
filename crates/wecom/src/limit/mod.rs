//! The vendor's limits, kept from this side: a call waits here instead of being refused there.
//!
//! WeCom counts every call of an enterprise to an API, in a minute and in an hour at once, and blocks the pair for a minute or
//! an hour when there was one too many. Whoever runs into that loses more than by waiting, and loses it for the important
//! calls too. So a [`Limiter`] gives leave for each call, and the least important wait. [`LocalLimiter`] counts
//! for one process, `RedisLimiter` (feature `redis`) for many.
//!
//! # What is counted
//!
//! For each (corp, API) by itself: the calls of the short window (10,000 in 60 s), those of the long one (150,000 in
//! 3,600 s), and those in flight (5). A call is taken from all three or from none.
//!
//! A call arrives later than it was let go, and nobody knows by how much. But those that were let go before an interval and arrive
//! within it were in flight at its start, so they are at most as many as may be. Both windows are therefore
//! smaller by that number, and hold *whatever* calls meet on their way, for fixed and for sliding windows alike. It costs
//! 0.05 % of the minute; an allowance of half a second for delays would cost 0.8 % and be wrong at the first
//! slow handshake. A [skew](Limits::skew) remains for clocks that do not run alike and calls that were given up.
//!
//! # Why two ways of counting
//!
//! *The minute is a pace.* One number tells when all that was let go will have been paid for at an even rate, and a call may go
//! if that is not further ahead than the credit (GCRA; a token bucket in one number). A window that is counted would let
//! 10,000 calls go as fast as they come and then nothing for the rest of the minute, so that an important call waits for
//! most of it. Here it waits for its 6 ms. The credit is small, 25 calls: what may go at once cannot go later.
//! 99.5 % of the allowance is used.
//!
//! *The hour is counted*, in 120 slots. It must let the minute's rate pass for a quarter of an hour; a pace with a credit
//! of that size would grant 4 calls a second ever after. One slot more than the hour is counted, so that 99.2 % is used.
//! When the hour is used up, the least important have left 10 % of it over for the most important
//! ([reserve](Limits::reserve_percent)); nothing else is spread over the hour.
//!
//! # Who goes first
//!
//! In a process there is one line for each (corp, API), by [`Rank`] and then by arrival, and one task that asks in the name
//! of who is first. Between processes the least important may use half of the credit only, so that
//! every call that may go can be had by the important for some 70 ms before the others see it; nothing is agreed on but
//! whose turn is next when all calls in flight are taken.
//!
//! A caller is refused as soon as it is known that their patience will not do, and that includes those ahead of them:
//! nobody waits for 5 s to learn what was clear at once. The line holds 10,000; the least important goes when it is full.
//!
//! # What refusals change
//!
//! | sign | nothing is sent for | after that |
//! |---|---|---|
//! | 45009 | 60 s, and 60 min if it comes again within 120 s after | the pace is 70 % of what the last minute held; it stays for 10 min, then rises by 5 % of the window a minute |
//! | 45033 | 200 ms | half as many in flight, one more after each 100 successes |
//! | 45036 | 10 min, doubled up to 60 min | as before |
//! | 45035 | - | as before: it is about one record |
//!
//! Refusals of calls that were let go before the last one took effect are echoes of the same excess and change
//! nothing. What was learnt twice in a row is tried half as often, as each trial costs a block.
//!
//! # Documented and assumed
//!
//! Documented: both windows and that they hold at once (path/90312), for how long WeCom blocks, what the four codes
//! mean (path/90313). Assumed: 5 in flight (WeCom's staff, of some APIs), and everything in the table that is no length of a
//! documented block. WeCom may count in windows of any kind, and less than it documents: the pace follows what it does.
//! The limits of an address and of a provider are not counted here.
//!
//! # Units and cost
//!
//! Times are microseconds, counts are calls; both are whole. A call in one process takes well below a microsecond. An entry takes
//! some 500 bytes and 16 for each slot with a call, 2.5 kB at most, and is forgotten when a new one would say the
//! same: an hour after its last call, or when all that was learnt is undone. A caller in the line takes some 300 bytes. In
//! Redis a call is two scripts; see there.

use std::{fmt, future::Future, pin::Pin, time::Duration};

use crate::{
    error::BoxError,
    name::{Api, CorpId},
    rank::Rank,
};

mod book;
mod brake;
mod cap;
mod desk;
mod line;
mod local;
mod plan;
#[cfg(feature = "redis")]
mod redis;
mod ring;
mod settings;
mod table;

#[cfg(feature = "redis")]
pub use self::redis::{RedisConnection, RedisLimiter};
pub use self::{
    local::LocalLimiter,
    settings::{Limits, Window},
};

/// What decides when a call may be sent.
///
/// Each (corp, API) is counted by itself; two of them never affect each other.
pub trait Limiter: Send + Sync + 'static {
    /// Waits for room for one call.
    ///
    /// # Errors
    ///
    /// [`Refusal::NoRoom`] as soon as it is known that there will be none within `ask.patience`,
    /// [`Refusal::Unreachable`] if what is shared cannot be asked.
    ///
    /// # Cancellation
    ///
    /// A dropped future has used nothing up.
    fn acquire<'a>(&'a self, ask: Ask<'a>) -> BoxAcquire<'a>;
}

/// What [`Limiter::acquire`] returns.
pub type BoxAcquire<'a> = Pin<Box<dyn Future<Output = Result<Permit, Refusal>> + Send + 'a>>;

/// Who asks for room, and for how long they can wait.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// The enterprise.
    pub corp: &'a CorpId,
    /// The API.
    pub api: Api,
    /// How important the call is.
    pub rank: Rank,
    /// How long it can wait.
    pub patience: Duration,
}

/// Why there is no room.
#[derive(Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// Not within the time given; there may be some after `retry_after`.
    NoRoom {
        /// When asking again makes sense.
        retry_after: Duration,
    },
    /// What processes share did not answer.
    Unreachable(BoxError),
}

/// Leave to send one call. Dropped without [`settle`](Self::settle) it counts as sent, with nothing learnt.
#[must_use = "settle it with what came back"]
pub struct Permit(Box<dyn Held>);

/// The limiter's side of a [`Permit`].
pub trait Held: Send + Sync {
    /// Is told what came back. The room for a call in flight is given back when the value is dropped.
    fn settle(self: Box<Self>, sign: Sign);
}

/// What came back, as far as limits go.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Sign {
    /// WeCom did something about it, well or not.
    Served,
    /// 45009: the frequency limit.
    Frequency,
    /// 45033: the concurrency limit.
    Concurrency,
    /// 45035: two writes of one record at once.
    Conflict,
    /// 45036: limited after abnormal traffic.
    Abnormal,
    /// No answer that says anything.
    Lost,
}

// === impl Permit ===

impl Permit {
    /// Returns the permit of what a limiter holds for it.
    pub fn new(held: impl Held + 'static) -> Self {
        Self(Box::new(held))
    }

    /// Tells the limiter what came back.
    pub fn settle(self, sign: Sign) {
        self.0.settle(sign);
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Permit")
    }
}
