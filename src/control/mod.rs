//! The control law: what one window saw, and the level that follows from it.
//!
//! A [`Controller`] is a plain value. It reads no clock, takes no lock and starts nothing: whoever owns
//! it counts requests, asks [`due`](Controller::due) whether the window is over, and hands what was
//! [`Seen`] to [`step`](Controller::step). Tests and simulations drive it by hand:
//!
//! ```
//! use std::time::Duration;
//! use dagor::{Level, control::{Constants, Controller, Seen, Verdict}};
//!
//! let businesses = 8;
//! let mut controller = Controller::new(Constants::dagor(), businesses, Duration::ZERO);
//! assert_eq!(controller.level(), Level::OPEN);
//!
//! // 1,024 requests, one in each user level of each business; 300 of them were served, and those that
//! // started had waited 35 ms on average.
//! let arrived = vec![1; 128 * usize::from(businesses)];
//! let seen = Seen {
//!     arrived: &arrived,
//!     served: 300,
//!     starts: 300,
//!     waited: 300 * Duration::from_millis(35),
//!     queued: 10,
//!     running: 10,
//!     ..Seen::default()
//! };
//! let closed = controller.step(Duration::from_millis(100), &seen);
//! assert_eq!(closed.verdict, Verdict::Overloaded);
//! assert_eq!(closed.queuing_time, Duration::from_millis(35));
//!
//! // 0.95 * 1.4 * 300 = 399 requests stay admitted, the most important ones. A cell has 256 sub-levels.
//! assert_eq!(closed.level.get(), 399 * 256);
//! ```
//!
//! # Signals
//!
//! One signal decides: the mean *queuing time* of a window, from arrival to start. Response time would
//! make every caller of a slow service look overloaded itself, and a busy processor is not an overloaded
//! one. The mean is taken by Little's law, the time waited in all (the area under the queue's length)
//! divided by the requests that started: so requests that waited and were refused count too, and a queue
//! kept short by evicting does not look calm. Above the *threshold* of 20 ms the window is
//! [overloaded](Verdict::Overloaded).
//!
//! With few slow workers one request in front is already a wait of 20 ms; the threshold is therefore at
//! least three times the interval at which requests start under load ([`Constants::slots`]).
//!
//! # Why the histogram
//!
//! A level says *who*; the law has to decide *how many*. So demand is counted per *cell*, one user level
//! of one business, and the level moves by mass: down until so many requests fewer are below it, up
//! until so many more are. Inside a cell it moves pro rata, in 256 steps, so that demand which sits
//! in a single cell can still be halved.
//!
//! Demand is what arrived *and* what callers withheld. Without the second a service goes blind above its
//! level as soon as callers obey: nothing arrives from there, the next small step up finds no mass and ends
//! fully open. Callers report counts per business only; they are spread evenly over the cells of that
//! business from the level up, where withheld requests must have been.
//!
//! The histogram keeps 70 % of its past per window. Admitted, wanted and served requests decay alike, so
//! their ratios need no rate. Withheld demand that is no longer reported fades in the same way.
//!
//! # When it tightens
//!
//! After an overloaded window what stays admitted is 95 % of what was, and at most 95 % of 1.4 times what
//! was served ([`Constants::margin`]): a tenfold load is cut in one window instead of fifty. The level
//! falls by at least one sub-level, never below [`Level::FLOOR`](crate::Level::FLOOR): the first cell of the
//! first business is always admitted, and what it holds is left to the gate.
//!
//! It keeps at least 1 % of demand admitted ([`Constants::least_share`]). A stalled disk makes requests
//! wait however few are let in; shedding the rest cures nothing and hides the recovery. When demand moves
//! away from below the level meanwhile, an overloaded window even *lifts* it, to that share and no
//! further: the one case in which overload raises a level.
//!
//! # When it relaxes
//!
//! After a calm window 1 % of all demand is added, withheld demand included; 5 % if the mean was below
//! three quarters of the threshold, 20 % if next to nobody waited. At least one sub-level; stretches
//! without demand are skipped free. So a calm level always reaches open.
//!
//! That is [`Algorithm::Graded`]. [`Algorithm::Proportional`], for services without a gate, scales both steps
//! by the distance from the threshold. [`Algorithm::Paper`] is the published algorithm: whole cells,
//! this window's counts alone, 5 % down and 1 % up of them. What callers withhold is unknown to
//! the paper; where it is reported, it counts as demand there too, and without reports the paper's
//! own blindness shows.
//!
//! # Cold start
//!
//! A new controller is open and remembers nothing. The first 100 ms are the gate's business: its queue is
//! bounded. A restarted instance is therefore open to everybody at once, and says so.
//!
//! # Idle gap
//!
//! A window in which nothing waited, started or ran opens the level: whatever it guarded against is gone.
//! A law that is stepped as requests come and go, without a timer, makes no step in silence. An arrival
//! that finds the service empty after a silence of a window's length ([`Controller::idle_since`])
//! must step twice before it is counted: the first closes the window that was left open, the second is the
//! idle one. (An [`Admission`](crate::Admission) has a task that looks every 20 ms while there is anything to
//! do, so its silences are closed as they happen.)
//!
//! # Few samples
//!
//! Ten requests are not a mean ([`Constants::fewest_samples`]). A window with fewer never counts as
//! overloaded but as [`TooFew`](Verdict::TooFew): its demand is remembered and the level stays. It may still
//! be calm: a caller that withholds nearly everything sends few requests, and the level must rise on those.
//!
//! # Pauses
//!
//! When the process itself stood still (a suspended machine, a stolen processor), everything waited, and not
//! because of the load. Whoever notices sets [`Seen::paused`]; the window is
//! [thrown away](Verdict::Paused) whole, as if it had not been: neither its waits nor its demand and service,
//! which are out of proportion to each other, leave a trace. A process that pauses in *every* window is not
//! controlled by the level, only by its gate.
//!
//! # Units
//!
//! Time is a [`Duration`], moments are durations since an epoch of the process. Counts are whole requests
//! of one window. Inside, mass is a fractional number of requests, and a level is a cursor of 256 to
//! `businesses * 32,768` sub-levels; the highest means open and is published as
//! [`Level::OPEN`](crate::Level::OPEN).
//!
//! A step over 8 businesses takes about a microsecond and does not allocate; time and memory (8 bytes a cell)
//! grow with the number of businesses.

