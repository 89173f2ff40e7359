//! Closing windows: who looks, what is handed to the law, and what else a window's end decides.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use super::{
    Shared,
    door::{Closer, Door, Measured},
};
use crate::{
    config::Settings,
    control::{Closed, Verdict},
    gate::{Metered, Owner},
    observe::{Advice, BusinessDemand, WindowClosed},
    priority::Level,
};

/// What is remembered from window to window beside the law's own memory.
#[derive(Debug, Default)]
pub(super) struct Window {
    memory: Mutex<Memory>,
    told_blind: AtomicBool,
    told_no_dispatcher: AtomicBool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Memory {
    /// Nanoseconds waited outside of the gate up to the last window.
    outside: u64,
    reported: u64,
    /// Waits that end before this moment were caused by a stop of the process.
    paused_until: Duration,
    /// The earliest moment at which another stop counts as one.
    next_pause: Duration,
    last: Option<Verdict>,
}

/// The longest time after a stop for which its waits are not held against the load.
const LONGEST_GRACE: Duration = Duration::from_secs(1);

/// How often a stop may count as one: a runtime that stops all the time is overloaded.
const BETWEEN_STOPS: Duration = Duration::from_secs(5);

impl Window {
    /// Takes over what the law needs to know of new settings.
    pub(super) fn apply(&self, door: &Door, settings: &Settings) {
        door.closer()
            .controller
            .set_constants(super::constants(settings));
        if settings.mode == crate::config::Mode::Off {
            door.open();
        }
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    /// Closes the window if it is due and nobody else is at it.
    pub(super) fn look(&self, now: Duration) {
        let Some(mut closer) = self.door.try_closer() else {
            return;
        };
        if !self.door.is_due(&closer, now, self.gate.is_calm()) {
            return;
        }
        let edge = self.close(&mut closer, now);
        drop(closer);
        self.tell(&edge);
    }

    fn close(&self, closer: &mut Closer, now: Duration) -> Outcome {
        let metered = self.gate.take_window(now);
        let mut memory = self.window.memory();
        let since = |sum: u64, before: &mut u64| {
            let new = sum.wrapping_sub(std::mem::replace(before, sum));
            Duration::from_nanos(new)
        };
        let outside = Outside {
            waited: since(self.counts.outside(), &mut memory.outside),
            arrived: self.door.demand.arrived_since(&closer.seen),
        };
        let reported = since(self.counts.reported(), &mut memory.reported);
        let measured = Measured {
            refused: self.counts.shed_by_level(),
            paused: now < memory.paused_until,
            ..measured(&metered, outside, reported)
        };
        let closed = self.door.close(closer, now, &measured);
        memory.last = Some(closed.verdict);
        drop(memory);
        self.bound(closer, &metered);
        self.counts.rotate(now);
        let mean = outside.mean();
        let blind = mean > closer.controller.constants().threshold
            && metered.waited.is_zero()
            && metered.permits != usize::MAX;
        let businesses = if self.observers.is_empty() {
            Vec::new()
        } else {
            closer.seen.businesses()
        };
        Outcome {
            closed,
            metered,
            businesses,
            blind: blind.then_some(mean),
        }
    }

    /// Fits the gate's queue and longest wait to how fast it drains.
    fn bound(&self, closer: &Closer, metered: &Metered) {
        let threshold = closer.controller.threshold(metered.slot);
        let longest = self.settings.load().longest_wait.unwrap_or(5 * threshold);
        self.gate.set_bounds(threshold, metered.slot, longest);
    }

    fn tell(&self, outcome: &Outcome) {
        let Outcome {
            closed,
            metered,
            businesses,
            blind,
        } = outcome;
        let window = WindowClosed {
            verdict: closed.verdict,
            level: closed.level,
            queuing_time: closed.queuing_time,
            demand: closed.demand,
            arrived: closed.arrived,
            waiting: metered.waiting,
            running: metered.running,
            permits: Some(metered.permits).filter(|permits| *permits != usize::MAX),
            businesses: businesses.clone(),
        };
        self.observers
            .tell(|observer| observer.window_closed(&self.name, &window));
        if closed.previous.is_open() != closed.level.is_open() {
            self.observers
                .tell(|observer| observer.overload_edge(&self.name, closed.level));
        }
        if let Some(outside) = *blind
            && !self.window.told_blind.swap(true, Relaxed)
        {
            self.advise(Advice::GateBlind { outside });
        }
    }

    fn is_idle(&self) -> bool {
        let Some(closer) = self.door.try_closer() else {
            return false;
        };
        self.door.level() == Level::OPEN
            && self.door.demand.arrived_since(&closer.seen) == 0
            && self.window.memory().last == Some(Verdict::Idle)
    }

    fn pause(&self, now: Duration, gap: Duration) {
        let mut memory = self.window.memory();
        if now < memory.next_pause {
            return;
        }
        memory.paused_until = now + gap.min(LONGEST_GRACE);
        memory.next_pause = now + BETWEEN_STOPS;
        drop(memory);
        self.advise(Advice::Paused { gap });
    }
}

/// What the requests of a window waited before the layer; each is asked, so they are as many as arrived.
#[derive(Clone, Copy, Debug)]
struct Outside {
    waited: Duration,
    arrived: u32,
}

impl Outside {
    fn mean(self) -> Duration {
        self.waited.checked_div(self.arrived).unwrap_or_default()
    }
}

/// What a closed window gives to tell.
struct Outcome {
    closed: Closed,
    metered: Metered,
    businesses: Vec<BusinessDemand>,
    blind: Option<Duration>,
}

/// Adds up the waits of a window, each once.
///
/// What waited before the layer is known of arrivals, not of starts, so its mean is charged to every
/// start. Without permits nothing waits in the gate and refused requests waited like the others: then
/// the arrivals are the sample.
fn measured(metered: &Metered, outside: Outside, reported: Duration) -> Measured {
    let starts = if metered.permits == usize::MAX {
        metered.starts.max(outside.arrived.into())
    } else {
        metered.starts
    };
    let count = u32::try_from(starts).unwrap_or(u32::MAX);
    Measured {
        served: metered.served,
        starts,
        waited: metered.waited + outside.mean().saturating_mul(count) + reported,
        waiting: metered.waiting,
        running: metered.running,
        slot: metered.slot,
        ..Measured::default()
    }
}

impl Owner for Shared {
    fn tick(&self, now: Duration, stopped: Option<Duration>) -> bool {
        if let Some(gap) = stopped {
            self.pause(now, gap);
        }
        self.look(now);
        self.is_idle()
    }

    fn advise(&self, advice: Advice) {
        if matches!(advice, Advice::NoDispatcher { .. })
            && self.window.told_no_dispatcher.swap(true, Relaxed)
        {
            return;
        }
        self.observers
            .tell(|observer| observer.advice(&self.name, &advice));
    }
}
