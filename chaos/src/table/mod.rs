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

use std::{collections::BTreeMap, num::NonZeroUsize};

use serde::{Serialize, Serializer};

pub use self::{cell::Cell, grid::TaskCalls, measured::Measured, options::Options, text::render};
use crate::{policy::Name, run::RunError, spread};

/// The floor of a cell's ratio in geometric means, so that one dead cell does not hide the others.
pub const FLOOR: f64 = 0.001;

/// All cells.
///
/// As JSON: `{"cells":[{"policy":…,"load":…,"calls":"1|2|3|4|mix","goodput":…,"optimum":…,"ratio":…}],
/// "geomean":{…}}`, with goodput and optimum in calls a second.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// By policy, then calls, then load, whatever order they were asked for or done in.
    pub cells: Vec<Measured>,
    /// The geometric mean of each policy's ratios, none below [`FLOOR`].
    #[serde(serialize_with = "by_policy")]
    pub geomean: Vec<(Name, f64)>,
}

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
            crate::Engine::Sim => threads,
            crate::Engine::Live => NonZeroUsize::MIN,
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

    /// Puts measured cells together.
    #[must_use]
    pub fn of(mut cells: Vec<Measured>) -> Self {
        cells.sort_by(|a, b| a.cell.order(&b.cell));
        let mut ratios: BTreeMap<Name, Vec<f64>> = BTreeMap::new();
        for cell in &cells {
            ratios.entry(cell.cell.policy).or_default().push(cell.ratio);
        }
        let geomean = ratios.into_iter();
        let geomean = geomean
            .map(|(policy, ratios)| (policy, geometric_mean(&ratios)))
            .collect();
        Self { cells, geomean }
    }
}

/// Returns the geometric mean with a floor; 1 of nothing.
#[expect(
    clippy::cast_precision_loss,
    reason = "there are fewer cells than 2^52"
)]
fn geometric_mean(ratios: &[f64]) -> f64 {
    // `libm`'s logarithm and power give the same bits on every machine.
    let sum: f64 = ratios.iter().map(|ratio| libm::log(ratio.max(FLOOR))).sum();
    libm::exp(sum / ratios.len().max(1) as f64)
}

#[expect(clippy::cast_precision_loss, reason = "for a progress bar")]
fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn by_policy<S: Serializer>(means: &[(Name, f64)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(means.iter().map(|(policy, mean)| (policy.as_str(), mean)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn geometric_means_have_a_floor() {
        assert!((geometric_mean(&[0.25, 1.0]) - 0.5).abs() < 1e-12);
        assert!((geometric_mean(&[0.0, 1.0]) - 0.001_f64.sqrt()).abs() < 1e-12);
        assert!((geometric_mean(&[]) - 1.0).abs() < 1e-12);
    }

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
        assert_eq!(
            serde_json::to_string(&table).unwrap(),
            r#"{"cells":[{"policy":"none","load":10.0,"calls":"1","goodput":187.5,"optimum":750.0,"ratio":0.25},"#
                .to_owned()
                + r#"{"policy":"dagor","load":2.0,"calls":"mix","goodput":375.0,"optimum":750.0,"ratio":0.5}],"#
                + r#""geomean":{"none":0.25,"dagor":0.5}}"#
        );
    }
}
