//! What each kind of criterion measures, in one window, over all runs of a policy.

use std::{collections::BTreeMap, ops::Range};

use super::{Figure, Optimum, Unit, Window, recovery::recovery, window::total};
use crate::{
    measure::{Outcome, ServiceCounts, TaskCounts},
    scenario::{Bound, CriterionKind},
};

/// Bins in a second.
const SECOND: usize = 10;

/// The runs of one policy that are measured, in one window.
#[derive(Clone, Copy)]
pub(super) struct Measures<'a> {
    pub(super) optimum: &'a Optimum,
    pub(super) runs: &'a [&'a Outcome],
    pub(super) window: Window,
}

impl Measures<'_> {
    pub(super) fn of(self, kind: &CriterionKind) -> Figure {
        match *kind {
            CriterionKind::Goodput(_) => Figure::ratio(self.good(), self.best()),
            CriterionKind::P99 { business, .. } => self.percentile(99, business),
            CriterionKind::Share {
                business,
                bound,
                every_second: true,
            } => self.success_every_second(business, bound),
            CriterionKind::Share { business, .. } => self.success(business),
            CriterionKind::Recovery { share, seconds } => {
                let recover = |run: &&Outcome| recovery(self.optimum, run, self.window, share);
                let recovered = self.runs.iter().map(recover);
                recovered.fold(Figure::Unknown, |one, two| one.worse(two, seconds))
            }
            CriterionKind::Wasted(_) => {
                let wasted = self.services(|service| &service.wasted_us);
                Figure::ratio(wasted, self.services(|service| &service.worked_us))
            }
            CriterionKind::RefusedAtCaller(_) => {
                let withheld = self.services(|service| &service.withheld);
                Figure::ratio(
                    withheld,
                    withheld + self.services(|service| &service.refused),
                )
            }
            CriterionKind::MeanWait { service, .. } => self.mean_wait(service),
            CriterionKind::Fairness(_) => self.fairness(),
            CriterionKind::ShedsFrom { share, .. } => self.sheds_from(share),
            CriterionKind::Amplification(_) => {
                let sum = |count: fn(&Outcome) -> u64| -> f64 {
                    self.runs.iter().map(|run| precise(count(run))).sum()
                };
                Figure::ratio(sum(|run| run.sent), sum(|run| run.wanted))
            }
        }
    }

    /// Returns the weight of tasks that came.
    pub(super) fn offered(self) -> f64 {
        self.tasks(|tasks| &tasks.offered_weight)
    }

    /// Returns the weight of tasks that succeeded.
    pub(super) fn good(self) -> f64 {
        self.tasks(|tasks| &tasks.good_weight)
    }

    /// Returns the weight of tasks that could have.
    pub(super) fn best(self) -> f64 {
        self.runs
            .iter()
            .map(|run| self.optimum.over(run, self.window))
            .sum()
    }

    /// Returns the time within which so many in a hundred of the tasks that succeeded did, in milliseconds.
    pub(super) fn percentile(self, percent: usize, business: Option<usize>) -> Figure {
        let mut times = Vec::new();
        for run in self.runs {
            let bins = self.bins(run);
            let took = run.took.iter().filter(|&&(bin, of, _)| {
                usize::try_from(bin).is_ok_and(|bin| bins.contains(&bin))
                    && business.is_none_or(|business| business == usize::from(of))
            });
            times.extend(took.map(|&(_, _, micros)| micros));
        }
        if times.is_empty() {
            return Figure::Unknown;
        }
        let rank = (times.len() * percent).div_ceil(100).max(1) - 1;
        let (_, micros, _) = times.select_nth_unstable(rank);
        Figure::Is(f64::from(*micros) / 1e3)
    }

    /// Returns the share of a business's tasks that succeeded.
    pub(super) fn success(self, business: usize) -> Figure {
        let sum = |count: fn(&TaskCounts) -> &[u32]| -> f64 {
            let of =
                |run: &&Outcome| Some(total(count(run.businesses.get(business)?), &self.bins(run)));
            self.runs.iter().filter_map(of).sum()
        };
        Figure::ratio(sum(|tasks| &tasks.good), sum(|tasks| &tasks.offered))
    }

    /// Returns the mean wait at a service, in milliseconds.
    pub(super) fn mean_wait(self, service: usize) -> Figure {
        let sum = |count: fn(&ServiceCounts, &Range<usize>) -> f64| -> f64 {
            let of = |run: &&Outcome| Some(count(run.services.get(service)?, &self.bins(run)));
            self.runs.iter().filter_map(of).sum()
        };
        let micros = sum(|service, bins| total(&service.waited_us, bins));
        let started = sum(|service, bins| total(&service.started, bins));
        Figure::ratio(micros / 1e3, started)
    }

    fn bins(self, run: &Outcome) -> Range<usize> {
        self.window.bins(run.bins())
    }

    /// Returns the success of the worst second of the worst run; seconds in which none came are left out.
    fn success_every_second(self, business: usize, bound: Bound) -> Figure {
        let mut worst = Figure::Unknown;
        for run in self.runs {
            let Some(tasks) = run.businesses.get(business) else {
                continue;
            };
            let bins = self.bins(run);
            for from in bins.clone().step_by(SECOND) {
                let second = from..(from + SECOND).min(bins.end);
                let share =
                    Figure::ratio(total(&tasks.good, &second), total(&tasks.offered, &second));
                worst = worst.worse(share, bound);
            }
        }
        worst
    }

    /// Returns the highest success of tasks with the same number of calls by the lowest; tasks without calls are not
    /// refused and left out.
    fn fairness(self) -> Figure {
        let mut groups: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
        for run in self.runs {
            let bins = self.bins(run);
            for (calls, tasks) in run.by_calls.iter().filter(|(calls, _)| *calls > 0) {
                let group = groups.entry(*calls).or_default();
                group.0 += total(&tasks.good, &bins);
                group.1 += total(&tasks.offered, &bins);
            }
        }
        let came = groups.into_values().filter(|&(_, offered)| offered > 0.0);
        let shares: Vec<f64> = came.map(|(good, offered)| good / offered).collect();
        let highest = shares.iter().copied().reduce(f64::max);
        let lowest = shares.iter().copied().reduce(f64::min);
        // Nothing by nothing is not a number, and tells nothing.
        highest
            .zip(lowest)
            .map_or(Figure::Unknown, |(high, low)| Figure::of(high / low))
    }

    /// Returns what came in the first second from which on, over three seconds in the window, at least this share of
    /// the tasks failed; never if there is none.
    fn sheds_from(self, share: f64) -> Figure {
        let bins = self.runs.first().map_or(0..0, |run| self.bins(run));
        let tasks = |count: fn(&TaskCounts) -> &[u32], from: usize| -> f64 {
            let bins = from..from + 3 * SECOND;
            let all = self.runs.iter().flat_map(|run| &run.businesses);
            all.map(|tasks| total(count(tasks), &bins)).sum()
        };
        let mut seconds = bins
            .clone()
            .step_by(SECOND)
            .take_while(|from| from + 3 * SECOND <= bins.end);
        let first = seconds.find(|&from| {
            let came = tasks(|tasks| &tasks.offered, from);
            came > 0.0 && came - tasks(|tasks| &tasks.good, from) >= share * came
        });
        let all = self.runs.iter().flat_map(|run| &run.businesses);
        first.map_or(Figure::Never, |from| {
            let came: f64 = all
                .map(|tasks| total(&tasks.offered_weight, &(from..from + SECOND)))
                .sum();
            Figure::ratio(
                came,
                u32::try_from(self.runs.len()).map_or(f64::INFINITY, f64::from),
            )
        })
    }

    fn tasks(self, weight: fn(&TaskCounts) -> &[f64]) -> f64 {
        let of = |run: &&Outcome| -> f64 {
            let bins = self.bins(run);
            run.businesses
                .iter()
                .map(|tasks| total(weight(tasks), &bins))
                .sum()
        };
        self.runs.iter().map(of).sum()
    }

    fn services<T: Copy + Into<f64>>(self, count: fn(&ServiceCounts) -> &Vec<T>) -> f64 {
        let of = |run: &&Outcome| -> f64 {
            let bins = self.bins(run);
            run.services
                .iter()
                .map(|service| total(count(service), &bins))
                .sum()
        };
        self.runs.iter().map(of).sum()
    }
}

