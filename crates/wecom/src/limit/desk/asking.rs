//! The task that asks in the name of those who wait, and hands on what it is given.

use std::{error::Error as StdError, fmt, sync::Arc, time::Duration};

use tokio::time::sleep;

use super::{Desk, Grant, Outcome, Room, queue::ABOUT_A_CALL};
use crate::{
    error::BoxError,
    limit::{Refusal, book::End, line::Place},
};

/// The task that asks, as long as it does.
pub(super) struct Asking<R: Room> {
    desk: Arc<Desk<R>>,
    /// Whether it ends because there is nobody any more; it has said so then, and another may have begun.
    ended: bool,
}

/// One failure that all who wait are told of.
#[derive(Clone, Debug)]
struct Shared(Arc<BoxError>);

// === impl Asking ===

impl<R: Room> Asking<R> {
    pub(super) fn new(desk: &Arc<Desk<R>>) -> Self {
        Self {
            desk: Arc::clone(desk),
            ended: false,
        }
    }

    pub(super) async fn run(mut self) {
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

/// Returns the last moment that is before this one.
const fn just_before(moment: Duration) -> Duration {
    moment.saturating_sub(Duration::from_nanos(1))
}
