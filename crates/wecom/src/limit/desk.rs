//! Where the callers of one process wait for one (corp, API), and who asks in their names.
//!
//! One task at a time asks, for whoever is first, and hands what it is given to whoever is first *then*. So a caller may
//! go away at any moment without anything being lost with it, nobody is overtaken by who is less important, and
//! what is shared is asked once and not by ten thousand.

use std::{
    error::Error as StdError,
    fmt,
    future::Future,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    runtime::Handle,
    sync::{Notify, oneshot},
    time::sleep,
};

use super::{
    Held, Permit, Refusal, Sign,
    book::End,
    line::{Line, Place, Waiter},
    plan::Plan,
};
use crate::{
    clock::Clock,
    error::{BoxError, Plain},
    rank::Rank,
};

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

struct Queue<R: Room> {
    line: Line<oneshot::Sender<Result<Grant<R>, Refusal>>>,
    /// Whether there is a task that asks.
    asking: bool,
    /// As last heard: there is no room before.
    not_before: Duration,
    /// As last heard: how much time a call costs.
    pace: Duration,
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

/// The task that asks, as long as it does.
struct Asking<R: Room> {
    desk: Arc<Desk<R>>,
    /// Whether it ends because there is nobody any more; it has said so then, and another may have begun.
    ended: bool,
}

/// One failure that all who wait are told of.
#[derive(Clone, Debug)]
struct Shared(Arc<BoxError>);

/// How long to wait before asking again when all that is known is that too many calls are in flight.
const ABOUT_A_CALL: Duration = Duration::from_millis(100);

// === impl Desk ===

impl<R: Room> Desk<R> {
    pub(super) fn new(room: R, plan: Arc<Plan>, clock: Clock) -> Self {
        Self {
            room,
            plan,
            clock,
            queue: Mutex::new(Queue {
                line: Line::default(),
                asking: false,
                not_before: Duration::ZERO,
                pace: Duration::ZERO,
            }),
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

// === impl Queue ===

impl<R: Room> Queue<R> {
    /// Refuses a newcomer whose turn, after those ahead, would come after their patience.
    fn refuse_if_hopeless(
        &self,
        plan: &Plan,
        now: Duration,
        (rank, patience): (Rank, Duration),
    ) -> Result<(), Refusal> {
        let ahead = u32::try_from(self.line.ahead(rank)).unwrap_or(u32::MAX);
        let head = self.not_before.saturating_sub(now);
        // Those ahead may be waiting for calls in flight, with all of the credit unused.
        let credit = super::plan::duration(plan.credit);
        let turn = head + self.pace.saturating_mul(ahead).saturating_sub(credit);
        if turn > patience {
            return Err(no_room(turn));
        }
        Ok(())
    }

    /// Makes room for a newcomer in a full line, out of who is last and less important.
    fn make_room(&mut self, most: usize, rank: Rank) -> Result<(), Refusal> {
        if self.line.len() < most {
            return Ok(());
        }
        let length = u32::try_from(self.line.len()).unwrap_or(u32::MAX);
        let drained = self.pace.saturating_mul(length).max(ABOUT_A_CALL);
        match self.line.last() {
            Some(last) if rank < last.rank() => {
                if let Some(waiter) = self.line.remove(last) {
                    // Nobody listens if they have just gone away.
                    let _ = waiter.answer.send(Err(no_room(drained)));
                }
                Ok(())
            }
            _ => Err(no_room(drained)),
        }
    }

    /// Refuses all whose deadline is not after `moment`, but for the first if nothing was `heard` for their rank.
    fn refuse_expired(&mut self, moment: Duration, heard: Option<Rank>, retry_after: Duration) {
        while let Some(waiter) = self.line.take_expired(moment, heard) {
            let _ = waiter.answer.send(Err(no_room(retry_after)));
        }
    }
}

// === impl Asking ===

impl<R: Room> Asking<R> {
    fn new(desk: &Arc<Desk<R>>) -> Self {
        Self {
            desk: Arc::clone(desk),
            ended: false,
        }
    }

    async fn run(mut self) {
        while let Some((place, waited)) = self.next() {
            match self.desk.room.ask(place.rank(), waited).await {
                Ok(answer) => {
                    self.desk.queue().pace = answer.pace;
                    match answer.outcome {
                        Outcome::Granted(grant) => self.hand_over(place, grant),
                        Outcome::After(time) => self.wait(place, Some(time), false).await,
                        Outcome::Full(time) => self.wait(place, time, true).await,
                    }
                }
                Err(error) => self.fail(error),
            }
        }
    }

    /// Returns in whose name to ask, or `None` when there is nobody any more and the task has to end.
    fn next(&mut self) -> Option<(Place, Duration)> {
        let now = self.desk.clock.now();
        let mut queue = self.desk.queue();
        let retry_after = queue.pace.max(ABOUT_A_CALL);
        queue.refuse_expired(just_before(now), None, retry_after);
        let next = queue.line.best().map(|(place, waiter)| {
            waiter.asked = true;
            (place, now.saturating_sub(waiter.since))
        });
        queue.asking = next.is_some();
        self.ended = next.is_none();
        next
    }

    /// Gives what was granted in the name of `asked` to who is first now.
    fn hand_over(&self, asked: Place, grant: R::Grant) {
        let mut queue = self.desk.queue();
        queue.not_before = Duration::ZERO;
        let mut grant = Grant::new(&self.desk, grant);
        while let Some(first) = queue.line.first() {
            // Who is less important than who was asked for may have to leave this room to others.
            if first.rank() > asked.rank() {
                break;
            }
            let Some(waiter) = queue.line.remove(first) else {
                break;
            };
            match waiter.answer.send(Ok(grant)) {
                Ok(()) => return,
                Err(Ok(unheard)) => grant = unheard,
                Err(Err(_)) => return,
            }
        }
        drop(queue);
        grant.end(End::Unused);
    }

    /// Waits until it makes sense to ask again: after `time`, when somebody better comes, or if `full` when a call ends.
    /// Refuses who cannot wait so long.
    async fn wait(&self, asked: Place, time: Option<Duration>, full: bool) {
        let desk = &self.desk;
        let start = desk.clock.now();
        let until = time.map(|time| start.saturating_add(time));
        loop {
            let now = desk.clock.now();
            // Who was not asked for has the answer too: to ask in the name of each would take too long, and to spare
            // them would be to turn here until room comes.
            let heard = Some(asked.rank());
            let wake = {
                let mut queue = desk.queue();
                match until {
                    // A deadline just then is met: the room is there when it is asked for.
                    Some(until) if !full => {
                        let hopeless = just_before(until);
                        queue.not_before = until;
                        queue.refuse_expired(hopeless, heard, until.saturating_sub(now));
                    }
                    _ => {
                        queue.not_before = Duration::ZERO;
                        let retry_after = queue.pace.max(ABOUT_A_CALL);
                        queue.refuse_expired(now, heard, retry_after);
                    }
                }
                let is_asked = queue.line.first().is_some_and(|first| {
                    first.rank() >= asked.rank() && until.is_none_or(|until| now < until)
                });
                if !is_asked {
                    return;
                }
                [until, queue.line.next_deadline()]
                    .into_iter()
                    .flatten()
                    .min()
            };
            let time = wake.map_or(Duration::MAX, |wake| wake.saturating_sub(now));
            tokio::select! {
                () = sleep(time) => {}
                () = desk.bell.notified() => if full {
                    return;
                }
            }
        }
    }

    /// Tells all who wait that it could not be asked.
    fn fail(&self, error: BoxError) {
        let error = Shared(Arc::new(error));
        let mut queue = self.desk.queue();
        while let Some(first) = queue.line.first() {
            if let Some(waiter) = queue.line.remove(first) {
                let told = Refusal::Unreachable(Box::new(error.clone()));
                let _ = waiter.answer.send(Err(told));
            }
        }
    }
}

/// The task may end early, with its runtime: who waits is let go, and the next who comes starts another.
impl<R: Room> Drop for Asking<R> {
    fn drop(&mut self) {
        if !self.ended {
            let mut queue = self.desk.queue();
            queue.asking = false;
            queue.line.clear();
        }
    }
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

// === impl Shared ===

impl fmt::Display for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl StdError for Shared {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&**self.0)
    }
}

fn no_room(retry_after: Duration) -> Refusal {
    Refusal::NoRoom { retry_after }
}

/// Returns the last moment that is before this one.
const fn just_before(moment: Duration) -> Duration {
    moment.saturating_sub(Duration::from_nanos(1))
}
