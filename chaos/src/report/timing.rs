//! What running took: facts of the machine, apart from what was found.

use serde::Serialize;

use super::{digits, word};
use crate::{Engine, policy::Name};

/// What a whole command took.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Timing {
    /// From its beginning to the report, in seconds.
    #[serde(serialize_with = "digits::serialize")]
    pub seconds: f64,
    /// The most memory that the process had, in bytes, where the system says it.
    pub peak_memory_bytes: Option<u64>,
    /// How many processors it could use.
    pub processors: Option<usize>,
    /// Scenario by scenario, policy by policy.
    pub runs: Vec<RunTiming>,
}

/// What the runs of one policy took.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunTiming {
    /// The scenario.
    pub scenario: String,
    /// Where it was run.
    #[serde(serialize_with = "word")]
    pub engine: Engine,
    /// The policy.
    #[serde(serialize_with = "word")]
    pub policy: Name,
    /// How many runs.
    pub seeds: usize,
    /// All of them together, in seconds.
    #[serde(serialize_with = "digits::serialize")]
    pub seconds: f64,
    /// Events that the engine worked off.
    pub events: u64,
    /// Requests that arrived at services.
    pub requests: u64,
}

impl Timing {
    /// Returns `timing.json`, for people to read too.
    ///
    /// # Errors
    ///
    /// None that a timing can cause; serde's signature.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|json| json + "\n")
    }
}

impl RunTiming {
    /// Returns how many requests were simulated in a second.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "no run has 2^53 requests")]
    pub fn requests_per_second(&self) -> f64 {
        if self.seconds > 0.0 {
            self.requests as f64 / self.seconds
        } else {
            0.0
        }
    }

    /// Returns how many events were worked off in a second.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "no run has 2^53 events")]
    pub fn events_per_second(&self) -> f64 {
        if self.seconds > 0.0 {
            self.events as f64 / self.seconds
        } else {
            0.0
        }
    }
}
