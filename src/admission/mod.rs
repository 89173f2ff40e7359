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
mod shared;
mod snapshot;

use std::{fmt, sync::Arc, time::Duration};

pub(crate) use self::shared::{Entrance, InFlight, Shared};
pub use self::{
    builder::Builder,
    snapshot::{QueuingTimes, Snapshot},
};
pub use crate::gate::Due;
use crate::{
    clock::Clock,
    config::{Mode, Settings, SettingsError},
    error::Shed,
    gate::{Acquire, Permit},
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

/// A call that was not refused at once.
enum Begun {
    Started(Admitted),
    Waiting(Waiting),
}

/// A call that waits at the gate.
struct Waiting {
    acquire: Acquire,
    in_flight: InFlight,
    waited: Duration,
    priority: Priority,
}

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
        match self.begin(&PriorityField::new(priority), waited)? {
            Begun::Started(admitted) => Ok(admitted),
            Begun::Waiting(waiting) => waiting.admitted(self).await,
        }
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
        match self.begin(call, waited)? {
            Begun::Started(admitted) => Ok(admitted),
            Begun::Waiting(waiting) => waiting.admitted(self).await,
        }
    }

    /// Decides on a request by its level alone, for work that has a limit and a queue of its own.
    ///
    /// Counts it as demand. Report what it then waits with [`report_wait`](Self::report_wait), or the level
    /// never moves, and use [`Concurrency::Unlimited`](crate::Concurrency::Unlimited): there is no gate here.
    ///
    /// # Errors
    ///
    /// [`Shed`], if its priority is not below the level.
    pub fn decide(&self, priority: Priority, progress: Progress) -> Result<(), Shed> {
        match self.mode() {
            Mode::Off => Ok(()),
            Mode::Enforce | Mode::Observe => {
                let now = self.shared.clock.now();
                self.shared.decide(priority, progress, now)
            }
        }
    }

    /// Takes a call as far as it gets without waiting.
    fn begin(&self, call: &PriorityField, waited: Duration) -> Result<Begun, Shed> {
        let in_flight = self.shared.enter();
        if self.mode() == Mode::Off {
            return Ok(Begun::Started(Admitted {
                permit: None,
                _in_flight: in_flight,
                waited,
            }));
        }
        let now = self.shared.clock.now();
        let deadline = call.budget.map(|budget| now.saturating_add(budget));
        self.shared.note_outside(waited);
        let entrance = self
            .shared
            .ask(call.priority, call.progress, deadline, now)?;
        match entrance {
            Entrance::Open(permit) => {
                self.shared.note_started(call.priority, waited);
                Ok(Begun::Started(Admitted {
                    permit: Some(permit),
                    _in_flight: in_flight,
                    waited,
                }))
            }
            Entrance::Wait(acquire) => Ok(Begun::Waiting(Waiting {
                acquire,
                in_flight,
                waited,
                priority: call.priority,
            })),
        }
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

    /// Does what the dispatcher task does on tokio, for those who set a
    /// [`dispatcher`](Builder::dispatcher) of their own: hands on the permits that came back, closes windows
    /// that no request closes, answers those whose time is over. Returns when it is due next.
    ///
    /// Without such a dispatcher it does nothing.
    #[must_use = "it is due again when it says"]
    pub fn dispatch(&self) -> Due {
        self.shared.gate.dispatch()
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

// === impl Waiting ===

impl Waiting {
    async fn admitted(self, admission: &Admission) -> Result<Admitted, Shed> {
        let shared = &admission.shared;
        let settled = self.acquire.await;
        let (permit, at_gate) = settled.map_err(|reason| shared.shed(self.priority, reason))?;
        let waited = self.waited.saturating_add(at_gate);
        shared.note_started(self.priority, waited);
        Ok(Admitted {
            permit: Some(permit),
            _in_flight: self.in_flight,
            waited,
        })
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
