//! Criteria that nothing can meet, and those that have nothing to measure.

use std::time::Duration;

use crate::scenario::{
    Bound, CriterionKind, Scenario, capacity::fewest_and_most, keys::criterion as keys,
    read::Context, section::Section,
};

/// Puts them down.
pub(in crate::scenario::read) fn check(
    sections: &[Section<'_>],
    scenario: &Scenario,
    context: &Context<'_>,
    can_count: bool,
) {
    // Criteria that could not be read have no place among the others.
    if sections.len() != scenario.criteria.len() {
        return;
    }
    for (section, criterion) in sections.iter().zip(&scenario.criteria) {
        let window = criterion.until - criterion.from;
        bounds(section, &criterion.kind, window, scenario.deadline);
        let whole_second = match criterion.kind {
            CriterionKind::Recovery { .. } => true,
            CriterionKind::Share { every_second, .. } => every_second,
            _ => false,
        };
        if whole_second && window < Duration::from_secs(1) {
            section.wrong(&keys::UNTIL, "a window of at least 1 s");
        }
        if can_count {
            subject(section, &criterion.kind, scenario);
        }
    }
    let _ = context;
}

/// What a measure can reach at all.
fn bounds(section: &Section<'_>, kind: &CriterionKind, window: Duration, deadline: Duration) {
    let deadline = deadline.as_secs_f64() * 1e3;
    let (bound, low, high, of) = match kind {
        CriterionKind::Goodput(bound) => (bound, 0.0, 1.05, "a share of the optimum"),
        CriterionKind::P99 { ms, .. } => (ms, 0.0, deadline, "within deadline_ms"),
        CriterionKind::Share { bound, .. } => (bound, 0.0, 1.0, "a share"),
        CriterionKind::Recovery { seconds, .. } => {
            (seconds, 0.0, window.as_secs_f64(), "within the window")
        }
        CriterionKind::Wasted(bound) | CriterionKind::RefusedAtCaller(bound) => {
            (bound, 0.0, 1.0, "a share")
        }
        CriterionKind::MeanWait { ms, .. } => (ms, 0.0, 1e9, "milliseconds"),
        CriterionKind::Fairness(bound) => (bound, 1.0, 1e9, "the highest by the lowest"),
        CriterionKind::Amplification(bound) => (bound, 0.0, 1e9, "calls sent by calls wanted"),
        CriterionKind::ShedsFrom { rate, .. } => (rate, 0.0, 1e9, "weight a second"),
    };
    let (key, value) = match bound {
        Bound::AtLeast(value) => (keys::AT_LEAST, *value),
        Bound::AtMost(value) => (keys::AT_MOST, *value),
    };
    if !(low..=high).contains(&value) {
        section.wrong(&key, format!("{low} to {high}: {of}"));
    }
}

/// Whether there is anything to measure.
fn subject(section: &Section<'_>, kind: &CriterionKind, scenario: &Scenario) {
    if let CriterionKind::Fairness(_) = kind {
        let weights = scenario.measured.map(|measured| {
            let of_business = (0..scenario.businesses.len()).map(|business| {
                let (fewest, most) = fewest_and_most(scenario, business);
                (fewest[measured], most[measured])
            });
            of_business.fold((f64::INFINITY, 0.0_f64), |(low, high), (fewest, most)| {
                (low.min(fewest), high.max(most))
            })
        });
        if !weights.is_some_and(|(fewest, most)| fewest < most) {
            let allowed = "fairness only where measured names a service at which tasks make different numbers of calls";
            section.wrong(&keys::MEASURE, allowed);
        }
    }
}
