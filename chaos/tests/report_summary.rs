//! The figures at a glance, and those of others beside ours.

mod report_support;

use chaos::{
    judge::{Figure, Judge, judge, summary},
    policy::Name,
    scenario::{CriterionKind, Published},
};
use report_support::{
    business, criterion,
    judging::{AT_LEAST, bins},
    nothing, outcome, scenario, seconds, tasks,
};

#[test]
fn the_order_of_the_runs_does_not_matter() {
    let mut scenario = scenario();
    scenario.criteria = vec![criterion(CriterionKind::Goodput(AT_LEAST(0.9)), 2.0, 8.0)];
    let run = |seed: u32| {
        (
            u64::from(seed),
            outcome(&scenario, &bins(&[(50 + seed, 40 + seed)]), 0.1),
        )
    };
    let (one, two): (Vec<_>, Vec<_>) = ((0..7).map(run).collect(), (0..7).rev().map(run).collect());
    assert_eq!(
        judge(&scenario, &one, Name::Dagor),
        judge(&scenario, &two, Name::Dagor)
    );
    assert_eq!(summary(&scenario, &one), summary(&scenario, &two));
}

#[test]
fn the_summary_leaves_the_warm_up_out() {
    let mut scenario = scenario();
    scenario.warm_up = seconds(2.0);
    scenario.duration = seconds(8.0);
    scenario.businesses.push(business("reports", 1));
    let mut outcome = nothing(&scenario, 100);
    outcome.businesses[0] = tasks(&bins(&[(50, 45)]), 2.0);
    outcome.services[1].started[50] = 2;
    outcome.services[1].waited_us[50] = 30_000.0;
    outcome.took = vec![(30, 0, 100_000), (31, 0, 300_000), (90, 0, 900_000)];
    let summary = summary(&scenario, &[(1, outcome.clone()), (2, outcome)]);
    let close = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-9, "{summary:?}");
    close(summary.offered, 1000.0);
    close(summary.good, 900.0);
    close(summary.optimum, 750.0);
    assert_eq!(summary.goodput, Figure::Is(1.2));
    assert_eq!(
        (summary.p50_ms, summary.p99_ms),
        (Figure::Is(100.0), Figure::Is(300.0))
    );
    let longest = summary.longest_wait().expect("one service waited");
    assert_eq!(
        (longest.name.as_str(), longest.value),
        ("M", Figure::Is(15.0))
    );
    let success: Vec<Figure> = summary.success.iter().map(|of| of.value).collect();
    assert_eq!(success, [Figure::Is(0.9), Figure::Unknown]);
}

#[test]
fn published_figures_stand_beside_ours() {
    let mut scenario = scenario();
    scenario.published = vec![Published {
        policy: Name::Dagor,
        what: "success rate".into(),
        value: 0.5,
        ours: CriterionKind::Share {
            business: 0,
            bound: AT_LEAST(0.0),
            every_second: false,
        },
        window: (seconds(2.0), seconds(8.0)),
    }];
    let runs = [(1, outcome(&scenario, &bins(&[(100, 47)]), 1.0))];
    let judge = Judge::new(&scenario);
    let beside = judge.published(&runs, Name::Dagor);
    assert_eq!((beside.len(), beside[0].ours), (1, Figure::Is(0.47)));
    assert!(judge.published(&runs, Name::None).is_empty());
}
