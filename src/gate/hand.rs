//! The dispatcher as a function, for those who run their tasks on something else than tokio.
//!
//! What the dispatcher task does between two of its turns (see [`release`](super::release)), one call does here:
//! it frees the permits that cooled, looks at what happens by time alone if a tick is due, and says when it
//! wants to be called again.

use std::{sync::Arc, time::Duration};

use tokio::sync::Notify;

use super::{
    Gate,
    core::Dispatcher,
    release::{STOPPED, TICK},
};
use crate::{
    clock::nanos,
    sync::{Mutex, lock},
};

/// When a dispatch by hand is due next.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Due {
    /// After this time, or as soon as it is asked for.
    After(Duration),
    /// When it is asked for: nothing waits, runs or must happen by time.
    WhenAsked,
}

/// Who lets permits go.
pub(super) enum Rouse {
    /// A task on tokio, woken by this.
    Task(Arc<Notify>),
    /// Whoever was told to by this function.
    Hand(Arc<dyn Fn() + Send + Sync>, Mutex<Ticks>),
}

/// When a dispatcher by hand last did what happens by time.
#[derive(Debug)]
pub(super) struct Ticks {
    at: u64,
    resting: bool,
    idle: bool,
}

impl Rouse {
    pub(super) fn by_hand(ask: Arc<dyn Fn() + Send + Sync>) -> Self {
        let ticks = Ticks {
            at: 0,
            resting: true,
            idle: false,
        };
        Self::Hand(ask, Mutex::new(ticks))
    }

    pub(super) const fn is_by_hand(&self) -> bool {
        matches!(self, Self::Hand(..))
    }

    /// Asks for a turn. Never called under a lock: what it calls is not ours.
    pub(super) fn rouse(&self) {
        match self {
            Self::Task(signal) => signal.notify_one(),
            Self::Hand(ask, _) => ask(),
        }
    }
}

impl Gate {
    /// Does what the dispatcher task would do now. Everybody else has had their turn.
    pub(crate) fn dispatch(&self) -> Due {
        let Rouse::Hand(_, ticks) = &self.rouse else {
            // The task does it.
            return Due::WhenAsked;
        };
        let (ticked, late) = lock(ticks).look(nanos(self.clock.now()));
        self.settle();
        let now = self.clock.now();
        let idle = ticked && self.tick(now, late);
        let mut ticks = lock(ticks);
        ticks.idle = idle;
        let mut core = lock(&self.core);
        if core.has_cooling() {
            core.dispatcher = Dispatcher::Letting;
            Due::After(Duration::ZERO)
        } else if idle && core.waiting() == 0 && core.running() == 0 {
            core.dispatcher = Dispatcher::Asleep;
            ticks.resting = true;
            Due::WhenAsked
        } else {
            core.dispatcher = Dispatcher::Ticking;
            let next = Duration::from_nanos(ticks.at).saturating_add(TICK);
            Due::After(next.saturating_sub(now))
        }
    }
}

impl Ticks {
    /// Returns whether a tick is due, and by how much it is late if the process must have stood still.
    fn look(&mut self, now: u64) -> (bool, Option<Duration>) {
        let since = Duration::from_nanos(now.saturating_sub(self.at));
        if std::mem::take(&mut self.resting) {
            self.at = now;
            return (false, None);
        }
        if since < TICK {
            return (false, None);
        }
        self.at = now;
        let late = since.saturating_sub(TICK);
        (true, Some(late).filter(|late| *late >= STOPPED))
    }
}
