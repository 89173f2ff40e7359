//! The waiting line of a desk, and who is refused in it.

use std::time::Duration;

use tokio::sync::oneshot;

use super::{Grant, Room};
use crate::{
    limit::{
        Refusal,
        line::Line,
        plan::{self, Plan},
    },
    rank::Rank,
};

/// Those who wait for one (corp, API), and what was heard last.
pub(super) struct Queue<R: Room> {
    pub(super) line: Line<oneshot::Sender<Result<Grant<R>, Refusal>>>,
    /// Whether there is a task that asks.
    pub(super) asking: bool,
    /// As last heard: there is no room before.
    pub(super) not_before: Duration,
    /// As last heard: how much time a call costs.
    pub(super) pace: Duration,
}

/// How long to wait before asking again when all that is known is that too many calls are in flight.
pub(super) const ABOUT_A_CALL: Duration = Duration::from_millis(100);

// === impl Queue ===

impl<R: Room> Queue<R> {
    /// Returns a line in which nobody waits.
    pub(super) fn new() -> Self {
        Self {
            line: Line::default(),
            asking: false,
            not_before: Duration::ZERO,
            pace: Duration::ZERO,
        }
    }

    /// Refuses a newcomer whose turn, after those ahead, would come after their patience.
    pub(super) fn refuse_if_hopeless(
        &self,
        plan: &Plan,
        now: Duration,
        (rank, patience): (Rank, Duration),
    ) -> Result<(), Refusal> {
        let ahead = u32::try_from(self.line.ahead(rank)).unwrap_or(u32::MAX);
        let head = self.not_before.saturating_sub(now);
        // Those ahead may be waiting for calls in flight, with all of the credit unused.
        let credit = plan::duration(plan.credit);
        let turn = head + self.pace.saturating_mul(ahead).saturating_sub(credit);
        if turn > patience {
            return Err(no_room(turn));
        }
        Ok(())
    }

    /// Makes room for a newcomer in a full line, out of who is last and less important.
    pub(super) fn make_room(&mut self, most: usize, rank: Rank) -> Result<(), Refusal> {
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
    pub(super) fn refuse_expired(
        &mut self,
        moment: Duration,
        heard: Option<Rank>,
        retry_after: Duration,
    ) {
        while let Some(waiter) = self.line.take_expired(moment, heard) {
            let _ = waiter.answer.send(Err(no_room(retry_after)));
        }
    }
}

pub(super) fn no_room(retry_after: Duration) -> Refusal {
    Refusal::NoRoom { retry_after }
}
