//! The decision and the window: the lock-free part, on its own so that it can be model-checked.
//!
//! A thread that decides counts itself, reads the level, and goes on. The first one that finds the
//! window due closes it, alone: the others see the lock taken and decide by the old level meanwhile.

use std::{sync::TryLockError, time::Duration};

use super::demand::{Demand, Seen};
use crate::{
    clock::nanos,
    control::{self, Closed, Constants, Controller},
    priority::{Level, Priority, Progress},
    sync::{
        Mutex, MutexGuard,
        atomic::{
            AtomicU32, AtomicU64,
            Ordering::{Acquire, Relaxed, Release},
        },
        lock,
    },
};

/// Looks for a window that is due by count every so many arrivals of one shard.
const LOOK_EVERY: u32 = 128;

/// The admission level and everything needed to move it.
#[derive(Debug)]
pub(super) struct Door {
    level: AtomicU32,
    pub(super) demand: Demand,
    /// The earliest moment, in nanoseconds, at which the window can be due by time.
    next_look: AtomicU64,
    /// The most important priority that arrived since the last window, as its key. Written by arrivals,
    /// taken by the one that closes the window.
    best: AtomicU32,
    closer: Apart<Mutex<Closer>>,
}

/// Something on cache lines of its own: whoever tries the lock must not take the level's from those that read it.
#[derive(Debug)]
#[repr(align(128))]
struct Apart<T>(T);

/// The key of [`Door::best`] when nobody arrived.
const NOBODY: u32 = u32::MAX;

/// What the one that closes a window needs.
#[derive(Debug)]
pub(super) struct Closer {
    pub(super) controller: Controller,
    pub(super) seen: Seen,
    /// Of what callers say they withheld in the window, what this level can have caused, per business.
    believed: Box<[u32]>,
    /// Requests refused by the level up to the last window.
    pub(super) refused: u64,
    /// When the last window was closed.
    pub(super) since: Duration,
}

/// The measurements of a window that the door does not make itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Measured {
    pub(super) refused: u64,
    pub(super) served: u64,
    pub(super) starts: u64,
    pub(super) waited: Duration,
    pub(super) waiting: usize,
    pub(super) running: usize,
    pub(super) slot: Duration,
    pub(super) paused: bool,
}

impl Door {
    pub(super) fn new(controller: Controller, demand: Demand, now: Duration) -> Self {
        let window = controller.constants().window;
        let seen = Seen::new(&demand);
        let closer = Closer {
            controller,
            believed: seen.window_withheld.clone(),
            seen,
            refused: 0,
            since: now,
        };
        Self {
            level: AtomicU32::new(Level::OPEN.get()),
            demand,
            next_look: AtomicU64::new(nanos(now + window)),
            best: AtomicU32::new(NOBODY),
            closer: Apart(Mutex::new(closer)),
        }
    }

    pub(super) fn level(&self) -> Level {
        // Only levels are ever stored.
        Level::new(self.level.load(Acquire)).unwrap_or(Level::OPEN)
    }

    /// Counts an arrival; returns whether somebody should look if the window is due.
    pub(super) fn arrive(&self, priority: Priority, shard: usize, now: Duration) -> bool {
        let count = self.demand.arrive(priority, shard);
        let key = priority.clamped(self.demand.last()).key();
        // Read first: nearly every arrival is not the best, and must not take the cache line.
        if key < self.best.load(Relaxed) {
            self.best.fetch_min(key, Relaxed);
        }
        count.is_multiple_of(LOOK_EVERY) || nanos(now) >= self.next_look.load(Relaxed)
    }

    pub(super) fn admits(&self, priority: Priority, progress: Progress) -> bool {
        self.level().admits(priority, progress)
    }

    /// Returns the closer unless somebody else is at it.
    pub(super) fn try_closer(&self) -> Option<MutexGuard<'_, Closer>> {
        match self.closer.0.try_lock() {
            Ok(closer) => Some(closer),
            // As for `lock`; to take it for somebody at work would end the closing of windows.
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    pub(super) fn closer(&self) -> MutexGuard<'_, Closer> {
        lock(&self.closer.0)
    }

    pub(super) fn is_due(&self, closer: &Closer, now: Duration, calm: bool) -> bool {
        closer
            .controller
            .due(now, self.demand.arrived_since(&closer.seen), calm)
    }

    /// Closes the window and publishes the next level.
    pub(super) fn close(&self, closer: &mut Closer, now: Duration, measured: &Measured) -> Closed {
        let Closer {
            controller,
            seen,
            believed,
            refused,
            since,
        } = closer;
        self.demand.take(seen);
        believe(believed, &seen.window_withheld, controller.level());
        let arrived: u64 = seen.window.iter().map(|&count| u64::from(count)).sum();
        let newly_refused = measured.refused.saturating_sub(*refused);
        *refused = measured.refused;
        // Arrivals that were all refused leave the service empty, but it is not idle: opening at once would
        // only let the same overload in again.
        let running = measured.running.max(usize::from(arrived > 0));
        let mut closed = controller.step(
            now,
            &control::Seen {
                arrived: &seen.window,
                withheld: believed,
                admitted: arrived.saturating_sub(newly_refused),
                served: measured.served,
                starts: measured.starts,
                waited: measured.waited,
                queued: measured.waiting,
                running,
                slot: measured.slot,
                paused: measured.paused,
            },
        );
        *since = now;
        closed.previous = self.level();
        closed.level = closed.level.max(self.above_best());
        self.level.store(closed.level.get(), Release);
        self.next_look
            .store(nanos(now + controller.constants().window), Relaxed);
        closed
    }

