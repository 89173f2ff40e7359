//! How to get the same report again.

use std::fmt::Write as _;

use serde::Serialize;

use crate::{Engine, policy::Name};

/// What a replay needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Replay {
    /// The seed of the first run.
    pub seed: u64,
    /// How many runs; each has the seed of the one before and 1.
    pub seeds: usize,
    /// What to type.
    pub command: String,
}

impl Replay {
    /// How to run `scenario` again; the policies are in their order, whatever was typed.
    pub(super) fn new(
        scenario: &str,
        engine: Engine,
        seeds: (u64, usize),
        policies: impl Iterator<Item = Name>,
        quick: bool,
    ) -> Self {
        let (seed, count) = seeds;
        let policies: Vec<&str> = policies.map(Name::as_str).collect();
        let mut command = format!("chaos run {scenario} --engine {engine} --seed {seed}");
        // Writing into a String does not fail.
        let _ = write!(command, " --seeds {count} --policy {}", policies.join(","));
        command.push_str(if quick {
            " --quick --out DIR"
        } else {
            " --out DIR"
        });
        Self {
            seed,
            seeds: count,
            command,
        }
    }
}

/// Returns the commit that the program was built from; `unknown` if it was not built in a checkout. What was
/// changed and not committed does not show.
#[must_use]
pub const fn commit() -> &'static str {
    env!("DAGOR_CHAOS_COMMIT")
}
