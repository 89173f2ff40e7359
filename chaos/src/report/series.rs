//! What happened when: lines of at most 300 points, means over the runs.

use std::{ops::Range, time::Duration};

use serde::{Serialize, Serializer};

use super::digits;
use crate::{
    judge::{Optimum, total},
    measure::{BIN, Outcome, ServiceCounts, TaskCounts},
    scenario::Scenario,
};

/// The most points of a line.
const POINTS: usize = 300;

/// The time series of a policy. All lines have the same number of points, in data with four digits.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Series {
    /// From one point to the next, in seconds; the first stands for the time from the start to here.
    #[serde(serialize_with = "digits::serialize")]
    pub step_s: f64,
    /// What came, in weight a second.
    #[serde(serialize_with = "numbers")]
    pub offered: Vec<f64>,
    /// What of it succeeded in time, in weight a second.
    #[serde(serialize_with = "numbers")]
    pub good: Vec<f64>,
    /// What could have, in weight a second.
    #[serde(serialize_with = "numbers")]
    pub optimum: Vec<f64>,
    /// Refused by services, requests a second, all services together.
    #[serde(serialize_with = "numbers")]
    pub refused: Vec<f64>,
    /// Withheld by callers, calls a second, all services together.
    #[serde(serialize_with = "numbers")]
    pub withheld: Vec<f64>,
    /// The mean wait of work that was begun, in milliseconds; null where none was.
    pub wait_ms: Vec<Line>,
    /// How open services were, 0 to 1.
    pub level: Vec<Line>,
}

/// A line of one service.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The service.
    pub service: String,
    /// Point by point.
    #[serde(serialize_with = "gaps")]
    pub values: Vec<Option<f64>>,
}

/// Bins of several runs, gathered into points.
struct Points<'a> {
    runs: &'a [&'a Outcome],
    /// The bins of each point.
    bins: Vec<Range<usize>>,
}

impl Series {
    pub(super) fn new(
        scenario: &Scenario,
        watched: &[usize],
        optimum: &Optimum,
        runs: &[&Outcome],
    ) -> Self {
        let points = Points::new(scenario.duration, runs);
        let services = || watched.iter().copied();
        let line = |service: usize, values: Vec<Option<f64>>| Line {
            service: scenario.services[service].name.clone(),
            values,
        };
        Self {
            step_s: points.step(),
            offered: points.tasks(|tasks| &tasks.offered_weight),
            good: points.tasks(|tasks| &tasks.good_weight),
            optimum: points.rates(|run, bins| optimum.bins(run, bins).iter().sum()),
            refused: points.services(|service| &service.refused),
            withheld: points.services(|service| &service.withheld),
            wait_ms: services()
                .map(|service| line(service, points.waits(service)))
                .collect(),
            level: services()
                .map(|service| line(service, points.levels(service)))
                .collect(),
        }
    }
}

impl<'a> Points<'a> {
    fn new(duration: Duration, runs: &'a [&'a Outcome]) -> Self {
        let whole = duration.as_nanos().div_ceil(BIN.as_nanos());
        let seen = runs.iter().map(|run| run.bins()).max().unwrap_or(0);
        let bins = usize::try_from(whole).unwrap_or(usize::MAX).min(seen);
        let step = bins.div_ceil(POINTS).max(1);
        let bins = (0..bins)
            .step_by(step)
            .map(|from| from..(from + step).min(bins));
        Self {
            runs,
            bins: bins.collect(),
        }
    }

    fn step(&self) -> f64 {
        self.bins.first().map_or(0.0, seconds)
    }

    /// Returns a count a second.
    fn rates(&self, count: impl Fn(&Outcome, Range<usize>) -> f64) -> Vec<f64> {
        let runs = u32::try_from(self.runs.len()).map_or(f64::INFINITY, f64::from);
        let rate = |bins: &Range<usize>| {
            let sum: f64 = self.runs.iter().map(|run| count(run, bins.clone())).sum();
            sum / (runs * seconds(bins))
        };
        self.bins.iter().map(rate).collect()
    }

    fn tasks(&self, weight: fn(&TaskCounts) -> &Vec<f64>) -> Vec<f64> {
        self.rates(|run, bins| {
            let of = |tasks: &TaskCounts| total(weight(tasks), &bins);
            run.businesses.iter().map(of).sum()
        })
    }

    fn services(&self, count: fn(&ServiceCounts) -> &Vec<u32>) -> Vec<f64> {
        self.rates(|run, bins| {
            let of = |service: &ServiceCounts| total(count(service), &bins);
            run.services.iter().map(of).sum()
        })
    }

    fn waits(&self, service: usize) -> Vec<Option<f64>> {
        self.ratios(service, |counts, bins| {
            (
                total(&counts.waited_us, bins) / 1e3,
                total(&counts.started, bins),
            )
        })
    }

    fn levels(&self, service: usize) -> Vec<Option<f64>> {
        self.ratios(service, |counts, bins| {
            let levels = counts.level.get(bins.clone()).unwrap_or_default();
            (
                levels.iter().sum(),
                u32::try_from(levels.len()).map_or(0.0, f64::from),
            )
        })
    }

    /// Returns the ratio of two sums over all runs.
    fn ratios(
        &self,
        service: usize,
        sums: impl Fn(&ServiceCounts, &Range<usize>) -> (f64, f64),
    ) -> Vec<Option<f64>> {
        let ratio = |bins: &Range<usize>| {
            let (mut part, mut whole) = (0.0, 0.0);
            for counts in self.runs.iter().filter_map(|run| run.services.get(service)) {
                let sums = sums(counts, bins);
                part += sums.0;
                whole += sums.1;
            }
            (whole > 0.0).then(|| part / whole)
        };
        self.bins.iter().map(ratio).collect()
    }
}

fn seconds(bins: &Range<usize>) -> f64 {
    u32::try_from(bins.len()).map_or(f64::INFINITY, f64::from) * BIN.as_secs_f64()
}

fn numbers<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(|&value| digits::to(value, 4)))
}

fn gaps<S: Serializer>(values: &[Option<f64>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(
        values
            .iter()
            .map(|value| value.map(|value| digits::to(value, 4))),
    )
}
