//! Which table.

use std::ops::Range;

use crate::{Engine, policy::Name, scenario::Balance};

/// Which cells are measured, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Where. Default: in virtual time.
    pub engine: Engine,
    /// Under which policies. Default: all that the engine can run.
    pub policies: Vec<Name>,
    /// The first seed. Default 1.
    pub seed: u64,
    /// How many seeds a cell is the sum of. Default `None`: 5 in virtual time, 1 when `quick` or on real sockets.
    pub runs: Option<u32>,
    /// Whether runs are shorter. Default no.
    pub quick: bool,
    /// How A chooses an instance of M. Default: any.
    pub balance: Balance,
    /// Whether a task makes its calls at once, and drops the others when one fails. Default no.
    pub parallel: bool,
}

impl Options {
    /// The seeds of a cell in virtual time, unless told or quick.
    pub const RUNS: u32 = 5;

    /// Returns the defaults for an engine.
    #[must_use]
    pub fn new(engine: Engine) -> Self {
        let fits = |policy: &Name| engine == Engine::Live || policy.is_simulated();
        Self {
            engine,
            policies: Name::ALL.into_iter().filter(fits).collect(),
            seed: 1,
            runs: None,
            quick: false,
            balance: Balance::Random,
            parallel: false,
        }
    }

    /// Returns the seeds that a cell is the sum of.
    #[must_use]
    pub fn seeds(&self) -> Range<u64> {
        let runs = self.runs.unwrap_or(match self.engine {
            Engine::Sim if !self.quick => Self::RUNS,
            Engine::Sim | Engine::Live => 1,
        });
        self.seed..self.seed.saturating_add(runs.into())
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new(Engine::Sim)
    }
}
