//! The table of cells: policy by load by calls of a task.
//!
//! Tasks come to a service A, which has all it needs, and make calls to an overloaded service M: 1 to 4 of them each (M^1
//! to M^4 of the paper's section 5), or 1 to 4 drawn evenly (`mix`). A cell's figure is its goodput as a share
//! of the optimum, both in calls at M: calls of tasks that succeeded, by the smaller of what was offered and what
//! M can serve. A call for a task that fails in the end was in vain, which is what makes several calls hard.
//!
//! In virtual time the cells are those that the law was designed on:
//!
//! | | |
//! |---|---|
//! | M | 3 instances of 10 workers, exponential service of 40 ms: 750 calls/s in all |
//! | A | 3 instances, no bound, no work of its own |
//! | tasks | one business of importance 3, a million users, a deadline of 500 ms, all calls one after the other |
//! | network, refusals | 0.5 ms each way; refusing costs M 5 % of a mean service time |
//! | load | 0.67, 1, 1.33, 2, 3, 5 and 10 times what M can serve |
//! | a run | 60 s of which 20 s are warm-up (`quick`: 24 s, 8 s); 240 s and 120 s (96 s, 48 s) for the paper's own policies, whose level moves by 1 % a second |
//! | seeds | 5 (`quick`: 1) |
//!
//! On real sockets the same graph is smaller, so that two cores carry it together with the load generator; see
//! [`Cell::all`].

mod cell;
mod grid;
mod measured;
mod options;
mod text;

use std::num::NonZeroUsize;

pub use self::{cell::Cell, grid::TaskCalls, measured::Measured, options::Options};
use crate::{Engine, report, run::RunError, spread};

/// All cells, measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Table(Vec<Measured>);

/// One run of one cell.
#[derive(Clone, Copy, Debug)]
struct Job {
    cell: Cell,
    seed: u64,
}

impl Table {
    /// Measures all cells, in virtual time on this many threads, on real sockets one at a time.
    ///
    /// `done` is told after each run, with the share of the whole that it was (all add up to 1).
    ///
    /// # Errors
    ///
    /// If a run could not take place.
    pub fn measure(
        options: &Options,
        threads: NonZeroUsize,
        done: impl Fn(f64) + Sync,
    ) -> Result<Self, RunError> {
        let cells = Cell::all(options);
        let seeds = options.seeds();
        let jobs: Vec<Job> = cells
            .iter()
            .flat_map(|&cell| seeds.clone().map(move |seed| Job { cell, seed }))
            .collect();
        let whole: u64 = jobs.iter().map(|job| job.cell.weight(options)).sum();
        let threads = match options.engine {
            Engine::Sim => threads,
            Engine::Live => NonZeroUsize::MIN,
        };

        let weight = |job: &Job| job.cell.weight(options);
        let runs = spread::try_spread(&jobs, threads, weight, |job| {
            let scenario = job.cell.scenario(options);
            let outcome = crate::run::run(&scenario, job.cell.policy, job.seed, options.engine)?;
            done(share(weight(job), whole));
            Ok::<_, RunError>(measured::Sums::of(&scenario, &outcome))
        })?;

        let per_cell = runs.len() / cells.len().max(1);
        let sums = runs.chunks(per_cell.max(1));
        let cells = cells.iter().zip(sums);
        let cells = cells
            .map(|(cell, sums)| Measured::of(*cell, options, sums))
            .collect();
        Ok(Self::of(cells))
    }

    /// Puts measured cells together, in any order.
    #[must_use]
    pub fn of(mut cells: Vec<Measured>) -> Self {
        cells.sort_by(|a, b| a.cell.order(&b.cell));
        Self(cells)
    }

    /// Returns the cells: by policy, then calls, then load, whatever order they were asked for or done in.
    #[must_use]
    pub fn measured(&self) -> &[Measured] {
        &self.0
    }

    /// Returns what is written down of them, with the geometric means.
    #[must_use]
    pub fn cells(&self) -> report::Cells {
        let cells = self.0.iter().map(|measured| {
            let Cell {
                policy,
                load,
                calls,
            } = measured.cell;
            let (goodput, optimum) = (measured.goodput, measured.optimum);
            report::Cell::new(policy, load, &calls.to_string(), goodput, optimum)
        });
        report::Cells::new(cells.collect())
    }

    /// Returns the table as text: each policy's ratios, then what sums it up, then where `dagor` is behind a peer.
    #[must_use]
    pub fn render(&self) -> String {
        text::render(self)
    }
}

#[expect(clippy::cast_precision_loss, reason = "for a progress bar")]
fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Name;

    #[test]
    fn cells_come_in_one_order_and_as_the_documented_json() {
        let measured = |policy, calls, load, ratio| Measured {
            cell: Cell {
                policy,
                load,
                calls,
            },
            goodput: 750.0 * ratio,
            optimum: 750.0,
            ratio,
            fairness: None,
            withheld: None,
            wait: None,
        };
        let dagor = measured(Name::Dagor, TaskCalls::Mix, 2.0, 0.5);
        let none = measured(Name::None, TaskCalls::Fixed(1), 10.0, 0.25);
        let table = Table::of(vec![dagor.clone(), none.clone()]);
        assert_eq!(table, Table::of(vec![none, dagor]));

        let json: serde_json::Value = serde_json::from_str(&table.cells().json().unwrap()).unwrap();
        let cell = |policy: &str, load: f64, calls: &str, ratio: f64| {
            serde_json::json!({
                "policy": policy, "load": load, "calls": calls,
                "goodput": 750.0 * ratio, "optimum": 750.0, "ratio": ratio,
            })
        };
        let cells = [
            cell("none", 10.0, "1", 0.25),
            cell("dagor", 2.0, "mix", 0.5),
        ];
        let geomean = serde_json::json!({"none": 0.25, "dagor": 0.5});
        assert_eq!(
            json,
            serde_json::json!({"cells": cells, "geomean": geomean})
        );
    }
}
