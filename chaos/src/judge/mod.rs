//! From what runs saw to verdicts: the optimum, the criteria, a summary.
//!
//! Every figure is of one window and of all runs of a policy together: sums of what was good by sums of what could
//! have been, not means of shares. Two look for the worst run instead, because they must hold in each: the
//! recovery, and a share that must hold in every second.

mod figure;
mod fill;
mod measures;
mod needs;
mod optimum;
mod recovery;
mod segments;
mod summary;
mod supply;
mod window;
mod words;

use serde::{Serialize, Serializer, ser::SerializeMap as _};

use self::measures::{Measures, bound_of, unit_of};
pub(crate) use self::window::total;
pub use self::{
    figure::{Figure, Unit},
    optimum::Optimum,
    summary::{Of, Summary},
    window::Window,
};
use crate::{
    measure::Outcome,
    policy::Name,
    report::digits,
    scenario::{Bound, Criterion, Scenario},
};

/// What a criterion says of a policy.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It holds.
    Pass,
    /// It does not.
    Fail,
    /// It is not judged for this policy, only measured.
    Shown,
}

/// A criterion, measured for one policy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// What the scenario calls it.
    pub criterion: String,
    /// What is measured, in words.
    pub what: String,
    /// Since the start of the run, in seconds.
    pub from_s: f64,
    /// The same.
    pub until_s: f64,
    /// What must hold.
    #[serde(serialize_with = "bound")]
    pub bound: Bound,
    /// What the figures and the bound count.
    pub unit: Unit,
    /// Whether it holds.
    pub verdict: Verdict,
    /// What was measured over all runs.
    pub value: Figure,
    /// The same of each run, by seed, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub each: Vec<Figure>,
}

/// A published figure beside ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Beside {
    /// What was measured, as the scenario says it.
    pub what: String,
    /// What both count.
    pub unit: Unit,
    /// What was published.
    #[serde(serialize_with = "digits::serialize")]
    pub published: f64,
    /// What we measured.
    pub ours: Figure,
}

/// A scenario's judge; what does not depend on the runs is worked out once.
#[derive(Clone, Debug)]
pub struct Judge<'a> {
    scenario: &'a Scenario,
    optimum: Optimum,
}

/// Measures all criteria of a scenario for one policy; runs come with their seeds, in any order.
#[must_use]
pub fn judge(scenario: &Scenario, runs: &[(u64, Outcome)], policy: Name) -> Vec<Finding> {
    Judge::new(scenario).findings(runs, policy)
}

/// Sums the runs of one policy up, without the warm-up.
#[must_use]
pub fn summary(scenario: &Scenario, runs: &[(u64, Outcome)]) -> Summary {
    Judge::new(scenario).summary(runs)
}

/// Returns the weight of tasks that could have succeeded of those that came in a window of a run.
#[must_use]
pub fn optimum(scenario: &Scenario, outcome: &Outcome, window: Window) -> f64 {
    Optimum::new(scenario).over(outcome, window)
}

/// Returns the runs by seed, so that sums do not depend on the order in which they ended.
pub(crate) fn by_seed(runs: &[(u64, Outcome)]) -> Vec<&Outcome> {
    let mut sorted: Vec<&(u64, Outcome)> = runs.iter().collect();
    sorted.sort_by_key(|(seed, _)| *seed);
    sorted.into_iter().map(|(_, outcome)| outcome).collect()
}

// === impl Judge ===

impl<'a> Judge<'a> {
    /// The judge of a scenario.
    #[must_use]
    pub fn new(scenario: &'a Scenario) -> Self {
        Self {
            scenario,
            optimum: Optimum::new(scenario),
        }
    }

    /// Returns what goodput is held against.
    #[must_use]
    pub const fn optimum(&self) -> &Optimum {
        &self.optimum
    }

    /// Measures all criteria for one policy.
    #[must_use]
    pub fn findings(&self, runs: &[(u64, Outcome)], policy: Name) -> Vec<Finding> {
        let runs = by_seed(runs);
        let criteria = self.scenario.criteria.iter();
        criteria
            .map(|criterion| self.finding(criterion, &runs, policy))
            .collect()
    }

    /// Measures what others published of this policy.
    #[must_use]
    pub fn published(&self, runs: &[(u64, Outcome)], policy: Name) -> Vec<Beside> {
        let runs = by_seed(runs);
        let published = self
            .scenario
            .published
            .iter()
            .filter(|figure| figure.policy == policy);
        let beside = published.map(|figure| Beside {
            what: figure.what.clone(),
            unit: unit_of(&figure.ours),
            published: figure.value,
            ours: self
                .measures(&runs, Window::new(figure.window.0, figure.window.1))
                .of(&figure.ours),
        });
        beside.collect()
    }

    /// Sums the runs of one policy up, without the warm-up.
    #[must_use]
    pub fn summary(&self, runs: &[(u64, Outcome)]) -> Summary {
        Summary::new(self.scenario, self.measures(&by_seed(runs), self.whole()))
    }

    fn finding(&self, criterion: &Criterion, runs: &[&Outcome], policy: Name) -> Finding {
        let (kind, bound) = (&criterion.kind, bound_of(&criterion.kind));
        let window = Window::new(criterion.from, criterion.until);
        let value = self.measures(runs, window).of(kind);
        let verdict = match value.is_within(bound) {
            _ if !criterion.policies.contains(&policy) => Verdict::Shown,
            true => Verdict::Pass,
            false => Verdict::Fail,
        };
        let mut each = Vec::new();
        if runs.len() > 1 {
            each.extend(
                runs.chunks(1)
                    .map(|run| self.measures(run, window).of(kind)),
            );
        }
        Finding {
            criterion: criterion.name.clone(),
            what: words::words(kind, self.scenario),
            from_s: criterion.from.as_secs_f64(),
            until_s: criterion.until.as_secs_f64(),
            bound,
            unit: unit_of(kind),
            verdict,
            value,
            each,
        }
    }

    /// All of the run but the warm-up.
    const fn whole(&self) -> Window {
        Window::new(self.scenario.warm_up, self.scenario.duration)
    }

    const fn measures<'b>(&'b self, runs: &'b [&'b Outcome], window: Window) -> Measures<'b> {
        Measures {
            optimum: &self.optimum,
            runs,
            window,
        }
    }
}

// === impl Finding ===

impl Finding {
    /// Returns what was measured, for people.
    #[must_use]
    pub fn shown(&self) -> String {
        self.unit.show(self.value)
    }

    /// Returns what must hold, for people: `at least 0.95`.
    #[must_use]
    pub fn required(&self) -> String {
        let (word, value) = match self.bound {
            Bound::AtLeast(value) => ("at least", value),
            Bound::AtMost(value) => ("at most", value),
        };
        match self.unit {
            Unit::Share => format!("{word} {value}"),
            Unit::Times => format!("{word} {value}x"),
            Unit::Milliseconds | Unit::Seconds | Unit::Rate => {
                format!("{word} {value} {}", self.unit)
            }
        }
    }
}

/// A bound in data: `{"at_least": 0.95}`.
fn bound<S: Serializer>(bound: &Bound, serializer: S) -> Result<S::Ok, S::Error> {
    let (word, value) = match *bound {
        Bound::AtLeast(value) => ("at_least", value),
        Bound::AtMost(value) => ("at_most", value),
    };
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(word, &digits::round(value))?;
    map.end()
}
