//! The table of cells: policy x load x calls a task, each a goodput by its optimum.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::{digits, table::aligned_rows, word};
use crate::policy::Name;

/// A cell below this counts as this in a geometric mean, where nothing at all would leave nothing.
pub const FLOOR: f64 = 0.001;

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// The policy.
    #[serde(serialize_with = "word")]
    pub policy: Name,
    /// What is offered by what can be done.
    #[serde(serialize_with = "digits::serialize")]
    pub load: f64,
    /// How many calls a task makes, or `mix`.
    pub calls: String,
    /// What succeeded, in calls a second.
    #[serde(serialize_with = "digits::serialize")]
    pub goodput: f64,
    /// What could have, in calls a second.
    #[serde(serialize_with = "digits::serialize")]
    pub optimum: f64,
    /// The first by the second.
    #[serde(serialize_with = "digits::serialize")]
    pub ratio: f64,
}

/// All cells, and their geometric mean by policy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cells {
    /// By policy, calls and load.
    cells: Vec<Cell>,
    #[serde(serialize_with = "by_name")]
    geomean: BTreeMap<Name, f64>,
}

// === impl Cell ===

impl Cell {
    /// A cell; the ratio is of these two, 0 where nothing could succeed.
    #[must_use]
    pub fn new(policy: Name, load: f64, calls: &str, goodput: f64, optimum: f64) -> Self {
        let ratio = if optimum > 0.0 {
            goodput / optimum
        } else {
            0.0
        };
        Self {
            policy,
            load,
            calls: calls.into(),
            goodput,
            optimum,
            ratio,
        }
    }
}

// === impl Cells ===

impl Cells {
    /// Cells in any order.
    #[must_use]
    pub fn new(mut cells: Vec<Cell>) -> Self {
        // Digits come before letters.
        cells.sort_by(|one, two| {
            let key = |cell: &Cell| (cell.policy, cell.calls.clone());
            key(one).cmp(&key(two)).then(one.load.total_cmp(&two.load))
        });
        let mut logarithms: BTreeMap<Name, Vec<f64>> = BTreeMap::new();
        for cell in &cells {
            let logarithm = libm::log(cell.ratio.max(FLOOR));
            logarithms.entry(cell.policy).or_default().push(logarithm);
        }
        let mean = |of: Vec<f64>| {
            let count = u32::try_from(of.len()).map_or(f64::INFINITY, f64::from);
            libm::exp(of.iter().sum::<f64>() / count)
        };
        let geomean = logarithms
            .into_iter()
            .map(|(policy, of)| (policy, mean(of)))
            .collect();
        Self { cells, geomean }
    }

    /// Returns the cells, by policy, calls and load.
    #[must_use]
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Returns the geometric mean of the cells of each policy, those below [`FLOOR`] raised to it.
    #[must_use]
    pub const fn geomean(&self) -> &BTreeMap<Name, f64> {
        &self.geomean
    }

    /// Returns them as data: `{"cells": [...], "geomean": {...}}`.
    ///
    /// # Errors
    ///
    /// None that cells can cause; serde's signature.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|json| json + "\n")
    }

    /// Returns them as text: for each policy the ratios, loads to the right and calls down, and its geometric mean.
    #[must_use]
    pub fn table(&self) -> String {
        let mut loads: Vec<f64> = self.cells.iter().map(|cell| cell.load).collect();
        loads.sort_by(f64::total_cmp);
        loads.dedup_by(|one, two| one.total_cmp(two).is_eq());
        let mut calls: Vec<&str> = self.cells.iter().map(|cell| cell.calls.as_str()).collect();
        calls.sort_unstable();
        calls.dedup();

        let mut head = vec!["goodput / optimum".into(), "calls".into()];
        head.extend(loads.iter().map(|load| format!("{load}x")));
        let mut rows = vec![head];
        for (policy, mean) in &self.geomean {
            let mut name = policy.to_string();
            for &calls in &calls {
                let mut row = vec![std::mem::take(&mut name), calls.into()];
                row.extend(loads.iter().map(|&load| self.shown(*policy, calls, load)));
                rows.push(row);
            }
            rows.push(vec![String::new(), "mean".into(), format!("{mean:.3}")]);
        }
        let rows: Vec<&[String]> = rows.iter().map(Vec::as_slice).collect();
        aligned_rows(&rows)
    }

    fn shown(&self, policy: Name, calls: &str, load: f64) -> String {
        let found = self.cells.iter().find(|cell| {
            cell.policy == policy && cell.calls == calls && cell.load.total_cmp(&load).is_eq()
        });
        found.map_or_else(|| "-".into(), |cell| format!("{:.3}", cell.ratio))
    }
}

fn by_name<S: Serializer>(of: &BTreeMap<Name, f64>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(
        of.iter()
            .map(|(name, value)| (name.as_str(), digits::round(*value))),
    )
}
