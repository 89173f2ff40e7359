//! The figures of a policy at a glance.

use serde::Serialize;

use super::{Figure, measures::Measures};
use crate::{
    report::digits,
    scenario::{Bound, CriterionKind, Scenario},
};

/// What a policy's runs come to, without the warm-up. Weights and rates are means over the runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// What came, in weight a second.
    #[serde(serialize_with = "digits::serialize")]
    pub offered: f64,
    /// What succeeded in time, in weight a second.
    #[serde(serialize_with = "digits::serialize")]
    pub good: f64,
    /// What could have, in weight a second.
    #[serde(serialize_with = "digits::serialize")]
    pub optimum: f64,
    /// What succeeded as a share of what could have.
    pub goodput: Figure,
    /// The median of the time that tasks took that succeeded, in milliseconds.
    pub p50_ms: Figure,
    /// The 99th percentile of it.
    pub p99_ms: Figure,
    /// The mean wait before the work began, in milliseconds, by service.
    pub wait_ms: Vec<Of>,
    /// Of the work done, the share done for tasks that failed.
    pub wasted: Figure,
    /// Of what was refused, the share that callers withheld.
    pub refused_at_caller: Figure,
    /// The highest success of tasks by their number of calls, by the lowest.
    pub fairness: Figure,
    /// Calls sent by calls that tasks wanted to make.
    pub amplification: Figure,
    /// The share of tasks that succeeded, by business.
    pub success: Vec<Of>,
}

/// A figure of one of several.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Of {
    /// The name of the service or business.
    pub name: String,
    /// The figure.
    pub value: Figure,
}

impl Summary {
    pub(super) fn new(scenario: &Scenario, measures: Measures<'_>) -> Self {
        // Any bound will do where only the value is asked for.
        let any = Bound::AtLeast(0.0);
        let runs = u32::try_from(measures.runs.len()).unwrap_or(u32::MAX);
        let seconds = measures.window.seconds() * f64::from(runs);
        let a_second = |weight: f64| if seconds > 0.0 { weight / seconds } else { 0.0 };
        let (good, best) = (measures.good(), measures.best());
        let services = scenario.services.iter().enumerate();
        let waits = services.map(|(place, service)| Of {
            name: service.name.clone(),
            value: measures.mean_wait(place),
        });
        let businesses = scenario.businesses.iter().enumerate();
        let success = businesses.map(|(place, business)| Of {
            name: business.name.clone(),
            value: measures.success(place),
        });
        Self {
            offered: a_second(measures.offered()),
            good: a_second(good),
            optimum: a_second(best),
            goodput: Figure::ratio(good, best),
            p50_ms: measures.percentile(50, None),
            p99_ms: measures.percentile(99, None),
            wait_ms: waits.collect(),
            wasted: measures.of(&CriterionKind::Wasted(any)),
            refused_at_caller: measures.of(&CriterionKind::RefusedAtCaller(any)),
            fairness: measures.of(&CriterionKind::Fairness(any)),
            amplification: measures.of(&CriterionKind::Amplification(any)),
            success: success.collect(),
        }
    }

    /// Returns the service at which requests waited longest.
    #[must_use]
    pub fn longest_wait(&self) -> Option<&Of> {
        let known = self.wait_ms.iter().filter(|of| of.value.number().is_some());
        known.reduce(|one, two| {
            if two.value.number() > one.value.number() {
                two
            } else {
                one
            }
        })
    }
}
