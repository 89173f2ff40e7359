//! Each kind of criterion, held and broken.

mod report_support;

use chaos::{
    judge::{Figure, Verdict, judge},
    measure::Outcome,
    policy::Name,
    scenario::{Bound, CriterionKind},
};
use report_support::{
    business, criterion,
    judging::{AT_LEAST, AT_MOST, assert_judged, bins, find},
    nothing, outcome, scenario, tasks,
};

#[test]
fn goodput_is_pooled_over_runs() {
    let scenario = scenario();
    // 60 bins: 75 of 100 with all that is possible, and 45 of 50 of what came: (4500 + 2700) / (4500 + 3000).
    let full = outcome(&scenario, &bins(&[(100, 75)]), 1.0);
    let light = outcome(&scenario, &bins(&[(50, 45)]), 1.0);
    let bounds = (AT_LEAST(0.96), AT_LEAST(0.961));
    assert_judged(
        &scenario,
        &[full, light],
        CriterionKind::Goodput,
        0.96,
        bounds,
    );
}

#[test]
fn p99_is_of_those_that_succeeded_in_the_window() {
    let mut scenario = scenario();
    scenario.businesses.push(business("reports", 1));
    let mut outcome = nothing(&scenario, 100);
    // 1 to 200 ms of business 0, always 900 of business 1, and outliers outside the window.
    let inside = (1..=200).map(|ms| (20 + ms % 60, 0, ms * 1000));
    let other = (0..100).map(|task| (30 + task % 50, 1, 900_000));
    outcome.took = inside
        .chain(other)
        .chain([(19, 0, 9_000_000), (80, 0, 9_000_000)])
        .collect();
    let of = |business| move |ms| CriterionKind::P99 { ms, business };
    let outcomes = [outcome];
    let bounds = (AT_MOST(198.0), AT_MOST(197.9));
    assert_judged(&scenario, &outcomes, of(Some(0)), 198.0, bounds);
    let bounds = (AT_MOST(1000.0), AT_MOST(100.0));
    assert_judged(&scenario, &outcomes, of(Some(1)), 900.0, bounds);
    assert_judged(&scenario, &outcomes, of(None), 900.0, bounds);
}

#[test]
fn a_share_of_a_business_counts_tasks() {
    let mut scenario = scenario();
    scenario.businesses.push(business("reports", 1));
    let mut outcome = nothing(&scenario, 100);
    outcome.businesses = vec![
        tasks(&bins(&[(10, 1)]), 1.0),
        tasks(&bins(&[(10, 9), (30, 21)]), 4.0),
    ];
    let kind = |bound| CriterionKind::Share {
        business: 1,
        bound,
        every_second: false,
    };
    assert_judged(
        &scenario,
        &[outcome],
        kind,
        0.75,
        (AT_LEAST(0.75), AT_LEAST(0.76)),
    );
}

#[test]
fn a_share_in_every_second_is_that_of_the_worst() {
    let scenario = scenario();
    let mut one = bins(&[(10, 10)]);
    one[35] = (10, 5);
    // Nothing came for a second, which is no failure.
    one[40..50].fill((0, 0));
    let mut two = bins(&[(10, 10)]);
    two[79] = (10, 3);
    let outcomes = [outcome(&scenario, &one, 1.0), outcome(&scenario, &two, 1.0)];
    let kind = |bound| CriterionKind::Share {
        business: 0,
        bound,
        every_second: true,
    };
    assert_judged(
        &scenario,
        &outcomes[..1],
        kind,
        0.95,
        (AT_LEAST(0.95), AT_LEAST(0.96)),
    );
    assert_judged(
        &scenario,
        &outcomes,
        kind,
        0.93,
        (AT_LEAST(0.93), AT_LEAST(0.95)),
    );
    assert_judged(
        &scenario,
        &outcomes,
        kind,
        1.0,
        (AT_MOST(1.0), AT_MOST(0.99)),
    );
}

#[test]
fn work_in_vain_is_a_share_of_all_work() {
    let mut outcome = nothing(&scenario(), 100);
    for (service, wasted) in [(0, 100.0), (1, 300.0)] {
        outcome.services[service].worked_us[20..80].fill(1000.0);
        outcome.services[service].wasted_us[20..80].fill(wasted);
        outcome.services[service].wasted_us[10] = 9e9;
    }
    let bounds = (AT_MOST(0.2), AT_MOST(0.19));
    assert_judged(&scenario(), &[outcome], CriterionKind::Wasted, 0.2, bounds);
}

#[test]
fn refusals_are_counted_on_both_sides() {
    let mut outcome = nothing(&scenario(), 100);
    outcome.services[1].refused[20..80].fill(1);
    outcome.services[1].withheld[20..80].fill(4);
    outcome.services[1].refused[90] = 10_000;
    let bounds = (AT_LEAST(0.8), AT_LEAST(0.81));
    assert_judged(
        &scenario(),
        &[outcome],
        CriterionKind::RefusedAtCaller,
        0.8,
        bounds,
    );
}

