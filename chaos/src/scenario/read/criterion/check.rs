//! Criteria that nothing can meet, and those that have nothing to measure.

use std::time::Duration;

use crate::scenario::{
    Bound, CriterionKind, Scenario, capacity::fewest_and_most, keys::criterion as keys,
    read::Context, section::Section,
};

/// Puts it down if a measure can never be on the right side of its bound.
pub(super) fn bound(
    section: &Section<'_>,
    kind: &CriterionKind,
    window: Option<(Duration, Duration)>,
    context: &Context<'_>,
) {
    let longest = window.map_or(f64::MAX, |(from, until)| (until - from).as_secs_f64());
    let deadline = context
        .deadline
        .map_or(f64::MAX, |deadline| deadline.as_secs_f64() * 1e3);
    let (bound, low, high, of) = match kind {
        CriterionKind::Goodput(bound) => (bound, 0.0, 1.05, "a share of the optimum"),
        CriterionKind::P99 { ms, .. } => (ms, 0.0, deadline, "no more than deadline_ms"),
        CriterionKind::Recovery { seconds, .. } => (seconds, 0.0, longest, "within the window"),
        CriterionKind::Share { bound, .. }
        | CriterionKind::Wasted(bound)
        | CriterionKind::RefusedAtCaller(bound) => (bound, 0.0, 1.0, "a share"),
        CriterionKind::MeanWait { ms, .. } => (ms, 0.0, MOST, "milliseconds"),
        CriterionKind::Fairness(bound) => (bound, 1.0, MOST, "the highest by the lowest"),
        CriterionKind::Amplification(bound) => (bound, 0.0, MOST, "calls sent by calls wanted"),
        CriterionKind::ShedsFrom { rate, .. } => (rate, 0.0, MOST, "weight a second"),
    };
    let (key, value) = match bound {
        Bound::AtLeast(value) => (keys::AT_LEAST, *value),
        Bound::AtMost(value) => (keys::AT_MOST, *value),
    };
    if !(low..=high).contains(&value) {
        section.wrong(&key, format!("{low} to {high}, {of}"));
    }
}

/// Puts it down if there is nothing to measure.
pub(super) fn subject(
    section: &Section<'_>,
    kind: &CriterionKind,
    window: Option<(Duration, Duration)>,
    scenario: &Scenario,
    context: &Context<'_>,
) {
    let least = match kind {
        CriterionKind::ShedsFrom { .. } => 3,
        CriterionKind::Recovery { .. } => 1,
        CriterionKind::Share { every_second, .. } => u64::from(*every_second),
        _ => 0,
    };
    let is_short = |(from, until)| until - from < Duration::from_secs(least);
    if window.is_some_and(is_short) {
        section.wrong(&keys::UNTIL, format!("at least {least} s after from_s"));
    }
    let differs = || *context.told.differs.get_or_init(|| tasks_differ(scenario));
    if matches!(kind, CriterionKind::Fairness(_)) && context.can_count && !differs() {
        let allowed =
            "another unless measured is a service at which tasks make different numbers of calls";
        section.wrong(&keys::MEASURE, allowed);
    }
}

/// Whether tasks make different numbers of calls at the measured service.
fn tasks_differ(scenario: &Scenario) -> bool {
    let Some(measured) = scenario.measured else {
        return false;
    };
    let (mut fewest, mut most) = (f64::INFINITY, 0.0_f64);
    for business in 0..scenario.businesses.len() {
        let (low, high) = fewest_and_most(scenario, business);
        fewest = fewest.min(low[measured]);
        most = most.max(high[measured]);
    }
    fewest < most
}

/// As far as the key goes.
const MOST: f64 = 1e9;
