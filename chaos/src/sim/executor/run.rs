//! The loop.

use std::{fmt, task::Waker, time::Duration};

use dagor::{Clock, clock::Hand};

use super::{
    Handle, nanos,
    ready::Item,
    settle::{Callbacks, SettleId},
    tasks::Tasks,
};

/// Runs tasks in virtual time. Dropping it drops them all.
pub struct Executor {
    handle: Handle,
    hand: Hand,
    /// Of other clocks.
    hands: Vec<Hand>,
    now: u64,
    tasks: Tasks,
    callbacks: Callbacks,
    /// Taken from the list of what is ready; empty between turns, kept for its memory.
    batch: Vec<Item>,
    /// Taken from the timers; likewise.
    fired: Vec<Waker>,
    events: u64,
}

/// What is done next.
enum Next {
    /// The batch has its turns.
    Ready,
    /// A callback is run.
    Settled(SettleId),
    /// Time moves here, and those that fired are woken.
    Fired(u64),
    /// No more.
    Nothing,
}

// === impl Executor ===

impl Executor {
    /// Returns an executor at the start of time, when the calendar stands at `calendar` since the Unix epoch.
    #[must_use]
    pub fn new(calendar: Duration) -> Self {
        let (clock, hand) = Clock::manual();
        hand.set_calendar(calendar);
        Self {
            handle: Handle::new(clock),
            hand,
            hands: Vec::new(),
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

    /// Moves another clock along with this one from now on, its calendar too.
    pub fn take_along(&mut self, hand: Hand) {
        self.hands.push(hand);
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
        while self.turn(until) {}
        self.move_to(until);
    }

    /// Runs until there is no task left, or only timers after `bound`; the clock stands at the last event.
    ///
    /// Returns how many tasks are left.
    pub fn run_to_end(&mut self, bound: Duration) -> usize {
        let bound = nanos(bound);
        // What is ready at this instant comes first whatever the bound is; without tasks no timer matters.
        while self.turn(if self.tasks() > 0 { bound } else { 0 }) {}
        self.tasks()
    }

    /// Does what is next up to `bound`; `false` if there is nothing.
    fn turn(&mut self, bound: u64) -> bool {
        match self.next(bound) {
            Next::Ready => self.give_turns(),
            Next::Settled(id) => self.callbacks.call(id),
            Next::Fired(at) => {
                self.move_to(at);
                self.wake();
            }
            Next::Nothing => return false,
        }
        true
    }

    fn next(&mut self, bound: u64) -> Next {
        let mut state = self.handle.0.lock();
        if state.ready.swap(&mut self.batch) {
            return Next::Ready;
        }
        if let Some(id) = state.settling.next(&mut self.callbacks) {
            return Next::Settled(id);
        }
        let at = state.timers.next(bound, &mut self.fired);
        at.map_or(Next::Nothing, Next::Fired)
    }

    fn give_turns(&mut self) {
        for item in self.batch.drain(..) {
            let id = match item {
                Item::Spawned(task) => self.tasks.insert(&self.handle, task),
                Item::Woken(id) => id,
            };
            let polled = self.tasks.poll(&self.handle, id);
            self.events += u64::from(polled);
        }
    }

    fn wake(&mut self) {
        for waker in self.fired.drain(..) {
            self.events += 1;
            waker.wake();
        }
    }

    fn move_to(&mut self, at: u64) {
        if at > self.now {
            let step = Duration::from_nanos(at - self.now);
            self.hand.advance(step);
            for hand in &self.hands {
                hand.advance(step);
            }
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
        let mut state = self.handle.0.lock();
        let all = (
            state.ready.close(),
            state.settling.close(),
            state.timers.close(),
        );
        drop(state);
        drop(all);
    }
}
