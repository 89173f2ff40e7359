//! Each criterion by each policy, and published figures beside ours.

use maud::{Markup, html};

use super::{
    compare::{ink, ranked},
    show,
};
use crate::{
    judge::{Beside, Figure, Finding, Verdict},
    policy::Name,
    report::ScenarioReport,
};

pub(super) fn criteria(scenario: &ScenarioReport) -> Markup {
    let criteria = scenario
        .policies
        .first()
        .map_or(&[][..], |policy| &policy.findings);
    html! {
        @if !criteria.is_empty() {
            h3 { "Criteria" }
            div.scroll tabindex="0" role="region" aria-label={ "Criteria of " (scenario.name) } {
                table.criteria {
                    thead {
                        tr {
                            th scope="col" { "policy" }
                            @for criterion in criteria { th scope="col" { (heading(criterion)) } }
                        }
                    }
                    tbody {
                        @for policy in ranked(scenario) {
                            tr.(ink(scenario, policy.policy)) data-policy=(policy.policy) {
                                th scope="row" { (policy.policy) }
                                @for finding in &policy.findings { (cell(finding)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn heading(criterion: &Finding) -> Markup {
    html! {
        (criterion.criterion)
        small { (criterion.what) }
        small { (criterion.required()) ", " (show::seconds(criterion.from_s)) " to " (show::seconds(criterion.until_s)) }
    }
}

fn cell(finding: &Finding) -> Markup {
    let (class, mark, said) = match finding.verdict {
        Verdict::Pass => ("pass", "\u{2713} ", "holds: "),
        Verdict::Fail => ("fail", "\u{2717} ", "fails: "),
        Verdict::Shown => ("shown", "", ""),
    };
    html! {
        td.mark.(class) {
            span aria-hidden="true" { (mark) } span.said { (said) } (finding.shown())
            @if let Some(spread) = spread(finding) { small { (spread) } }
        }
    }
}

/// Returns the lowest and the highest of the runs.
fn spread(finding: &Finding) -> Option<String> {
    let all = finding.each.iter().filter_map(|figure| figure.number());
    let (low, high) = (all.clone().reduce(f64::min)?, all.clone().reduce(f64::max)?);
    let never = finding
        .each
        .iter()
        .filter(|figure| figure.number().is_none())
        .count();
    let shown = |value| finding.unit.show(Figure::Is(value));
    let (low, high) = (shown(low), shown(high));
    match (low == high, never) {
        (true, 0) => None,
        (_, 0) => Some(format!("{low} to {high}")),
        (_, never) => Some(format!("{low} to {high}, {never} without")),
    }
}

pub(super) fn published(scenario: &ScenarioReport) -> Markup {
    let all = scenario.policies.iter().flat_map(|policy| {
        policy
            .published
            .iter()
            .map(|beside| (policy.policy, beside))
    });
    let all: Vec<(Name, &Beside)> = all.collect();
    html! {
        @if !all.is_empty() {
            h3 { "Published, and ours" }
            div.scroll tabindex="0" role="region" aria-label={ "Published figures for " (scenario.name) } {
                table.published {
                    thead {
                        tr {
                            th scope="col" { "policy" }
                            th scope="col" { "what" }
                            th scope="col" { "published" }
                            th scope="col" { "ours" }
                            th scope="col" { "difference" }
                        }
                    }
                    tbody {
                        @for (policy, beside) in all {
                            tr.(ink(scenario, policy)) {
                                th scope="row" { (policy) }
                                td { (beside.what) }
                                td { (beside.unit.show(Figure::Is(beside.published))) }
                                td { (beside.unit.show(beside.ours)) }
                                td { (difference(beside)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn difference(beside: &Beside) -> String {
    let ours = beside.ours.number().filter(|_| beside.published > 0.0);
    ours.map_or_else(
        || "-".into(),
        |ours| format!("{:+.1} %", (ours / beside.published - 1.0) * 100.0),
    )
}
