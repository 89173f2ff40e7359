//! The gate's state and every change of it, under one lock, with the time passed in.
//!
//! Nothing here wakes a task: changes that free a waiter push its waker to a [`Wakes`] list, which the
//! caller works off after unlocking.

use std::{task::Waker, time::Duration};

use super::{
    limit::Limit,
    meter::{Meter, Metered},
    queue::{Place, Queue},
};
use crate::{
    clock::nanos,
    error::Reason,
    priority::{Priority, Progress},
};

/// What the dispatcher task is doing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Dispatcher {
    /// There is none yet, or its runtime ended.
    Absent,
    /// It cannot run here; permits are handed on at once and every grant is followed by a yield.
    Impossible,
    /// It sleeps until it is woken.
    Asleep,
    /// It wakes up by itself from time to time.
    Ticking,
    /// It was woken and is letting the other tasks run before it frees what cooled.
    Letting,
}

/// A request that waits, or was just let go.
#[derive(Debug)]
pub(super) enum Seat {
    /// In the queue since this moment.
    Waiting {
        place: Place,
        since: u64,
        waker: Option<Waker>,
    },
    /// Given a permit at `at`, not polled since.
    Granted { since: u64, at: u64 },
    /// Refused, not polled since.
    Refused(Reason),
    /// Nobody's; the next free one.
    Free(Option<u32>),
}

/// The outcome of asking for a permit.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum Asked {
    /// Start at once.
    Started,
    /// Wait in this seat.
    Queued(u32),
    /// Not admitted.
    Refused(Reason),
}

/// A request at the gate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket {
    /// Its importance.
    pub(crate) priority: Priority,
    /// Whether its task was served here before.
    pub(crate) progress: Progress,
    /// The moment, in nanoseconds, after which an answer is of no use; `u64::MAX` for none.
    pub(crate) deadline: u64,
}

/// Wakers of waiters that may go on, the best first.
pub(super) type Wakes = Vec<Waker>;

#[derive(Debug)]
pub(super) struct Core {
    pub(super) dispatcher: Dispatcher,
    pub(super) limit: Limit,
    pub(super) meter: Meter,
    queue: Queue<u32>,
    seats: Vec<Seat>,
    free: Option<u32>,
    in_use: usize,
    cooling: usize,
    asked: u32,
    bound: usize,
    longest_wait: u64,
}

impl Core {
    pub(super) const fn new(limit: Limit, meter: Meter, bound: usize, longest_wait: u64) -> Self {
        Self {
            dispatcher: Dispatcher::Absent,
            limit,
            meter,
            queue: Queue::new(),
            seats: Vec::new(),
            free: None,
            in_use: 0,
            cooling: 0,
            asked: 0,
            bound,
            longest_wait,
        }
    }

    pub(super) fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Requests that hold a permit; those that cool are done.
    pub(super) const fn running(&self) -> usize {
        self.in_use - self.cooling
    }

    /// Returns how many asked before this one; wraps.
    pub(super) const fn count_asked(&mut self) -> u32 {
        let before = self.asked;
        self.asked = before.wrapping_add(1);
        before
    }

    /// Returns whether a request could start at once.
    fn has_room(&self) -> bool {
        self.in_use < self.limit.permits() && self.queue.is_empty()
    }

    pub(super) fn set_bounds(&mut self, bound: usize, longest_wait: u64) {
        (self.bound, self.longest_wait) = (bound, longest_wait);
    }

    fn start(&mut self) {
        self.in_use += 1;
        self.meter.started(false);
    }

    /// Asks for a permit: start, wait, or refuse the worst of the queue and the newcomer.
    pub(super) fn ask(&mut self, ticket: &Ticket, now: Duration, wakes: &mut Wakes) -> Asked {
        if self.has_room() {
            self.start();
            return Asked::Started;
        }
        self.queue_up(ticket, nanos(now), wakes)
    }

    fn queue_up(&mut self, ticket: &Ticket, now: u64, wakes: &mut Wakes) -> Asked {
        self.limit.note_wait();
        self.meter.advance(now, self.queue.len());
        self.sweep(now, wakes);
        if ticket.deadline <= now {
            return Asked::Refused(Reason::Expired);
        }
        let place = self.queue.place(ticket.priority, ticket.progress);
        if self.queue.len() >= self.bound {
            let Some(worst) = self.queue.pop_worse_than(place) else {
                return Asked::Refused(Reason::QueueFull);
            };
            self.refuse(worst, Reason::Evicted, wakes);
        }
        let seat = self.seat(Seat::Waiting {
            place,
            since: now,
            waker: None,
        });
        let deadline = ticket.deadline.min(now.saturating_add(self.longest_wait));
        self.queue.insert(place, deadline, seat);
        Asked::Queued(seat)
    }

