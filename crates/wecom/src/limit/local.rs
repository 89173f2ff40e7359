//! The limiter of one process.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::{
    Ask, BoxAcquire, Limiter, Limits,
    book::{Book, End, Verdict},
    desk::{Answer, Desk, Outcome, Room},
    plan::{Micros, Plan, duration, micros},
    table::Table,
};
use crate::{
    clock::Clock,
    error::{BoxError, Invalid},
    rank::Rank,
};

/// A limiter that counts in the memory of this process. Cheap to clone; clones share the count.
///
/// For one process alone: of several, each would use all of what WeCom allows to all of them together. Those share a
/// `RedisLimiter` (feature `redis`).
///
/// ```
/// use std::time::Duration;
///
/// use wecom::{Api, Clock, CorpId, Rank, limit::{Ask, Limiter, Limits, LocalLimiter, Sign}};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let limiter = LocalLimiter::new(Limits::default(), Clock::system())?;
/// let corp = CorpId::new("ww1")?;
/// let ask = Ask {
///     corp: &corp,
///     api: Api::new("update_contact_way"),
///     rank: Rank::MOST_IMPORTANT,
///     patience: Duration::from_secs(5),
/// };
/// let permit = limiter.acquire(ask).await.expect("nothing was sent yet");
/// // The call is sent, and WeCom says 45009:
/// permit.settle(Sign::Frequency);
///
/// // Now it blocks for a minute, so that a call that can wait for 5 s fails at once.
/// assert!(limiter.acquire(ask).await.is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct LocalLimiter(Arc<Shared>);

struct Shared {
    plan: Arc<Plan>,
    clock: Clock,
    table: Table<LocalRoom>,
}

/// The count of one (corp, API).
struct LocalRoom {
    plan: Arc<Plan>,
    clock: Clock,
    book: Mutex<Book>,
}

// === impl LocalLimiter ===

impl LocalLimiter {
    /// Returns a limiter that has granted nothing yet.
    ///
    /// # Errors
    ///
    /// If one of the limits is out of its range; the error names it.
    pub fn new(limits: Limits, clock: Clock) -> Result<Self, Invalid> {
        Ok(Self(Arc::new(Shared {
            plan: Arc::new(limits.check()?),
            clock,
            table: Table::new(),
        })))
    }

    /// Returns of how many (corp, API) something is kept.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.0.table.len()
    }

    fn desk(&self, ask: &Ask<'_>) -> Arc<Desk<LocalRoom>> {
        let Shared { plan, clock, table } = &*self.0;
        table.get(ask.corp, ask.api, || {
            let room = LocalRoom {
                plan: Arc::clone(plan),
                clock: *clock,
                book: Mutex::default(),
            };
            Desk::new(room, Arc::clone(plan), *clock)
        })
    }
}

impl Limiter for LocalLimiter {
    fn acquire<'a>(&'a self, ask: Ask<'a>) -> BoxAcquire<'a> {
        Box::pin(async move { self.desk(&ask).acquire(ask.rank, ask.patience).await })
    }
}

impl fmt::Debug for LocalLimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalLimiter")
            .field("limits", &self.0.plan.limits)
            .field("kept", &self.kept())
            .finish()
    }
}

// === impl LocalRoom ===

impl LocalRoom {
    fn book(&self) -> MutexGuard<'_, Book> {
        // Nothing in there is left half done by a panic.
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, now: Duration, rank: Rank) -> Answer<Micros> {
        let now = micros(now);
        let mut book = self.book();
        let outcome = match book.ask(&self.plan, now, rank) {
            Verdict::Granted { at } => Outcome::Granted(at),
            Verdict::After(time) => Outcome::After(duration(time)),
            Verdict::Full => Outcome::Full(None),
        };
        let pace = duration(book.cost(&self.plan, now));
        Answer { outcome, pace }
    }
}

impl Room for LocalRoom {
    type Grant = Micros;

    fn ask_now(&self, now: Duration, rank: Rank) -> Option<Answer<Micros>> {
        Some(self.answer(now, rank))
    }

    async fn ask(&self, rank: Rank, _waited: Duration) -> Result<Answer<Micros>, BoxError> {
        Ok(self.answer(self.clock.now(), rank))
    }

    fn settle(desk: &Arc<Desk<Self>>, granted: Micros, end: End) {
        let Self { plan, clock, .. } = &desk.room;
        let now = micros(clock.now());
        desk.room.book().settle(plan, now, granted, end);
        desk.ring();
    }

    fn is_blank(&self, now: Duration) -> bool {
        self.book().is_blank(&self.plan, micros(now))
    }
}
