//! What all clones of one admission share, and how it decides.

use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU8, AtomicUsize, Ordering},
    },
    time::Duration,
};

use arc_swap::ArcSwap;

use super::{
    counts::{self, Counts},
    door::Door,
    owner::Window,
};
use crate::{
    clock::{Clock, nanos},
    config::{Concurrency, Mode, Settings},
    control::{Algorithm, Constants},
    error::{Reason, Shed},
    gate::{Acquire, Answer, Gate, Permit, Ticket},
    observe::Observers,
    priority::{Level, Priority, Progress},
    wire::{DemandField, LevelField, Outcome},
};

pub(crate) struct Shared {
    pub(super) name: Arc<str>,
    pub(super) clock: Clock,
    #[cfg(feature = "http")]
    pub(super) names: crate::wire::Names,
    pub(super) observers: Observers,
    pub(super) settings: ArcSwap<Settings>,
    /// Held while settings are changed, so that all their parts are of the same ones.
    pub(super) changing: Mutex<()>,
    pub(super) mode: AtomicU8,
    pub(super) door: Door,
    pub(super) gate: Arc<Gate>,
    pub(super) counts: Counts,
    pub(super) window: Window,
    #[cfg(feature = "http")]
    pub(super) outside: super::outside::Outside,
    #[cfg(feature = "http")]
    pub(crate) sockets: crate::queuing_time::SocketWaits,
    pub(super) in_flight: AtomicUsize,
}

/// How a request that the level admits gets in.
#[derive(Debug)]
pub(crate) enum Entrance {
    /// At once, with this permit.
    Open(Permit),
    /// When it has a permit.
    Wait(Acquire),
}

/// One request from its arrival to the end of its response; the count goes down when this drops.
#[derive(Debug)]
pub(crate) struct InFlight(Arc<Shared>);

// === impl Shared ===

impl Shared {
    pub(crate) fn mode(&self) -> Mode {
        mode_of(self.mode.load(Ordering::Relaxed))
    }

    /// Counts what a caller says it withheld.
    pub(crate) fn note_withheld(&self, demand: &DemandField) {
        for (business, count) in demand.iter() {
            self.door.demand.withheld(business, u64::from(count));
        }
    }

    /// Counts a wait before the layer, once per request.
    pub(crate) fn note_outside(&self, waited: Duration) {
        self.counts.note_outside(waited);
    }

    pub(crate) fn note_started(&self, priority: Priority, waited: Duration) {
        self.counts.record_wait(waited);
        self.observers
            .tell(|observer| observer.started(&self.name, priority, waited));
    }

    /// Counts a request as demand and decides by the level.
    pub(crate) fn decide(
        &self,
        priority: Priority,
        progress: Progress,
        now: Duration,
    ) -> Result<(), Shed> {
        // The level knows no business beyond the last: unclamped, all of them would be refused at any level
        // but open.
        let priority = priority.clamped(self.door.demand.last());
        if self.door.arrive(priority, counts::shard(), now) {
            self.look(now);
        }
        if self.door.admits(priority, progress) {
            return Ok(());
        }
        let shed = self.shed(priority, Reason::Level);
        match self.mode() {
            Mode::Enforce => Err(shed),
            Mode::Observe | Mode::Off => Ok(()),
        }
    }

    /// Decides by the level and, if it admits, asks the gate.
    pub(crate) fn ask(
        &self,
        priority: Priority,
        progress: Progress,
        deadline: Option<Duration>,
        now: Duration,
    ) -> Result<Entrance, Shed> {
        self.decide(priority, progress, now)?;
        let ticket = Ticket {
            priority: priority.clamped(self.door.demand.last()),
            progress,
            deadline: deadline.map_or(u64::MAX, nanos),
        };
        match self.gate.acquire(&ticket, now) {
            Answer::Granted(permit) => Ok(Entrance::Open(permit)),
            Answer::Wait(acquire) => Ok(Entrance::Wait(acquire)),
            Answer::Refused(reason) => Err(self.shed(priority, reason)),
        }
    }

    /// Counts a refusal and tells of it.
    pub(crate) fn shed(&self, priority: Priority, reason: Reason) -> Shed {
        let business = priority.business().min(self.door.demand.last());
        self.counts.shed(business, reason);
        self.observers
            .tell(|observer| observer.shed(&self.name, priority, reason));
        Shed {
            reason,
            level: self.door.level(),
            business,
        }
    }

    /// Returns the field that every response carries: the level if it is enforced, and the load.
    pub(crate) fn level_field(&self, outcome: Outcome) -> LevelField {
        let (waiting, running, _) = self.gate.load();
        let count = |count| u32::try_from(count).unwrap_or(u32::MAX);
        // Callers obey what they read, and would do the shedding that the other modes promise not to do.
        let level = match self.mode() {
            Mode::Enforce => self.door.level(),
            Mode::Observe | Mode::Off => Level::OPEN,
        };
        LevelField {
            level,
            waiting: count(waiting),
            running: count(running),
            outcome,
        }
    }

    /// Counts a request in flight until the guard drops.
    pub(crate) fn enter(self: &Arc<Self>) -> InFlight {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        InFlight(Arc::clone(self))
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut Settings)) {
        let changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let old = self.settings.load_full();
        let mut settings = Settings::clone(&old);
        change(&mut settings);
        let limit = concurrency(&settings);
        #[cfg(feature = "http")]
        self.outside.set_level_only(limit == Concurrency::Unlimited);
        self.apply_law(&settings);
        self.mode.store(number_of(settings.mode), Ordering::Relaxed);
        // The adaptive limit begins anew when it is set, so only what changed is.
        let changed = limit != concurrency(&old);
        self.settings.store(Arc::new(settings));
        let wake = changed.then(|| self.gate.set_concurrency(&limit));
        drop(changing);
        // Wakers are not ours, and may come back here.
        if let Some(wake) = wake {
            wake();
        }
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Returns the limit in force: whoever refuses nothing must not make anybody wait either.
pub(super) fn concurrency(settings: &Settings) -> Concurrency {
    match settings.mode {
        Mode::Enforce => settings.concurrency.clone(),
        Mode::Observe | Mode::Off => Concurrency::Unlimited,
    }
}

/// Returns the constants in force: without a gate only proportional steps converge, so the graded ones
/// give way to them and keep what was set of the threshold and the window.
pub(super) fn constants(settings: &Settings) -> Constants {
    let set = &settings.constants;
    if concurrency(settings) != Concurrency::Unlimited || set.algorithm != Algorithm::Graded {
        return set.clone();
    }
    let proportional = Constants::no_gate();
    Constants {
        algorithm: proportional.algorithm,
        margin: proportional.margin,
        ..set.clone()
    }
}

pub(super) const fn number_of(mode: Mode) -> u8 {
    match mode {
        Mode::Enforce => 0,
        Mode::Observe => 1,
        Mode::Off => 2,
    }
}

const fn mode_of(number: u8) -> Mode {
    match number {
        0 => Mode::Enforce,
        1 => Mode::Observe,
        _ => Mode::Off,
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}