#[test]
fn waits_are_means_over_requests() {
    let mut outcome = nothing(&scenario(), 100);
    let service = &mut outcome.services[1];
    service.started[30] = 3;
    service.waited_us[30] = 60_000.0;
    service.started[31] = 1;
    service.waited_us[31] = 20_000.0;
    service.started[10] = 1;
    service.waited_us[10] = 9e9;
    let kind = |ms| CriterionKind::MeanWait { service: 1, ms };
    assert_judged(
        &scenario(),
        &[outcome],
        kind,
        20.0,
        (AT_MOST(20.0), AT_MOST(19.9)),
    );
}

#[test]
fn fairness_is_between_groups_by_calls() {
    let mut outcome = nothing(&scenario(), 100);
    outcome.by_calls = vec![
        (0, tasks(&bins(&[(10, 10)]), 0.0)),
        (1, tasks(&bins(&[(10, 9)]), 1.0)),
        (2, tasks(&bins(&[(10, 8)]), 2.0)),
        (3, tasks(&bins(&[(0, 0)]), 3.0)),
        (4, tasks(&bins(&[(10, 6), (10, 6)]), 4.0)),
    ];
    let bounds = (AT_MOST(1.5), AT_MOST(1.15));
    assert_judged(
        &scenario(),
        &[outcome.clone()],
        CriterionKind::Fairness,
        1.5,
        bounds,
    );
    outcome.by_calls[4].1 = tasks(&bins(&[(10, 0)]), 4.0);
    let starved = find(
        &scenario(),
        &[outcome],
        CriterionKind::Fairness(AT_MOST(1e9)),
    );
    assert_eq!(
        (starved.value, starved.verdict),
        (Figure::Never, Verdict::Fail)
    );
}

#[test]
fn amplification_is_calls_sent_by_calls_wanted() {
    let run = |sent, wanted| Outcome {
        sent,
        wanted,
        ..nothing(&scenario(), 100)
    };
    let outcomes = [run(300, 100), run(100, 100)];
    let bounds = (AT_MOST(2.0), AT_MOST(1.9));
    assert_judged(
        &scenario(),
        &outcomes,
        CriterionKind::Amplification,
        2.0,
        bounds,
    );
}

#[test]
fn shedding_begins_at_the_load_of_the_first_second_from_which_much_fails() {
    // 10 more a second each second; one second of failures alone is not yet a share of three.
    let scenario = scenario();
    let bins: Vec<(u32, u32)> = (0..100)
        .map(|bin| {
            let came = 10 + bin / 10;
            (
                came,
                if bin >= 50 || bin / 10 == 3 {
                    came * 9 / 10
                } else {
                    came
                },
            )
        })
        .collect();
    let outcomes = [
        outcome(&scenario, &bins, 2.0),
        outcome(&scenario, &bins, 2.0),
    ];
    // Second 5 on: 15, 16 and 17 a bin, of which 2 fail each.
    let kind = |rate| CriterionKind::ShedsFrom { share: 0.12, rate };
    assert_judged(
        &scenario,
        &outcomes,
        kind,
        300.0,
        (AT_LEAST(280.0), AT_LEAST(301.0)),
    );
    let kind = |rate| CriterionKind::ShedsFrom { share: 0.5, rate };
    let never = find(&scenario, &outcomes, kind(AT_LEAST(1e9)));
    assert_eq!((never.value, never.verdict), (Figure::Never, Verdict::Pass));
    assert_eq!(
        find(&scenario, &outcomes, kind(AT_MOST(1e9))).verdict,
        Verdict::Fail
    );
}

#[test]
fn what_cannot_be_measured_does_not_hold() {
    let kinds: [fn(Bound) -> CriterionKind; 8] = [
        CriterionKind::Goodput,
        |ms| CriterionKind::P99 { ms, business: None },
        |bound| CriterionKind::Share {
            business: 0,
            bound,
            every_second: false,
        },
        |bound| CriterionKind::Share {
            business: 0,
            bound,
            every_second: true,
        },
        CriterionKind::Wasted,
        CriterionKind::RefusedAtCaller,
        |ms| CriterionKind::MeanWait { service: 0, ms },
        CriterionKind::Fairness,
    ];
    for kind in kinds {
        for bound in [AT_MOST(1e9), AT_LEAST(0.0)] {
            let found = find(&scenario(), &[nothing(&scenario(), 100)], kind(bound));
            assert_eq!(
                (found.value, found.verdict),
                (Figure::Unknown, Verdict::Fail),
                "{found:?}"
            );
        }
    }
}

#[test]
fn others_are_measured_and_not_judged() {
    let mut scenario = scenario();
    scenario.criteria = vec![criterion(CriterionKind::Goodput(AT_LEAST(0.9)), 2.0, 8.0)];
    let runs = [(1, outcome(&scenario, &bins(&[(50, 10)]), 1.0))];
    let shown = &judge(&scenario, &runs, Name::Codel)[0];
    assert_eq!(
        (shown.verdict, shown.value),
        (Verdict::Shown, Figure::Is(0.2))
    );
    assert_eq!(
        judge(&scenario, &runs, Name::Dagor)[0].verdict,
        Verdict::Fail
    );
    let words = (shown.what.as_str(), shown.shown(), shown.required());
    assert_eq!(
        words,
        ("goodput / optimum", "0.200".into(), "at least 0.9".into())
    );
}