use std::time::Duration;

use crate::priority::Level;

mod constants;
mod demand;
mod law;
mod queuing;
#[cfg(test)]
mod tests;
mod window;

pub use self::{
    constants::{Algorithm, Constants},
    window::{Closed, Seen},
};
use self::{demand::Demand, law::Law, queuing::Queuing, window::Window};

/// Most businesses there are.
const MOST_BUSINESSES: u16 = 256;

/// Computes the admission level of one service, window by window.
///
/// See the [module](self) for the law and an example.
#[derive(Clone, Debug)]
pub struct Controller {
    /// Replaced as a whole by the owner; read by everything.
    constants: Constants,
    /// Written by `step` alone.
    demand: Demand,
    /// Restarted by every step.
    window: Window,
    /// The level, 256 to `demand.top()`; written by `step` alone.
    cursor: u32,
}

/// What a window was judged to be.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Verdict {
    /// Nothing waited, started or ran: the level opens.
    Idle,
    /// The mean queuing time was at or below the threshold: the level rises.
    Calm,
    /// The mean queuing time was above the threshold: the level falls, down to the least share.
    Overloaded,
    /// Too few requests for a verdict of overload: the level stays.
    TooFew,
    /// The process itself had stopped: the level stays.
    Paused,
}

impl Verdict {
    /// Returns the name used in metrics and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Calm => "calm",
            Self::Overloaded => "overloaded",
            Self::TooFew => "too_few",
            Self::Paused => "paused",
        }
    }
}

