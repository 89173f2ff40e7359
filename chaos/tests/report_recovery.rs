//! When goodput counts as back.

mod report_support;

use chaos::{
    judge::{Figure, Verdict},
    measure::Outcome,
    scenario::CriterionKind,
};
use report_support::{
    judging::{AT_LEAST, AT_MOST, assert_judged, bins, find},
    nothing, outcome, scenario,
};

/// Nothing succeeds from second 2 on, and all of it from this bin on.
fn back_at(bin: usize) -> Outcome {
    let mut bins = bins(&[(50, 0)]);
    bins[bin..80].fill((50, 50));
    outcome(&scenario(), &bins, 1.0)
}

#[test]
fn recovery_is_that_of_the_slowest_run() {
    let kind = |seconds| CriterionKind::Recovery {
        share: 0.95,
        seconds,
    };
    let bounds = (AT_MOST(0.5), AT_MOST(0.4));
    assert_judged(&scenario(), &[back_at(25)], kind, 0.5, bounds);
    let bounds = (AT_MOST(2.0), AT_MOST(1.4));
    assert_judged(
        &scenario(),
        &[back_at(25), back_at(35), back_at(22)],
        kind,
        1.5,
        bounds,
    );
    assert_judged(
        &scenario(),
        &[back_at(20)],
        kind,
        0.0,
        (AT_MOST(0.0), AT_LEAST(0.1)),
    );
    // Who says that somebody stays down asks for the quickest.
    let bounds = (AT_LEAST(0.5), AT_LEAST(0.6));
    assert_judged(&scenario(), &[back_at(25), back_at(35)], kind, 0.5, bounds);
}

#[test]
fn recovery_has_to_stay() {
    let kind = |seconds| CriterionKind::Recovery {
        share: 0.95,
        seconds,
    };
    // Back for 0.8 s, down for 0.4 s, back for good.
    let mut bins = bins(&[(50, 50)]);
    bins[20..25].fill((50, 0));
    bins[33..37].fill((50, 0));
    let again = outcome(&scenario(), &bins, 1.0);
    assert_judged(
        &scenario(),
        &[again],
        kind,
        1.7,
        (AT_MOST(1.7), AT_MOST(1.6)),
    );
    // The last second of the window is the last chance.
    assert_judged(
        &scenario(),
        &[back_at(70)],
        kind,
        5.0,
        (AT_MOST(5.0), AT_MOST(4.9)),
    );
}

#[test]
fn who_never_recovers_fails_every_bound_on_it() {
    let kind = |seconds| CriterionKind::Recovery {
        share: 0.95,
        seconds,
    };
    let never = find(&scenario(), &[back_at(22), back_at(75)], kind(AT_MOST(1e9)));
    assert_eq!((never.value, never.verdict), (Figure::Never, Verdict::Fail));
    assert_eq!(never.each, [Figure::Is(0.2), Figure::Never]);
    let json = serde_json::to_value(&never).unwrap();
    assert!(json["value"].is_null(), "{json}");
    let down = find(&scenario(), &[back_at(75)], kind(AT_LEAST(5.0)));
    assert_eq!(down.verdict, Verdict::Pass, "who should stay down does");
    let idle = [nothing(&scenario(), 100)];
    assert_eq!(
        find(&scenario(), &idle, kind(AT_MOST(1.0))).value,
        Figure::Never
    );
}
