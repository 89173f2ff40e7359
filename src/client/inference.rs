//! The level that a caller infers of one instance from its refusals; the law in
//! [`feedback`](super::feedback).
//!
//! The callee's law is run unchanged. It judges by waiting time, and there is none here: a window with
//! a refusal is handed to it as one that waited too long, a window without as one that waited the less
//! the longer the last refusal is past. Under a lock, unlike the rest of a decision: a call of a third
//! party takes milliseconds, this takes some hundred nanoseconds and once a window some microseconds.

use std::{fmt, time::Duration};

use super::Sign;
use crate::{
    control::{Constants, Controller, Seen},
    priority::{Level, Priority, User},
    sync::{Mutex, lock},
};

/// What is inferred of one instance; some 12 KiB with 8 businesses.
pub(crate) struct Inference(Mutex<State>);

struct State {
    controller: Controller,
    window: Counts,
    /// The last arrival or answer.
    last: Duration,
    /// The last refusal, if there was any.
    refused: Option<Duration>,
    /// Until when the level does not rise.
    held: Duration,
}

/// What the open window saw.
struct Counts {
    /// Calls wanted, sent or not, per user level of each business.
    wanted: Box<[u32]>,
    all: u32,
    served: u64,
    refused: u64,
}

// === impl Inference ===

impl Inference {
    pub(crate) fn new(constants: Constants, businesses: u16, now: Duration) -> Self {
        let cells = usize::from(businesses) * usize::from(User::LEVELS);
        Self(Mutex::new(State {
            controller: Controller::new(constants, businesses, now),
            window: Counts {
                wanted: vec![0; cells].into(),
                all: 0,
                served: 0,
                refused: 0,
            },
            last: now,
            refused: None,
            held: Duration::ZERO,
        }))
    }

    /// Returns the default constants: a single refusal is enough for a verdict.
    pub(crate) const fn constants() -> Constants {
        Constants {
            fewest_samples: 1,
            ..Constants::dagor()
        }
    }

    /// Counts a call that is wanted, while so many are outstanding, and returns the level to judge it by.
    pub(crate) fn arrive(&self, priority: Priority, outstanding: u32, now: Duration) -> Level {
        let mut state = lock(&self.0);
        if outstanding == 0 && state.is_idle(now) {
            // The first step closes the window that was left open, the second is the idle one.
            state.close(now);
            state.controller.step(now, &Seen::default());
        } else {
            state.close_if_due(now);
        }
        state.last = now;
        state.window.count(priority);
        state.controller.level()
    }

    /// Counts what became of a call that was sent, and returns the level that follows.
    pub(crate) fn settle(&self, sign: Sign, longest_hold: Duration, now: Duration) -> Level {
        let mut state = lock(&self.0);
        state.last = now;
        match sign {
            Sign::Served => state.window.served += 1,
            Sign::Refused { retry_after } => {
                state.window.refused += 1;
                state.refused = Some(now);
                let patience = state.controller.constants().longest_window;
                let asked = retry_after.unwrap_or_default().min(longest_hold);
                state.held = state.held.max(now.saturating_add(patience.max(asked)));
            }
            Sign::Failed => {}
        }
        state.close_if_due(now);
        state.controller.level()
    }

    /// Returns for how long the level does not rise yet, if it is held.
    pub(crate) fn held(&self, now: Duration) -> Option<Duration> {
        let left = lock(&self.0).held.saturating_sub(now);
        (!left.is_zero()).then_some(left)
    }
}

impl fmt::Debug for Inference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Inference")
    }
}

// === impl State ===

impl State {
    /// Longest windows without refusal after which the level rises fast, and after which at full speed.
    const QUIET: u32 = 5;
    const FORGOTTEN: u32 = 10;

    fn close_if_due(&mut self, now: Duration) {
        let calm = self.window.refused == 0;
        if self.controller.due(now, self.window.all, calm) {
            self.close(now);
        }
    }

    fn close(&mut self, now: Duration) {
        let waited = self.as_waiting(now);
        let window = &self.window;
        // One start at least, for a window in which everything was withheld is not an idle one.
        let starts = (window.served + window.refused).max(1);
        let seen = Seen {
            arrived: &window.wanted,
            admitted: starts,
            served: window.served,
            starts,
            waited: waited.saturating_mul(u32::try_from(starts).unwrap_or(u32::MAX)),
            paused: window.refused == 0 && now < self.held,
            ..Seen::default()
        };
        self.controller.step(now, &seen);
        self.window.clear();
    }

    /// Returns the waiting time that the law is to act upon.
    fn as_waiting(&self, now: Duration) -> Duration {
        let constants = self.controller.constants();
        let threshold = constants.threshold;
        let quiet = self.refused.map(|refused| now.saturating_sub(refused));
        if self.window.refused > 0 {
            return threshold.max(Duration::from_nanos(1)).saturating_mul(2);
        }
        match quiet {
            Some(quiet) if quiet < constants.longest_window.saturating_mul(Self::QUIET) => {
                threshold
            }
            Some(quiet) if quiet < constants.longest_window.saturating_mul(Self::FORGOTTEN) => {
                // The constants are as they were given. A share that is none, or too long a time, is no wait.
                let share = constants.well_below.clamp(0.0, 1.0);
                Duration::try_from_secs_f64(share * threshold.as_secs_f64()).unwrap_or_default()
            }
            _ => Duration::ZERO,
        }
    }

    /// Returns whether nobody wanted the instance for a window and it has nothing against more.
    fn is_idle(&self, now: Duration) -> bool {
        let longest = self.controller.constants().longest_window;
        let forgotten = longest.saturating_mul(Self::FORGOTTEN);
        let recent = |refused| now.saturating_sub(refused) < forgotten;
        now >= self.held
            && !self.refused.is_some_and(recent)
            && self.controller.idle_since(now, self.last)
    }
}

// === impl Counts ===

impl Counts {
    fn count(&mut self, priority: Priority) {
        let cell = usize::from(priority.business().get()) * usize::from(User::LEVELS)
            + usize::from(priority.user().level());
        if let Some(count) = self.wanted.get_mut(cell) {
            *count = count.saturating_add(1);
        }
        self.all = self.all.saturating_add(1);
    }

    fn clear(&mut self) {
        self.wanted.fill(0);
        self.all = 0;
        self.served = 0;
        self.refused = 0;
    }
}
