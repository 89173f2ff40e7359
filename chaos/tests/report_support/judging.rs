//! Judging a made outcome by one criterion.

use chaos::{
    Scenario,
    judge::{Finding, Verdict, judge},
    measure::Outcome,
    policy::Name,
    scenario::{Bound, CriterionKind},
};

use super::criterion;

pub(crate) const AT_LEAST: fn(f64) -> Bound = Bound::AtLeast;
pub(crate) const AT_MOST: fn(f64) -> Bound = Bound::AtMost;

/// Judges dagor by one criterion over seconds 2 to 8 of runs with these outcomes.
pub(crate) fn find(scenario: &Scenario, outcomes: &[Outcome], kind: CriterionKind) -> Finding {
    let mut scenario = scenario.clone();
    scenario.criteria = vec![criterion(kind, 2.0, 8.0)];
    let runs: Vec<(u64, Outcome)> = (1..).zip(outcomes.iter().cloned()).collect();
    judge(&scenario, &runs, Name::Dagor).remove(0)
}

/// The value that is measured, which must hold by the first bound and not by the second.
#[track_caller]
pub(crate) fn assert_judged(
    scenario: &Scenario,
    outcomes: &[Outcome],
    kind: impl Fn(Bound) -> CriterionKind,
    value: f64,
    bounds: (Bound, Bound),
) {
    let held = find(scenario, outcomes, kind(bounds.0));
    let found = held.value.number().expect("a number");
    assert!((found - value).abs() < 1e-9, "{found}, wanted {value}");
    assert_eq!(held.verdict, Verdict::Pass, "{held:?}");
    assert_eq!(
        find(scenario, outcomes, kind(bounds.1)).verdict,
        Verdict::Fail
    );
}

/// 100 bins of which those of seconds 2 to 8 are these, again and again; the rest is far off.
pub(crate) fn bins(inside: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let bins = (0..100).map(|bin| {
        if (20..80).contains(&bin) {
            inside[bin % inside.len()]
        } else {
            (99, 0)
        }
    });
    bins.collect()
}
