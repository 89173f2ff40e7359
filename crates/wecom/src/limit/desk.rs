//! Where the callers of one process wait for one (corp, API), and who asks in their names.
//!
//! One task at a time asks, for whoever is first, and hands what it is given to whoever is first *then*. So a caller may
//! go away at any moment without anything being lost with it, nobody is overtaken by who is less important, and
//! what is shared is asked once and not by ten thousand.

use std::{
    future::Future,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    runtime::Handle,
    sync::{Notify, oneshot},
};

use self::{
    asking::Asking,
    queue::{Queue, no_room},
};
use super::{
    Held, Permit, Refusal, Sign,
    book::End,
    line::{Place, Waiter},
    plan::Plan,
};
use crate::{
    clock::Clock,
    error::{BoxError, Plain},
    rank::Rank,
};

mod asking;
mod queue;

/// Keeps the count of one (corp, API), here or elsewhere.
pub(super) trait Room: Send + Sync + Sized + 'static {
    /// What has to be told again when a grant ends.
    type Grant: Send + Sync + 'static;

    /// Asks for room for one call, without waiting for anything; `None` if that cannot be done.
    fn ask_now(&self, now: Duration, rank: Rank) -> Option<Answer<Self::Grant>>;

    /// Asks for room for one call of this rank that has waited so long.
    fn ask(
        &self,
        rank: Rank,
        waited: Duration,
    ) -> impl Future<Output = Result<Answer<Self::Grant>, BoxError>> + Send;

    /// Takes a grant back, and rings when that is done.
    fn settle(desk: &Arc<Desk<Self>>, grant: Self::Grant, end: End);

    /// Returns whether nothing would be forgotten with it.
    fn is_blank(&self, now: Duration) -> bool;
}

/// What came of asking.
#[derive(Debug)]
pub(super) struct Answer<G> {
    pub(super) outcome: Outcome<G>,
    /// How much time a call costs at this moment.
    pub(super) pace: Duration,
}

#[derive(Debug)]
pub(super) enum Outcome<G> {
    Granted(G),
    /// There will be no room before.
    After(Duration),
    /// All calls in flight are taken. To be asked again after that time, where others give back unheard.
    Full(Option<Duration>),
}

/// The desk of one (corp, API).
pub(super) struct Desk<R: Room> {
    pub(super) room: R,
    plan: Arc<Plan>,
    clock: Clock,
    queue: Mutex<Queue<R>>,
    /// Tells the asking task that there may be room, somebody better, or nobody any more.
    bell: Notify,
}

/// Room for one call, given back when it is dropped.
pub(super) struct Grant<R: Room> {
    desk: Arc<Desk<R>>,
    grant: Option<R::Grant>,
}

/// A caller in the line; leaves it when dropped.
struct Waiting<'a, R: Room> {
    desk: &'a Arc<Desk<R>>,
    place: Place,
    answer: oneshot::Receiver<Result<Grant<R>, Refusal>>,
}

// === impl Desk ===

impl<R: Room> Desk<R> {
    pub(super) fn new(room: R, plan: Arc<Plan>, clock: Clock) -> Self {
        Self {
            room,
            plan,
            clock,
            queue: Mutex::new(Queue::new()),
            bell: Notify::new(),
        }
    }

    /// Waits for room for one call.
    pub(super) async fn acquire(
        self: &Arc<Self>,
        rank: Rank,
        patience: Duration,
    ) -> Result<Permit, Refusal> {
        let mut waiting = match self.enter(rank, patience)? {
            Entered::Granted(grant) => return Ok(Permit::new(grant)),
            Entered::Waits(waiting) => waiting,
        };
        match (&mut waiting.answer).await {
            Ok(answer) => answer.map(Permit::new),
            Err(_) => {
                let why = Plain("the runtime in which the limiter asked has ended");
                Err(Refusal::Unreachable(why.into()))
            }
        }
    }

    /// Says that there may be room.
    pub(super) fn ring(&self) {
        self.bell.notify_one();
    }

    /// Returns whether the desk can be forgotten, if nobody else has it.
    pub(super) fn is_blank(&self) -> bool {
        self.queue().line.len() == 0 && self.room.is_blank(self.clock.now())
    }

    fn enter(self: &Arc<Self>, rank: Rank, patience: Duration) -> Result<Entered<'_, R>, Refusal> {
        let now = self.clock.now();
        let mut queue = self.queue();
        let first = queue.line.first();
        let is_first = first.is_none_or(|first| rank < first.rank());
        if is_first && let Some(answer) = self.room.ask_now(now, rank) {
            queue.pace = answer.pace;
            match answer.outcome {
                Outcome::Granted(grant) => return Ok(Entered::Granted(Grant::new(self, grant))),
                Outcome::After(time) if time > patience => return Err(no_room(time)),
                Outcome::After(_) | Outcome::Full(_) => {}
            }
        }
        if !is_first {
            queue.refuse_if_hopeless(&self.plan, now, (rank, patience))?;
        }
        queue.make_room(self.plan.limits.waiting, rank)?;
        let Ok(runtime) = Handle::try_current() else {
            let why = Plain("room can be waited for in a tokio runtime only");
            return Err(Refusal::Unreachable(why.into()));
        };
        let (sender, answer) = oneshot::channel();
        let waiter = Waiter {
            since: now,
            deadline: now.saturating_add(patience),
            asked: false,
            answer: sender,
        };
        let place = queue.line.push(rank, waiter);
        if !mem::replace(&mut queue.asking, true) {
            runtime.spawn(Asking::new(self).run());
        } else if is_first {
            self.ring();
        }
        Ok(Entered::Waits(Waiting {
            desk: self,
            place,
            answer,
        }))
    }

    fn queue(&self) -> MutexGuard<'_, Queue<R>> {
        // Nothing in there is left half done by a panic.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Entered<'a, R: Room> {
    Granted(Grant<R>),
    Waits(Waiting<'a, R>),
}

// === impl Grant ===

impl<R: Room> Grant<R> {
    fn new(desk: &Arc<Desk<R>>, grant: R::Grant) -> Self {
        Self {
            desk: Arc::clone(desk),
            grant: Some(grant),
        }
    }

    fn end(mut self, end: End) {
        if let Some(grant) = self.grant.take() {
            R::settle(&self.desk, grant, end);
        }
    }
}

impl<R: Room> Held for Grant<R> {
    fn settle(self: Box<Self>, sign: Sign) {
        self.end(End::Sent(sign));
    }
}

impl<R: Room> Drop for Grant<R> {
    fn drop(&mut self) {
        if let Some(grant) = self.grant.take() {
            R::settle(&self.desk, grant, End::Sent(Sign::Lost));
        }
    }
}

// === impl Waiting ===

impl<R: Room> Drop for Waiting<'_, R> {
    fn drop(&mut self) {
        let mut queue = self.desk.queue();
        let was_first = queue.line.first() == Some(self.place);
        let left = queue.line.remove(self.place).is_some();
        drop(queue);
        if left && was_first {
            self.desk.ring();
        }
        // It may have been given room that it has not seen.
        self.answer.close();
        if let Ok(Ok(grant)) = self.answer.try_recv() {
            grant.end(End::Unused);
        }
    }
}
