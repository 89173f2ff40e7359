//! What is measured, in words.

use crate::scenario::{CriterionKind, Scenario};

/// Returns what a criterion measures, for people.
pub(super) fn words(kind: &CriterionKind, scenario: &Scenario) -> String {
    let business = |place: usize| {
        scenario
            .businesses
            .get(place)
            .map_or("?", |business| business.name.as_str())
    };
    match kind {
        CriterionKind::Goodput(_) => "goodput / optimum".into(),
        CriterionKind::P99 { business: None, .. } => "p99 of what succeeded".into(),
        CriterionKind::P99 {
            business: Some(place),
            ..
        } => format!("p99 of {}", business(*place)),
        CriterionKind::Share {
            business: place,
            every_second: false,
            ..
        } => {
            format!("success of {}", business(*place))
        }
        CriterionKind::Share {
            business: place,
            every_second: true,
            ..
        } => {
            format!("success of {}, worst second", business(*place))
        }
        CriterionKind::Recovery { share, .. } => format!("time to {share} of the optimum"),
        CriterionKind::Wasted(_) => "work done in vain".into(),
        CriterionKind::RefusedAtCaller(_) => "refusals at the caller".into(),
        CriterionKind::MeanWait { service, .. } => {
            let service = scenario.services.get(*service);
            format!(
                "mean wait at {}",
                service.map_or("?", |service| service.name.as_str())
            )
        }
        CriterionKind::Fairness(_) => "fairness over calls a task".into(),
        CriterionKind::ShedsFrom { share, .. } => {
            format!("load at which {share} of the tasks fail")
        }
        CriterionKind::Amplification(_) => "calls sent / wanted".into(),
    }
}
