//! The loop.

use std::{fmt, task::Waker, time::Duration};

use dagor::{Clock, clock::Hand};

use super::{Handle, lock, nanos, ready::Item, settle::Callbacks, tasks::Tasks};

/// Runs tasks in virtual time. Dropping it drops them all.
pub struct Executor {
    handle: Handle,
    hand: Hand,
    now: u64,
    tasks: Tasks,
    callbacks: Callbacks,
    /// Taken from the list of what is ready; empty between turns, kept for its memory.
    batch: Vec<Item>,
    /// Taken from the timers; likewise.
    fired: Vec<Waker>,
    events: u64,
}

impl Executor {
    /// Returns an executor at the start of time, when the calendar stands at `calendar` since the Unix epoch.
    #[must_use]
    pub fn new(calendar: Duration) -> Self {
        let (clock, hand) = Clock::manual();
        hand.set_calendar(calendar);
        Self {
            handle: Handle::new(clock),
            hand,
            now: 0,
            tasks: Tasks::default(),
            callbacks: Callbacks::default(),
            batch: Vec::new(),
            fired: Vec::new(),
            events: 0,
        }
    }

    /// Returns what tasks see of it.
    #[must_use]
    pub const fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Returns how many events were worked off: turns of tasks and timers that fired.
    #[must_use]
    pub const fn events(&self) -> u64 {
        self.events
    }

    /// Returns how many tasks have had a turn and not ended.
    #[must_use]
    pub const fn tasks(&self) -> usize {
        self.tasks.alive()
    }

    /// Runs everything up to and including the moment `until`, since the start, where the clock then stands.
    ///
    /// Never ends if tasks wake each other forever without time passing.
    pub fn run_until(&mut self, until: Duration) {
        let until = nanos(until);
        self.settle();
        while self.fire(until) {
            self.settle();
        }
        self.move_to(until);
    }

    /// Runs until there is no task left, or only timers after `bound`; the clock stands at the last event.
    ///
    /// Returns how many tasks are left.
    pub fn run_to_end(&mut self, bound: Duration) -> usize {
        let bound = nanos(bound);
        self.settle();
        while self.tasks.alive() > 0 && self.fire(bound) {
            self.settle();
        }
        self.tasks.alive()
    }

    /// Works off what is ready at this instant, and what settles then.
    fn settle(&mut self) {
        loop {
            self.work_off();
            let next = lock(&self.handle.0.settling).next(&mut self.callbacks);
            let Some(id) = next else { return };
            self.callbacks.call(id);
        }
    }

    fn work_off(&mut self) {
        loop {
            lock(&self.handle.0.ready).swap(&mut self.batch);
            if self.batch.is_empty() {
                return;
            }
            for item in self.batch.drain(..) {
                let id = match item {
                    Item::Spawned(task) => self.tasks.insert(&self.handle, task),
                    Item::Woken(id) => id,
                };
                let polled = self.tasks.poll(&self.handle, id);
                self.events += u64::from(polled);
            }
        }
    }

    /// Moves time to the next timers and fires them; `false` if there are none up to `bound`.
    fn fire(&mut self, bound: u64) -> bool {
        let next = lock(&self.handle.0.timers).next(bound, &mut self.fired);
        let Some(at) = next else { return false };
        self.move_to(at);
        for waker in self.fired.drain(..) {
            self.events += 1;
            waker.wake();
        }
        true
    }

    fn move_to(&mut self, at: u64) {
        if at > self.now {
            self.hand.advance(Duration::from_nanos(at - self.now));
            self.now = at;
        }
    }
}

/// Without the tasks.
impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executor")
            .field("now", &Duration::from_nanos(self.now))
            .field("tasks", &self.tasks.alive())
            .field("events", &self.events)
            .finish_non_exhaustive()
    }
}

/// Tasks, timers and callbacks hold handles, and handles what holds them: closing all of it undoes the circle.
impl Drop for Executor {
    fn drop(&mut self) {
        let ready = lock(&self.handle.0.ready).close();
        let timers = lock(&self.handle.0.timers).close();
        let callbacks = lock(&self.handle.0.settling).close();
        drop((ready, timers, callbacks));
    }
}