impl Controller {
    /// Returns an open controller that tells `businesses` apart, and opens its first window.
    ///
    /// `businesses` is 1 to 256, anything else is taken as the nearer of the two. Requests of a larger
    /// business belong to the last one.
    #[must_use]
    pub fn new(constants: Constants, businesses: u16, now: Duration) -> Self {
        let demand = Demand::new(businesses.clamp(1, MOST_BUSINESSES));
        Self {
            constants,
            window: Window::new(now),
            cursor: demand.top(),
            demand,
        }
    }

    /// Replaces the constants; level, demand and the open window stay as they are.
    pub fn set_constants(&mut self, constants: Constants) {
        self.constants = constants;
    }

    /// Closes the window that ends `now` and opens the next one.
    pub fn step(&mut self, now: Duration, seen: &Seen<'_>) -> Closed {
        let arrived = self.demand.arrived(seen);
        let wanted = arrived + self.demand.withheld(seen);
        let queuing = Queuing::of(seen, &self.constants);
        let verdict = queuing.verdict(seen, &self.constants, arrived);
        let previous = self.level();

        self.window.restart(now);
        if verdict != Verdict::Paused {
            self.demand
                .remember(self.memory(), seen, wanted, self.cursor);
            self.cursor = self.law(queuing, seen).next(verdict, self.cursor);
        }
        Closed {
            verdict,
            previous,
            level: self.level(),
            queuing_time: queuing.mean(),
            demand: wanted,
            arrived,
        }
    }

    /// Returns the level: the first priority not admitted.
    #[must_use]
    pub fn level(&self) -> Level {
        if self.cursor == self.demand.top() {
            return Level::OPEN;
        }
        // The cursor is never below the floor nor above open.
        Level::new(self.cursor).unwrap_or_default()
    }

    /// Returns the constants in use.
    #[must_use]
    pub const fn constants(&self) -> &Constants {
        &self.constants
    }

    /// Returns the threshold a window is held to where requests start every `slot` under load: the larger
    /// of [`Constants::threshold`] and [`Constants::slots`] times `slot`.
    #[must_use]
    pub fn threshold(&self, slot: Duration) -> Duration {
        queuing::threshold(&self.constants, slot)
    }

    /// Returns whether the open window closes now, having seen `arrived` requests.
    ///
    /// `calm` says that nobody waits and nobody has waited in this window: it then need not go on until it
    /// has seen [`Constants::fewest_requests`].
    #[must_use]
    pub fn due(&self, now: Duration, arrived: u32, calm: bool) -> bool {
        self.window.due(&self.constants, now, arrived, calm)
    }

    /// Returns whether a service that is empty `now`, with the `last` arrival or completion then, was idle
    /// for a whole window. The owner then steps twice before it counts the arrival that ended the silence.
    ///
    /// Never with [`Algorithm::Paper`], which knows no idle window.
    #[must_use]
    pub fn idle_since(&self, now: Duration, last: Duration) -> bool {
        let silence = now.saturating_sub(last);
        self.constants.algorithm != Algorithm::Paper && silence >= self.constants.window
    }

    fn law(&self, queuing: Queuing, seen: &Seen<'_>) -> Law<'_> {
        Law {
            constants: &self.constants,
            demand: &self.demand,
            queuing,
            admitted: float(seen.admitted),
        }
    }

    fn memory(&self) -> f64 {
        match self.constants.algorithm {
            Algorithm::Graded | Algorithm::Proportional => self.constants.memory,
            Algorithm::Paper => 0.0,
        }
    }
}

/// Returns a count as a float.
#[expect(
    clippy::cast_precision_loss,
    reason = "exact up to 2^53 requests in one window"
)]
const fn float(count: u64) -> f64 {
    count as f64
}
