//! One run: a scenario, a policy, a seed, an engine.

use std::{fmt, str::FromStr};

use crate::{measure::Outcome, policy::Name, scenario::Scenario};

/// Where a scenario is run.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Engine {
    /// In virtual time.
    Sim,
    /// On real sockets.
    Live,
}

/// Why a run could not take place: the system refused something (sockets, threads). Never for what a
/// scenario can cause.
#[derive(Debug)]
pub struct RunError(pub String);

/// Runs one policy.
///
/// # Errors
///
/// If the engine cannot run it here.
pub fn run(
    scenario: &Scenario,
    policy: Name,
    seed: u64,
    engine: Engine,
) -> Result<Outcome, RunError> {
    match engine {
        Engine::Sim => crate::sim::run(scenario, policy, seed),
        Engine::Live => crate::live::run(scenario, policy, seed),
    }
}

impl Engine {
    /// Returns the word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sim => "sim",
            Self::Live => "live",
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Engine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "sim" => Ok(Self::Sim),
            "live" => Ok(Self::Live),
            _ => Err(format!("engine = {text:?}, expected sim or live")),
        }
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RunError {}