    /// Returns the request in `seat` as it is, remembering `waker` while it waits. Ends the seat
    /// otherwise.
    pub(super) fn look(
        &mut self,
        seat: u32,
        with: &Waker,
        now: u64,
    ) -> Option<Result<u64, Reason>> {
        let index = seat as usize;
        if let Seat::Waiting { waker, .. } = &mut self.seats[index] {
            if !waker.as_ref().is_some_and(|waker| waker.will_wake(with)) {
                *waker = Some(with.clone());
            }
            return None;
        }
        match self.vacate(seat) {
            Seat::Granted { since, at } => {
                let delay = now.saturating_sub(at);
                self.limit.note_delay(delay);
                self.meter.delayed(delay);
                Some(Ok(now.saturating_sub(since)))
            }
            Seat::Refused(reason) => Some(Err(reason)),
            Seat::Waiting { .. } | Seat::Free(_) => {
                unreachable!("a seat is looked at by its owner")
            }
        }
    }

    /// Ends the seat of a request that gave up; returns whether a permit comes back with it.
    pub(super) fn abandon(&mut self, seat: u32, now: u64) -> bool {
        match self.vacate(seat) {
            Seat::Waiting { place, .. } => {
                self.meter.advance(now, self.queue.len());
                self.queue.remove(place);
                false
            }
            Seat::Granted { .. } => true,
            Seat::Refused(_) | Seat::Free(_) => false,
        }
    }

    /// Takes a permit back for good and hands it on.
    pub(super) fn release(&mut self, now: u64, wakes: &mut Wakes) {
        self.in_use -= 1;
        self.grant(now, wakes);
    }

    /// Takes a permit back; it stays in use until the dispatcher has let the other tasks run.
    pub(super) const fn cool(&mut self) {
        self.cooling += 1;
    }

    pub(super) const fn has_cooling(&self) -> bool {
        self.cooling > 0
    }

    /// Takes a permit back where there is no limit and so nobody to hand it to.
    pub(super) const fn forget(&mut self) {
        self.in_use -= 1;
    }

    /// Frees everything that cooled and hands it on.
    pub(super) fn settle(&mut self, now: u64, wakes: &mut Wakes) {
        self.in_use -= std::mem::take(&mut self.cooling);
        self.limit.adjust(now);
        self.grant(now, wakes);
    }

    /// Hands free permits to the best that wait.
    pub(super) fn grant(&mut self, now: u64, wakes: &mut Wakes) {
        if self.queue.is_empty() {
            return;
        }
        self.meter.advance(now, self.queue.len());
        self.sweep(now, wakes);
        while self.in_use < self.limit.permits() {
            let Some(seat) = self.queue.pop_best() else {
                break;
            };
            self.in_use += 1;
            self.meter.started(true);
            self.release_seat(seat, |since| Seat::Granted { since, at: now }, wakes);
        }
    }

    /// Refuses everybody whose time is over.
    pub(super) fn sweep(&mut self, now: u64, wakes: &mut Wakes) {
        while let Some(seat) = self.queue.pop_expired(now) {
            self.refuse(seat, Reason::Expired, wakes);
        }
    }

    /// Returns what the window saw and begins the next.
    pub(super) fn take_window(&mut self, now: u64) -> Metered {
        let metered = self.meter.take(now, self.queue.len());
        Metered {
            running: self.running(),
            permits: self.limit.permits(),
            ..metered
        }
    }

    fn refuse(&mut self, seat: u32, reason: Reason, wakes: &mut Wakes) {
        self.release_seat(seat, |_| Seat::Refused(reason), wakes);
    }

    fn release_seat(&mut self, seat: u32, next: impl FnOnce(u64) -> Seat, wakes: &mut Wakes) {
        let seat = &mut self.seats[seat as usize];
        if let Seat::Waiting { since, waker, .. } = seat {
            wakes.extend(waker.take());
            *seat = next(*since);
        }
    }

    fn seat(&mut self, seat: Seat) -> u32 {
        if let Some(free) = self.free {
            let was = std::mem::replace(&mut self.seats[free as usize], seat);
            self.free = if let Seat::Free(next) = was {
                next
            } else {
                None
            };
            return free;
        }
        self.seats.push(seat);
        // The queue is bounded by far less than 2^32.
        u32::try_from(self.seats.len() - 1).unwrap_or(u32::MAX)
    }

    fn vacate(&mut self, seat: u32) -> Seat {
        let was = std::mem::replace(&mut self.seats[seat as usize], Seat::Free(self.free));
        self.free = Some(seat);
        was
    }
}
