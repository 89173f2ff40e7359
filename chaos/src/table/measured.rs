//! What a cell's runs saw.

use std::time::Duration;

use super::{
    Options,
    cell::{Cell, M},
};
use crate::{
    measure::{BIN, Outcome, TaskCounts},
    scenario::Scenario,
};

/// A cell, measured: the sum over its seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Which.
    pub cell: Cell,
    /// Calls a second at M, of tasks that succeeded.
    pub goodput: f64,
    /// Calls a second that could have been good: the smaller of those offered and of what M can serve, seed by seed.
    pub optimum: f64,
    /// Goodput by optimum.
    pub ratio: f64,
    /// In the mix: the highest success of tasks by their number of calls, by the lowest (infinite if one of them had
    /// none).
    pub fairness: Option<f64>,
    /// Of the calls that were shed, the share that callers withheld; `None` if none was.
    pub withheld: Option<f64>,
    /// The mean wait at M before the work was begun, in milliseconds; `None` if none was.
    pub wait: Option<f64>,
}

/// The counts of one run between its warm-up and its end.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sums {
    offered: f64,
    good: f64,
    /// Tasks by their number of calls: came, succeeded.
    by_calls: Vec<(u32, u64, u64)>,
    withheld: u64,
    refused: u64,
    started: u64,
    waited_us: f64,
}

// === impl Sums ===

impl Sums {
    pub(super) fn of(scenario: &Scenario, outcome: &Outcome) -> Self {
        let (from, until) = (bin(scenario.warm_up), bin(scenario.duration));
        let weights = |pick: fn(&TaskCounts) -> &Vec<f64>| -> f64 {
            let businesses = outcome.businesses.iter();
            businesses
                .flat_map(|counts| window(pick(counts), from, until))
                .sum()
        };
        let m = &outcome.services[M];
        let by_calls = outcome.by_calls.iter().map(|(calls, counts)| {
            let count = |bins| {
                window::<u32>(bins, from, until)
                    .iter()
                    .copied()
                    .map(u64::from)
                    .sum()
            };
            (*calls, count(&counts.offered), count(&counts.good))
        });
        let count = |bins| {
            window::<u32>(bins, from, until)
                .iter()
                .copied()
                .map(u64::from)
                .sum()
        };
        Self {
            offered: weights(|counts| &counts.offered_weight),
            good: weights(|counts| &counts.good_weight),
            by_calls: by_calls.collect(),
            withheld: count(&m.withheld),
            refused: count(&m.refused),
            started: count(&m.started),
            waited_us: window(&m.waited_us, from, until).iter().sum(),
        }
    }
}

/// Returns the bin in which `at` is.
fn bin(at: Duration) -> usize {
    usize::try_from(at.as_nanos() / BIN.as_nanos()).unwrap_or(usize::MAX)
}

fn window<T>(bins: &[T], from: usize, until: usize) -> &[T] {
    let until = until.min(bins.len());
    &bins[from.min(until)..until]
}

// === impl Measured ===

impl Measured {
    pub(super) fn of(cell: Cell, options: &Options, runs: &[Sums]) -> Self {
        let scenario = cell.scenario(options);
        let window = (scenario.duration - scenario.warm_up).as_secs_f64();
        let most = cell.capacity(options) * window;
        let good: f64 = runs.iter().map(|run| run.good).sum();
        let optimum: f64 = runs.iter().map(|run| run.offered.min(most)).sum();
        let seconds = window * ratio(runs.len() as u64, 1).unwrap_or(1.0);

        let sum = |pick: fn(&Sums) -> u64| runs.iter().map(pick).sum::<u64>();
        let (withheld, refused) = (sum(|run| run.withheld), sum(|run| run.refused));
        let waited: f64 = runs.iter().map(|run| run.waited_us).sum();
        let per_start = ratio(1, sum(|run| run.started));
        Self {
            cell,
            goodput: good / seconds,
            optimum: optimum / seconds,
            ratio: if optimum > 0.0 { good / optimum } else { 0.0 },
            fairness: fairness(runs),
            withheld: ratio(withheld, withheld + refused),
            wait: per_start.map(|share| waited * share / 1000.0),
        }
    }
}

