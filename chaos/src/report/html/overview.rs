//! The top of the page: what holds, what does not, and every goodput at a glance.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::{charts::mean, section::anchor};
use crate::{
    judge::{Figure, Unit, Verdict},
    policy::Name,
    report::{PolicyReport, Report, ScenarioReport, cells::FLOOR, table::NOTHING_JUDGED},
};

pub(super) fn overview(report: &Report) -> Markup {
    let judged = report
        .findings()
        .filter(|(.., finding)| finding.verdict != Verdict::Shown);
    let (judged, failed) = (judged.count(), report.failures().count());
    let scenarios = report.scenarios.len();
    html! {
        header.top {
            p.kicker { "dagor chaos" }
            h1 {
                @if judged == 0 { "Nothing was judged" }
                @else if judged == 1 { "The criterion " (if failed == 0 { "holds" } else { "does not hold" }) }
                @else if failed == 0 { "All " (judged) " criteria hold" }
                @else { (failed) " of " (judged) " criteria " (if failed == 1 { "does" } else { "do" }) " not hold" }
            }
            p.facts {
                (scenarios) (if scenarios == 1 { " scenario" } else { " scenarios" })
                ", commit " code { (report.commit) }
            }
            @if judged == 0 && scenarios > 0 { p.facts { (NOTHING_JUDGED) } }
            (failures(report))
            @if scenarios > 1 { (heat_map(report)) }
        }
    }
}

fn failures(report: &Report) -> Markup {
    html! {
        @if report.failures().next().is_some() {
            ul.failures {
                @for (scenario, policy, finding) in report.failures() {
                    li {
                        span.mark.fail aria-hidden="true" { "\u{2717}" } " "
                        a href={ "#" (anchor(scenario)) } { (scenario.name) } ", " (policy) ": "
                        (finding.criterion) " - " (finding.what) " " b { (finding.shown()) }
                        ", expected " (finding.required())
                    }
                }
            }
        }
    }
}

/// Goodput by its optimum, scenarios down and policies across.
fn heat_map(report: &Report) -> Markup {
    let policies = report
        .scenarios
        .iter()
        .flat_map(|scenario| &scenario.policies);
    let policies: BTreeSet<Name> = policies.map(|policy| policy.policy).collect();
    html! {
        h2 { "Goodput as a share of the optimum" }
        div.scroll tabindex="0" role="region" aria-label="Goodput of all scenarios" {
            table.heat {
                thead {
                    tr {
                        th scope="col" { "scenario" }
                        @for policy in &policies { th scope="col" { span { (policy) } } }
                    }
                }
                tbody {
                    @for scenario in &report.scenarios {
                        tr {
                            th scope="row" { a href={ "#" (anchor(scenario)) } { (name(scenario)) } }
                            @for policy in &policies { (heat_cell(scenario, *policy)) }
                        }
                    }
                }
                tfoot {
                    (foot(report, &policies, "worst", |shares| shares.reduce(f64::min)))
                    (foot(report, &policies, "geometric mean", geometric_mean))
                }
            }
        }
        p.note {
            "The darker, the more was lost. " b { "Bold" } ": the best of the row, to two places. "
            span.mark.fail { "\u{2717}" } ": a criterion does not hold."
        }
    }
}

/// A row about all scenarios that a policy ran in.
fn foot(
    report: &Report,
    policies: &BTreeSet<Name>,
    words: &str,
    join: fn(&mut dyn Iterator<Item = f64>) -> Option<f64>,
) -> Markup {
    html! {
        tr {
            th scope="row" { (words) }
            @for policy in policies {
                @let all = report.scenarios.iter().flat_map(|scenario| &scenario.policies);
                @let mut shares = all
                    .filter(|report| report.policy == *policy)
                    .filter_map(|report| report.summary.goodput.number());
                (share_cell(join(&mut shares).map_or(Figure::Unknown, Figure::Is), *policy, "", false))
            }
        }
    }
}

fn geometric_mean(shares: &mut dyn Iterator<Item = f64>) -> Option<f64> {
    let logarithms: Vec<f64> = shares.map(|share| libm::log(share.max(FLOOR))).collect();
    mean(&logarithms).map(libm::exp)
}

fn name(scenario: &ScenarioReport) -> Markup {
    html! { (scenario.name) @if scenario.engine != crate::Engine::Sim { " " small { (scenario.engine) } } }
}

fn heat_cell(scenario: &ScenarioReport, policy: Name) -> Markup {
    let Some(report) = scenario
        .policies
        .iter()
        .find(|report| report.policy == policy)
    else {
        return html! { td.none title="not run" { "-" } };
    };
    let class = if is_best(scenario, report) {
        "best"
    } else {
        ""
    };
    share_cell(
        report.summary.goodput,
        policy,
        class,
        report.verdict == Verdict::Fail,
    )
}

fn share_cell(share: Figure, policy: Name, class: &str, failed: bool) -> Markup {
    let lost = share
        .number()
        .map_or(0.0, |share| (1.0 - share).clamp(0.0, 1.0) * 100.0);
    html! {
        td class={ (class) @if policy == Name::Dagor { " own" } } style={ "--lost:" (format!("{lost:.0}")) "%" } {
            @match share { Figure::Is(share) => (format!("{share:.2}")), _ => (Unit::Share.show(share)) }
            @if failed { span.mark.fail title="a criterion does not hold" { "\u{2717}" } }
        }
    }
}

/// Returns whether nobody is better, as far as the table shows it.
fn is_best(scenario: &ScenarioReport, report: &PolicyReport) -> bool {
    let shown = |report: &PolicyReport| {
        report
            .summary
            .goodput
            .number()
            .map(|share| (share * 100.0).round())
    };
    let best = scenario.policies.iter().filter_map(shown).reduce(f64::max);
    best.zip(shown(report))
        .is_some_and(|(best, own)| own >= best)
}
