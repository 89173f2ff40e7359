//! One service's admission: the handle that decides, shared by everything that serves it.
//!
//! An [`Admission`] is cheap to clone, and its clones are one: the HTTP server, the gRPC server and the
//! job consumers of a service hold the same one, so the service has one level and one gate.
//!
//! What happens to a request:
//!
//! 1. it is counted as demand, before any decision, together with what its caller withheld;
//! 2. it is shed if its priority is not below the level;
//! 3. it waits at the gate for a permit, and is shed if the queue is full of better ones or its time is
//!    over;
//! 4. it runs; the permit comes back when it is done.
//!
//! # Jobs
//!
//! Work that does not come as a request asks by itself:
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
//! use std::time::Duration;
//! use dagor::{Admission, Business, Priority, User};
//!
//! let admission = Admission::builder("mailer").build()?;
//! let priority = Priority::new(Business::new(2), User::new(7, 0)?);
//! match admission.admit(priority, Duration::from_millis(3)).await {
//!     Ok(admitted) => drop(admitted), // send the mail, then let go
//!     Err(shed) => panic!("put it back: {shed}"),
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod builder;
mod counts;
mod demand;
mod door;
#[cfg(feature = "http")]
mod outside;
mod owner;
#[cfg(feature = "http")]
mod protocol;
mod snapshot;

use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU8, AtomicUsize, Ordering},
    },
    time::Duration,
};

use arc_swap::ArcSwap;

pub use self::{
    builder::Builder,
    snapshot::{QueuingTimes, Snapshot},
};
use self::{counts::Counts, door::Door, owner::Window};
use crate::{
    clock::{Clock, nanos},
    config::{Concurrency, Mode, Settings, SettingsError},
    control::{Algorithm, Constants},
    error::{Reason, Shed},
    gate::{Acquire, Gate, Permit, Ticket},
    observe::Observers,
    priority::{Level, Priority, Progress},
    wire::{DemandField, LevelField, Outcome, PriorityField},
};

/// The handle of one service. Clones share everything.
#[derive(Clone)]
pub struct Admission {
    pub(crate) shared: Arc<Shared>,
}

/// A job that was admitted; dropping it says that the job is done.
#[derive(Debug)]
pub struct Admitted {
    permit: Option<Permit>,
    _in_flight: InFlight,
    waited: Duration,
}

pub(crate) struct Shared {
    name: Arc<str>,
    clock: Clock,
    #[cfg(feature = "http")]
    names: crate::wire::Names,
    observers: Observers,
    settings: ArcSwap<Settings>,
    /// Held while settings are changed, so that all their parts are of the same ones.
    changing: Mutex<()>,
    mode: AtomicU8,
    door: Door,
    gate: Arc<Gate>,
    counts: Counts,
    window: Window,
    #[cfg(feature = "http")]
    outside: outside::Outside,
    #[cfg(feature = "http")]
    pub(crate) sockets: crate::queuing_time::SocketWaits,
    in_flight: AtomicUsize,
}

/// One request from its arrival to the end of its response; the count goes down when this drops.
#[derive(Debug)]
pub(crate) struct InFlight(Arc<Shared>);

impl Admission {
    /// Begins the admission of the service `name`, a short word that appears in metrics and logs.
    pub fn builder(name: impl Into<Arc<str>>) -> Builder {
        Builder::new(name.into())
    }

    /// Admits a job of this priority that has waited for `waited` (in a queue, say) so far.
    ///
    /// Waits at the gate like a request. The queue's wait counts as queuing time, so pass what the job
    /// waited *because the consumers were busy*, not how long it was scheduled ahead.
    ///
    /// # Errors
    ///
    /// [`Shed`], if the level or the gate refuses it: put it back, with a delay.
    ///
    /// # Cancellation
    ///
    /// Dropped while it waits, the job leaves the gate at once and counts as arrived, not as shed.
    pub async fn admit(&self, priority: Priority, waited: Duration) -> Result<Admitted, Shed> {
        self.admit_call(&PriorityField::new(priority), waited).await
    }

