//! The gate's state and every change of it, under one lock, with the time passed in.
//!
//! Nothing here wakes a task: changes that free a waiter push its waker to a [`Wakes`] list, which the
//! caller works off after unlocking. Nor is a waker dropped here: it can be the last that holds a task,
//! and the task a permit of this very gate.

use std::{num::NonZeroUsize, task::Waker};

use super::{
    limit::Limit,
    meter::{Meter, Metered},
    queue::{Place, Queue},
};
use crate::{
    error::Reason,
    priority::{Priority, Progress},
};

/// What the dispatcher task is doing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Dispatcher {
    /// There is none yet, or its runtime ended. The next request that comes from a runtime starts one.
    Absent,
    /// It did not last where it was tried; permits are handed on at once and every grant is followed by a yield.
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

/// Wakers of waiters that may go on, the best first, those refused after them.
pub(super) type Wakes = Vec<Waker>;

#[derive(Debug)]
pub(super) struct Core {
    pub(super) dispatcher: Dispatcher,
    pub(super) limit: Limit,
    /// The threads that run requests: as many as the machine has, until the runtime is known.
    pub(super) workers: NonZeroUsize,
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
    pub(super) fn new(
        limit: Limit,
        workers: NonZeroUsize,
        bound: usize,
        longest_wait: u64,
    ) -> Self {
        Self {
            dispatcher: Dispatcher::Absent,
            limit,
            workers,
            meter: Meter::default(),
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

    /// Learns how many workers the runtime really has.
    pub(super) fn set_workers(&mut self, workers: usize) {
        self.workers = NonZeroUsize::new(workers).unwrap_or(NonZeroUsize::MIN);
        self.limit.set_workers(self.workers.get());
    }

    pub(super) fn set_bounds(&mut self, bound: usize, longest_wait: u64) {
        (self.bound, self.longest_wait) = (bound, longest_wait);
    }

    /// Asks for a permit: start, wait, or refuse the worst of the queue and the newcomer.
    pub(super) fn ask(&mut self, ticket: &Ticket, now: u64, wakes: &mut Wakes) -> Asked {
        if ticket.deadline <= now {
            return Asked::Refused(Reason::Expired);
        }
        if self.in_use < self.limit.permits() && self.queue.is_empty() {
            self.in_use += 1;
            self.meter.started(false);
            return Asked::Started;
        }
        self.limit.note_wait();
        self.meter.advance(now, self.queue.len());
        self.sweep(now, wakes);
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

    /// Returns the request in `seat` as it is. While it waits, `with` is remembered instead of the waker
    /// it had, which is left in `was`; otherwise the seat ends.
    pub(super) fn look(
        &mut self,
        seat: u32,
        with: &Waker,
        was: &mut Option<Waker>,
        now: u64,
    ) -> Option<Result<u64, Reason>> {
        let index = seat as usize;
        if let Seat::Waiting { waker, .. } = &mut self.seats[index] {
            if !waker.as_ref().is_some_and(|waker| waker.will_wake(with)) {
                *was = waker.replace(with.clone());
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

    /// Ends the seat of a request that gave up, its waker left in `was`; returns whether a permit comes
    /// back with it.
    pub(super) fn abandon(&mut self, seat: u32, was: &mut Option<Waker>, now: u64) -> bool {
        match self.vacate(seat) {
            Seat::Waiting { place, waker, .. } => {
                *was = waker;
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
        self.limit.adjust(now);
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
        let mut late = Wakes::new();
        self.sweep(now, &mut late);
        while self.in_use < self.limit.permits() {
            let Some(seat) = self.queue.pop_best() else {
                break;
            };
            self.in_use += 1;
            self.meter.started(true);
            self.release_seat(seat, |since| Seat::Granted { since, at: now }, wakes);
        }
        // After the granted ones in the list, so woken before them.
        wakes.append(&mut late);
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
