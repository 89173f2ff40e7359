//! Closing windows: who looks, what is handed to the law, and what else a window's end decides.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::runtime::Handle;

use super::{
    Shared,
    door::{Closer, Measured},
};
use crate::{
    clock::nanos,
    config::{Mode, Settings},
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
    told_held_back: AtomicBool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Memory {
    /// Nanoseconds waited outside of the gate up to the last window.
    outside: u64,
    /// Of those, what the stamps of connections saw.
    stamped: u64,
    reported: u64,
    /// Waits that end before this moment were caused by a stop of the process.
    paused_until: Duration,
    /// The earliest moment at which another stop counts as one.
    next_pause: Duration,
    last: Option<Verdict>,
    /// Time during which the gate was always blind, up to the last window.
    blind: Duration,
    /// Time during which somebody always waited and nobody was refused, up to the last window.
    held_back: Duration,
    /// Refusals because of too many requests up to the last window.
    refused: u64,
}

/// The longest time after a stop for which its waits are not held against the load.
const LONGEST_GRACE: Duration = Duration::from_secs(1);

/// How long the gate must have been blind before that is believed.
const LONG_BLIND: Duration = Duration::from_millis(500);

/// How long the gate must have been busy without refusing anybody.
const LONG_HELD_BACK: Duration = Duration::from_secs(2);

/// How often a stop may count as one: a runtime that stops all the time is overloaded.
const BETWEEN_STOPS: Duration = Duration::from_secs(5);

impl Window {
    fn memory(&self) -> std::sync::MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what the last window was judged to be.
    pub(super) fn verdict(&self) -> Option<Verdict> {
        self.memory().last
    }
}

impl Shared {
    /// Takes over what the law needs to know of new settings.
    pub(super) fn apply_law(&self, settings: &Settings) {
        let constants = super::shared::constants(settings);
        if self.mode() == Mode::Off || settings.mode == Mode::Off {
            let now = self.clock.now();
            self.door.reset(constants, now);
            let _before = self.gate.take_window(now);
            let mut memory = self.window.memory();
            (memory.outside, memory.reported) = (self.counts.outside(), self.counts.reported());
            memory.stamped = self.counts.stamped();
            memory.last = None;
        } else {
            self.door.closer().controller.set_constants(constants);
        }
    }

    /// Closes the window if it is due and nobody else is at it.
    pub(super) fn look(&self, now: Duration) {
        if self.mode() == Mode::Off {
            return;
        }
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
        let stamped = Outside {
            waited: since(self.counts.stamped(), &mut memory.stamped),
            ..outside
        };
        let refused = self.counts.shed_by_level();
        let inside = Inside {
            waited: since(self.counts.reported(), &mut memory.reported),
            admitted: u64::from(outside.arrived)
                .saturating_sub(refused.saturating_sub(closer.refused)),
        };
        let measured = Measured {
            refused,
            paused: now < memory.paused_until,
            ..measured(&metered, outside, inside)
        };
        let since = closer.since;
        let closed = self.door.close(closer, now, &measured);
        memory.last = Some(closed.verdict);
        let window = now.saturating_sub(since);
        let held_back = memory.held_back(&metered, window, self.counts.shed_as_too_many());
        // What jobs waited in their queues says nothing of sockets.
        let mean = stamped.mean();
        // Not after a stop, when every socket has waited, nor on a handful of requests.
        let blind = closed.verdict == Verdict::Overloaded
            && mean > closer.controller.constants().threshold
            && gate_is_blind(&metered, mean);
        let blind = memory.blind(blind, window);
        drop(memory);
        self.bound(closer, &metered);
        self.counts.rotate(now);
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
            held_back,
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
            held_back,
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
            #[cfg(feature = "tracing")]
            crate::trace::overload_edge(&self.name, closed.level);
            self.observers
                .tell(|observer| observer.overload_edge(&self.name, closed.level));
        }
        if let Some(outside) = *blind {
            self.gate.fall_back();
            if !self.window.told_blind.swap(true, Relaxed) {
                self.advise(Advice::GateBlind { outside });
            }
        }
        if *held_back && !self.window.told_held_back.swap(true, Relaxed) {
            let inside = metered.waiting + metered.running;
            self.advise(Advice::HeldBack { inside });
        }
    }

    fn is_idle(&self) -> bool {
        if self.mode() == Mode::Off {
            return true;
        }
        let Some(closer) = self.door.try_closer() else {
            return false;
        };
        self.door.level() == Level::OPEN
            && self.door.demand.arrived_since(&closer.seen) == 0
            && self.window.verdict() == Some(Verdict::Idle)
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

/// What the admitted requests of a window waited inside of their handlers.
#[derive(Clone, Copy, Debug)]
struct Inside {
    waited: Duration,
    admitted: u64,
}

impl Inside {
    /// Returns the wait of `count` requests of which each waited like the mean of those admitted.
    fn of(self, count: u64) -> Duration {
        let waited = u128::from(nanos(self.waited)) * u128::from(count);
        let waited = waited / u128::from(self.admitted.max(1));
        Duration::from_nanos(u64::try_from(waited).unwrap_or(u64::MAX))
    }
}

/// What a closed window gives to tell.
struct Outcome {
    closed: Closed,
    metered: Metered,
    businesses: Vec<BusinessDemand>,
    blind: Option<Duration>,
    held_back: bool,
}

impl Memory {
    /// Returns whether the gate has been blind for long enough to be so for good, and not because something
    /// held the runtime up once.
    fn blind(&mut self, now: bool, window: Duration) -> bool {
        self.blind = if now {
            self.blind + window
        } else {
            Duration::ZERO
        };
        self.blind >= LONG_BLIND
    }

    /// Returns whether the callers hold requests back: the gate was never empty, and yet there never were
    /// too many for it. An open load as large as the capacity does not stay like that for two seconds. (The
    /// least important may wait too long for all that: others keep going before them.)
    fn held_back(&mut self, metered: &Metered, window: Duration, refused: u64) -> bool {
        let always = metered.backlogged >= window.mul_f64(0.95) && !window.is_zero();
        if always && refused == self.refused && metered.permits != usize::MAX {
            self.held_back += window;
        } else {
            self.held_back = Duration::ZERO;
        }
        self.refused = refused;
        self.held_back >= LONG_HELD_BACK
    }
}

/// Returns whether the requests of a window waited before the layer and hardly in the gate.
fn gate_is_blind(metered: &Metered, outside: Duration) -> bool {
    let starts = u32::try_from(metered.starts).unwrap_or(u32::MAX);
    let in_gate = metered.waited.checked_div(starts).unwrap_or_default();
    metered.permits != usize::MAX && 10 * in_gate < outside
}

/// Adds up the waits of a window, each once.
///
/// What waited before the layer is known of arrivals, not of starts, so its mean is charged to every
/// start. Without permits nothing waits in the gate and refused requests waited like the others: then
/// the arrivals are the sample, and the mean wait inside, of which the refused know nothing, is charged to each.
fn measured(metered: &Metered, outside: Outside, inside: Inside) -> Measured {
    let admitted = inside.admitted;
    let (starts, inside) = if metered.permits == usize::MAX {
        let sample = metered.starts.max(outside.arrived.into());
        (sample, inside.of(sample))
    } else {
        (metered.starts, inside.waited)
    };
    let count = u32::try_from(starts).unwrap_or(u32::MAX);
    // Of work that only asked the level nobody sees the end: what was admitted counts as served.
    let unseen = metered.permits == usize::MAX && metered.starts == 0;
    Measured {
        served: if unseen { admitted } else { metered.served },
        starts,
        waited: (metered.waited)
            .saturating_add(outside.mean().saturating_mul(count))
            .saturating_add(inside),
        waiting: metered.waiting,
        running: metered.running,
        slot: metered.slot,
        ..Measured::default()
    }
}

impl Owner for Shared {
    fn started_on(&self, runtime: &Handle) {
        #[cfg(feature = "http")]
        self.outside.set_runtime(runtime.clone());
        let _ = runtime;
    }

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
        #[cfg(feature = "tracing")]
        crate::trace::advice(&self.name, &advice);
        self.observers
            .tell(|observer| observer.advice(&self.name, &advice));
    }
}