    /// Admits a call that came with these fields over a protocol of your own; otherwise like
    /// [`admit`](Self::admit).
    ///
    /// Its caller's demand goes to [`note_withheld`](Self::note_withheld) before, and the
    /// [`level_field`](Self::level_field) on the answer, whatever that is.
    ///
    /// # Errors
    ///
    /// [`Shed`], if the level or the gate refuses it.
    ///
    /// # Cancellation
    ///
    /// As for [`admit`](Self::admit).
    pub async fn admit_call(
        &self,
        call: &PriorityField,
        waited: Duration,
    ) -> Result<Admitted, Shed> {
        let PriorityField {
            priority,
            progress,
            budget,
        } = *call;
        let in_flight = self.shared.enter();
        if self.mode() == Mode::Off {
            return Ok(Admitted {
                permit: None,
                _in_flight: in_flight,
                waited,
            });
        }
        let now = self.shared.clock.now();
        let deadline = budget.map(|budget| now.saturating_add(budget));
        self.shared.note_outside(waited);
        let asked = self.shared.ask(priority, progress, deadline, now)?;
        let (permit, at_gate) = match asked {
            Some(acquire) => {
                let granted = match acquire.try_settled() {
                    Ok(settled) => settled.map(|permit| (permit, Duration::ZERO)),
                    Err(acquire) => acquire.await,
                };
                let (permit, waited) =
                    granted.map_err(|reason| self.shared.shed(priority, reason))?;
                (Some(permit), waited)
            }
            None => (None, Duration::ZERO),
        };
        let waited = waited.saturating_add(at_gate);
        self.shared.note_started(priority, waited);
        Ok(Admitted {
            permit,
            _in_flight: in_flight,
            waited,
        })
    }

    /// Counts the requests that a caller reports as withheld.
    pub fn note_withheld(&self, demand: &DemandField) {
        self.shared.note_withheld(demand);
    }

    /// Returns the field that belongs on every answer: the level, and how many wait and run.
    ///
    /// The level is open unless the mode is enforce, for callers withhold by it.
    #[must_use]
    pub fn level_field(&self, outcome: Outcome) -> LevelField {
        self.shared.level_field(outcome)
    }

    /// Tells of a wait inside a handler that the runtime cannot see, such as for a pooled connection.
    ///
    /// It is queuing time of the service like any other and moves the level. One call per wait.
    pub fn report_wait(&self, waited: Duration) {
        self.shared.counts.report_wait(waited);
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.shared.name
    }

    /// Returns the level as of now.
    #[must_use]
    pub fn level(&self) -> Level {
        self.shared.door.level()
    }

    /// Returns the mode.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.shared.mode()
    }

    /// Switches the mode while running; waiting requests are not lost.
    pub fn set_mode(&self, mode: Mode) {
        self.shared.change(|settings| settings.mode = mode);
    }

    /// Returns the settings in force.
    #[must_use]
    pub fn settings(&self) -> Arc<Settings> {
        self.shared.settings.load_full()
    }

    /// Puts new settings in force while running.
    ///
    /// # Errors
    ///
    /// Every fault of the new settings; the old ones stay then.
    pub fn reload(&self, settings: Settings) -> Result<(), SettingsError> {
        settings.check()?;
        self.shared.change(|current| *current = settings);
        Ok(())
    }

    /// Returns what the service sees and does now, for people and dashboards.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.shared.snapshot()
    }

    /// Returns the clock that everything here goes by.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.shared.clock
    }
}

impl fmt::Debug for Admission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Admission")
            .field("name", &self.shared.name)
            .field("mode", &self.mode())
            .field("level", &self.level())
            .field("gate", &self.shared.gate)
            .finish_non_exhaustive()
    }
}

// === impl Admitted ===

impl Admitted {
    /// Returns how long the job waited, before the gate and at it.
    #[must_use]
    pub const fn waited(&self) -> Duration {
        self.waited
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        if let Some(permit) = self.permit.take() {
            permit.finish();
        }
    }
}

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

    /// Decides by the level and, if it admits, asks the gate. `None`: start without a permit.
    pub(crate) fn ask(
        &self,
        priority: Priority,
        progress: Progress,
        deadline: Option<Duration>,
        now: Duration,
    ) -> Result<Option<Acquire>, Shed> {
        let mode = self.mode();
        if mode == Mode::Off {
            return Ok(None);
        }
        // The level knows no business beyond the last: unclamped, all of them would be refused at any level
        // but open.
        let priority = priority.clamped(self.door.demand.last());
        if self.door.arrive(priority, counts::shard(), now) {
            self.look(now);
        }
        if !self.door.admits(priority, progress) {
            let shed = self.shed(priority, Reason::Level);
            if mode == Mode::Enforce {
                return Err(shed);
            }
        }
        let deadline = deadline.map_or(u64::MAX, nanos);
        Ok(Some(self.gate.acquire(
            &Ticket {
                priority,
                progress,
                deadline,
            },
            now,
        )))
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

    fn change(&self, change: impl FnOnce(&mut Settings)) {
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
fn concurrency(settings: &Settings) -> Concurrency {
    match settings.mode {
        Mode::Enforce => settings.concurrency.clone(),
        Mode::Observe | Mode::Off => Concurrency::Unlimited,
    }
}

/// Returns the constants in force: without a gate only proportional steps converge, so the graded ones
/// give way to them and keep what was set of the threshold and the window.
fn constants(settings: &Settings) -> Constants {
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

const fn number_of(mode: Mode) -> u8 {
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