/// Returns the bound of a criterion.
#[must_use]
pub(super) const fn bound_of(kind: &CriterionKind) -> Bound {
    match *kind {
        CriterionKind::Goodput(bound)
        | CriterionKind::P99 { ms: bound, .. }
        | CriterionKind::Share { bound, .. }
        | CriterionKind::Recovery { seconds: bound, .. }
        | CriterionKind::Wasted(bound)
        | CriterionKind::RefusedAtCaller(bound)
        | CriterionKind::MeanWait { ms: bound, .. }
        | CriterionKind::Fairness(bound)
        | CriterionKind::ShedsFrom { rate: bound, .. }
        | CriterionKind::Amplification(bound) => bound,
    }
}

/// Returns what it is measured in.
#[must_use]
pub(super) const fn unit_of(kind: &CriterionKind) -> Unit {
    match kind {
        CriterionKind::Goodput(_)
        | CriterionKind::Share { .. }
        | CriterionKind::Wasted(_)
        | CriterionKind::RefusedAtCaller(_) => Unit::Share,
        CriterionKind::P99 { .. } | CriterionKind::MeanWait { .. } => Unit::Milliseconds,
        CriterionKind::Recovery { .. } => Unit::Seconds,
        CriterionKind::ShedsFrom { .. } => Unit::Rate,
        CriterionKind::Fairness(_) | CriterionKind::Amplification(_) => Unit::Times,
    }
}

#[expect(clippy::cast_precision_loss, reason = "no run sends 2^53 calls")]
const fn precise(count: u64) -> f64 {
    count as f64
}