    /// Returns the lowest level that admits the most important of what arrived in the window.
    ///
    /// The law takes demand as spread out inside a user level. Where it is not, as with one user who is
    /// most of it, a level below that user refuses everybody, and one above nobody: it would go to and fro
    /// between the two and serve half of what it could. Above, the gate takes what it can.
    fn above_best(&self) -> Level {
        let best = self.best.swap(NOBODY, Relaxed);
        if best == NOBODY {
            return Level::FLOOR;
        }
        Level::new(best + 1).unwrap_or(Level::FLOOR)
    }

    /// Begins anew and open, as after a start: what was learned before a time in which nothing was
    /// measured says nothing of the time after it.
    pub(super) fn reset(&self, constants: Constants, now: Duration) {
        let mut closer = self.closer();
        let businesses = u16::from(self.demand.last().get()) + 1;
        closer.controller = Controller::new(constants, businesses, now);
        self.demand.take(&mut closer.seen);
        closer.since = now;
        self.level.store(Level::OPEN.get(), Release);
    }
}

/// Puts into `believed` what was withheld of the businesses that `level` does not admit whole.
///
/// Of the others nothing is withheld because of it: the report is late, and its requests come from now on, or
/// it is wrong. The law would take it for requests that are admitted, so that one caller could close the level
/// for everybody.
fn believe(believed: &mut [u32], withheld: &[u32], level: Level) {
    let mut end = 0;
    for (believed, &withheld) in believed.iter_mut().zip(withheld) {
        end += Priority::PER_BUSINESS;
        *believed = if end <= level.get() { 0 } else { withheld };
    }
}

#[cfg(all(test, dagor_loom))]
mod loom_tests {
    use std::sync::Arc;

    use loom::thread;

    use super::*;

    fn door() -> Arc<Door> {
        let controller = Controller::new(Constants::default(), 1, Duration::ZERO);
        Arc::new(Door::new(controller, Demand::new(1, 1), Duration::ZERO))
    }

    /// Two threads count in one shard while a third closes two windows: every arrival is in exactly one of them or
    /// still to be taken.
    #[test]
    fn arrivals_are_conserved_while_a_window_closes() {
        loom::model(|| {
            let door = door();
            let counters: Vec<_> = (0..2)
                .map(|shard| {
                    let door = Arc::clone(&door);
                    thread::spawn(move || {
                        door.arrive(Priority::MOST_IMPORTANT, shard, Duration::ZERO);
                        door.admits(Priority::MOST_IMPORTANT, Progress::New)
                    })
                })
                .collect();
            let mut taken = 0;
            for window in 1..=2 {
                let mut closer = door.closer();
                let now = Duration::from_millis(100 * window);
                door.close(&mut closer, now, &Measured::default());
                taken += closer.seen.window.iter().sum::<u32>();
            }
            for counter in counters {
                assert!(
                    counter.join().unwrap(),
                    "the floor always admits the most important"
                );
            }
            let mut closer = door.closer();
            door.close(&mut closer, Duration::from_secs(1), &Measured::default());
            taken += closer.seen.window.iter().sum::<u32>();
            assert_eq!(taken, 2);
        });
    }

    /// Two threads that both find the window due: one closes, the other decides and goes on.
    #[test]
    fn one_closes_the_other_goes_on() {
        loom::model(|| {
            let door = door();
            let closers: Vec<_> = (0..2)
                .map(|_| {
                    let door = Arc::clone(&door);
                    thread::spawn(move || {
                        let now = Duration::from_millis(100);
                        let Some(mut closer) = door.try_closer() else {
                            return 0;
                        };
                        if !door.is_due(&closer, now, true) {
                            return 0;
                        }
                        door.close(&mut closer, now, &Measured::default());
                        1
                    })
                })
                .collect();
            let closed: u32 = closers
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .sum();
            assert_eq!(closed, 1, "the window is closed once");
            assert!(door.level() >= Level::FLOOR);
        });
    }
}

#[cfg(all(test, not(dagor_loom)))]
mod tests {
    use super::*;
    use crate::{
        control::Constants,
        priority::{Business, User},
    };

    #[test]
    fn only_the_businesses_that_are_not_admitted_whole_are_believed() {
        let believed = |level| {
            let mut believed = [9; 3];
            believe(&mut believed, &[1, 2, 3], level);
            believed
        };
        let at = |business, user| {
            let user = User::new(user, 0).unwrap();
            Level::at(Priority::new(Business::new(business), user))
        };
        assert_eq!(believed(Level::FLOOR), [1, 2, 3]);
        assert_eq!(believed(at(0, 127)), [1, 2, 3]);
        assert_eq!(believed(at(1, 0)), [0, 2, 3]);
        assert_eq!(believed(at(1, 5)), [0, 2, 3]);
        assert_eq!(believed(Level::OPEN), [0; 3]);
    }

    /// Otherwise no window would ever be closed again, and the level stay where it is for good.
    #[test]
    fn a_panic_while_a_window_closes_does_not_keep_the_next_from_closing() {
        let controller = Controller::new(Constants::default(), 1, Duration::ZERO);
        let door = Door::new(controller, Demand::new(1, 1), Duration::ZERO);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _closer = door.closer();
            panic!("while it closes");
        }));
        assert!(panicked.is_err());
        assert!(door.try_closer().is_some());
    }
}