/// Returns the highest success of a number of calls by the lowest; `None` for one number.
fn fairness(runs: &[Sums]) -> Option<f64> {
    let mut by_calls = std::collections::BTreeMap::new();
    for &(calls, offered, good) in runs.iter().flat_map(|run| &run.by_calls) {
        let (all, served) = by_calls.entry(calls).or_insert((0, 0));
        (*all, *served) = (*all + offered, *served + good);
    }
    let success = by_calls
        .values()
        .filter_map(|&(offered, good)| ratio(good, offered));
    let success: Vec<f64> = success.collect();
    let most = success.iter().copied().fold(0.0, f64::max);
    let least = success.iter().copied().fold(f64::INFINITY, f64::min);
    // 0 by 0: nobody succeeded, which is not unfair.
    let unfair = if most > 0.0 { most / least } else { 1.0 };
    (success.len() > 1).then_some(unfair)
}

#[expect(clippy::cast_precision_loss, reason = "counts of a run are below 2^52")]
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::{super::TaskCalls, *};
    use crate::{measure::ServiceCounts, policy::Name};

    /// A run in which `offered` tasks a bin came and `good` succeeded, all of `calls` calls.
    fn outcome(offered: u32, good: u32, calls: u32, bins: usize) -> Outcome {
        let counts = TaskCounts {
            offered: vec![offered; bins],
            good: vec![good; bins],
            offered_weight: vec![f64::from(offered * calls); bins],
            good_weight: vec![f64::from(good * calls); bins],
        };
        let m = ServiceCounts {
            withheld: vec![3; bins],
            refused: vec![1; bins],
            started: vec![2; bins],
            waited_us: vec![10_000.0; bins],
            ..ServiceCounts::default()
        };
        Outcome {
            by_calls: vec![(calls, counts.clone())],
            businesses: vec![counts],
            services: vec![ServiceCounts::default(), m],
            ..Outcome::default()
        }
    }

    #[test]
    fn the_optimum_is_what_came_or_what_can_be_served() {
        let options = Options::default();
        let cell = Cell {
            policy: Name::Dagor,
            load: 2.0,
            calls: TaskCalls::Fixed(2),
        };
        let scenario = cell.scenario(&options);
        // 75 calls a bin are what M can serve. One run is over it, the other below.
        let runs = [outcome(75, 30, 2, 600), outcome(25, 25, 2, 600)];
        let sums: Vec<Sums> = runs.iter().map(|run| Sums::of(&scenario, run)).collect();
        let measured = Measured::of(cell, &options, &sums);
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(
            close(measured.goodput, (600.0 + 500.0) / 2.0),
            "{measured:?}"
        );
        assert!(
            close(measured.optimum, (750.0 + 500.0) / 2.0),
            "{measured:?}"
        );
        assert!(close(measured.ratio, 1100.0 / 1250.0));
        assert!(close(measured.withheld.unwrap(), 0.75));
        assert!(close(measured.wait.unwrap(), 5.0));
        assert_eq!(measured.fairness, None, "one number of calls");
    }

    #[test]
    fn the_warm_up_does_not_count() {
        let options = Options::default();
        let cell = Cell {
            policy: Name::None,
            load: 0.67,
            calls: TaskCalls::Mix,
        };
        let scenario = cell.scenario(&options);
        let mut run = outcome(10, 10, 1, 620);
        for counts in [&mut run.businesses[0], &mut run.by_calls[0].1] {
            counts.good[..200].fill(0);
            counts.good_weight[..200].fill(0.0);
            // What comes after the end of the load is not judged either.
            counts.offered_weight[600..].fill(1000.0);
        }
        let twos = outcome(10, 8, 2, 620).by_calls.remove(0);
        run.by_calls.push(twos);
        let measured = Measured::of(cell, &options, &[Sums::of(&scenario, &run)]);
        assert!((measured.ratio - 1.0).abs() < 1e-9, "{measured:?}");
        assert!(
            (measured.fairness.unwrap() - 1.25).abs() < 1e-9,
            "{measured:?}"
        );
    }
}
