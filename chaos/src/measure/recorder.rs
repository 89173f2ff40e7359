//! Counting while a run goes on.
//! (to be written; the signatures stand)

use std::{sync::Arc, time::Duration};

use super::Outcome;
use crate::{scenario::Scenario, wire::Call};

/// Counts; cheap to clone, clones are one.
#[derive(Clone, Debug)]
pub struct Recorder(Arc<std::sync::Mutex<Outcome>>);

impl Recorder {
    /// A recorder for a run of this scenario.
    #[must_use]
    pub fn new(scenario: &Scenario) -> Self {
        let _ = scenario;
        Self(Arc::default())
    }

    /// A task came, of this weight.
    pub fn task_came(&self, now: Duration, call: &Call, weight: u32) {
        let _ = (now, call, weight);
    }

    /// A task that came at `came` ended; work done for it in vain is counted as wasted if it failed.
    pub fn task_ended(&self, came: Duration, now: Duration, call: &Call, weight: u32, good: bool) {
        let _ = (came, now, call, weight, good);
    }

    /// A request arrived at a service.
    pub fn arrived(&self, now: Duration, service: usize) {
        let _ = (now, service);
    }

    /// A service refused one.
    pub fn refused(&self, now: Duration, service: usize) {
        let _ = (now, service);
    }

    /// A caller of `service` did not send a call.
    pub fn withheld(&self, now: Duration, service: usize) {
        let _ = (now, service);
    }

    /// Work was begun, `waited` after the request arrived.
    pub fn started(&self, now: Duration, service: usize, waited: Duration) {
        let _ = (now, service, waited);
    }

    /// Work for a task ended, after `worked`.
    pub fn served(&self, now: Duration, service: usize, worked: Duration, call: &Call) {
        let _ = (now, service, worked, call);
    }

    /// A task wanted to make a call.
    pub fn wanted(&self) {}

    /// A call was sent.
    pub fn sent(&self) {}

    /// How open an instance of `service` is; asked each bin.
    pub fn level(&self, now: Duration, service: usize, level: f64) {
        let _ = (now, service, level);
    }

    /// Returns what was seen; the run is over.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        Outcome::default()
    }
}
