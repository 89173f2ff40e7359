//! The policies of a scenario side by side, the best first.

use maud::{Markup, html};

use super::show;
use crate::{
    judge::{Figure, Unit, Verdict},
    policy::Name,
    report::{PolicyReport, ScenarioReport},
};

/// What the columns are that do not say it themselves.
const LEGEND: &str = "Mean wait: before the work began, at the service where it is longest. In vain: of the work done, \
the share for tasks that failed. At caller: of what was refused, the share that callers withheld. Sent: calls sent, \
retries included, by calls that tasks wanted.";
const FAIRNESS: &str =
    " Fairness: the highest success of tasks by their number of calls, by the lowest.";

/// Returns the policies by goodput, the highest first, those that are equal by name.
pub(super) fn ranked(scenario: &ScenarioReport) -> Vec<&PolicyReport> {
    let mut policies: Vec<&PolicyReport> = scenario.policies.iter().collect();
    let goodput = |policy: &PolicyReport| policy.summary.goodput.number().unwrap_or(-1.0);
    policies.sort_by(|one, two| goodput(two).total_cmp(&goodput(one)));
    policies
}

/// How a policy is drawn where all of them are: dagor, nothing at all and the best of the others stand out.
pub(super) fn ink(scenario: &ScenarioReport, policy: Name) -> &'static str {
    let others = ranked(scenario).into_iter().map(|policy| policy.policy);
    let best = others
        .into_iter()
        .find(|&other| !matches!(other, Name::Dagor | Name::None));
    match policy {
        Name::Dagor => "own",
        Name::None => "bare",
        policy if best == Some(policy) => "best",
        _ => "other",
    }
}

pub(super) fn table(scenario: &ScenarioReport) -> Markup {
    let calls = scenario
        .policies
        .iter()
        .any(|policy| policy.summary.fairness.number().is_some());
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "Policies in " (scenario.name) } {
            table.compare {
                thead {
                    tr {
                        th scope="col" { "policy" }
                        th.bar scope="col" { "goodput / optimum" }
                        th scope="col" title="99th percentile of the time of what succeeded" { "p99" }
                        th scope="col" title="mean time before the work began, at the service where it is longest" { "mean wait" }
                        th scope="col" title="share of its tasks that succeeded" { (scenario.success_of_top()) }
                        th scope="col" title="of the work done, the share for tasks that failed" { "in vain" }
                        th scope="col" title="of what was refused, the share that callers withheld" { "at caller" }
                        th scope="col" title="calls sent, retries included, by calls that tasks wanted" { "sent" }
                        @if calls { th scope="col" title="highest success by lowest, over calls a task" { "fairness" } }
                        th scope="col" { "verdict" }
                    }
                }
                tbody {
                    @for policy in ranked(scenario) { (row(scenario, policy, calls)) }
                }
            }
        }
        p.note { (LEGEND) @if calls { (FAIRNESS) } }
    }
}

fn row(scenario: &ScenarioReport, policy: &PolicyReport, calls: bool) -> Markup {
    let summary = &policy.summary;
    let top = summary
        .success
        .iter()
        .find(|of| of.name == scenario.top_business);
    let share = |figure| Unit::Share.show(figure);
    let length = summary.goodput.number().unwrap_or(0.0).clamp(0.0, 1.0) * 100.0;
    html! {
        tr.(ink(scenario, policy.policy)) data-policy=(policy.policy) {
            th scope="row" { (policy.policy) }
            td.bar {
                span.track { span.fill style={ "width:" (format!("{length:.1}")) "%" } {} }
                b { (share(summary.goodput)) }
            }
            td { (summary.p99_ms.number().map_or_else(|| "-".into(), show::millis)) }
            td { (wait(summary.longest_wait())) }
            td { (share(top.map_or(Figure::Unknown, |of| of.value))) }
            td { (share(summary.wasted)) }
            td { (share(summary.refused_at_caller)) }
            td { (Unit::Times.show(summary.amplification)) }
            @if calls { td { (Unit::Times.show(summary.fairness)) } }
            td { (verdict(policy.verdict)) }
        }
    }
}

fn wait(of: Option<&crate::judge::Of>) -> Markup {
    let known = of.and_then(|of| Some((&of.name, of.value.number()?)));
    html! {
        @if let Some((name, millis)) = known { (show::millis(millis)) " " small { (name) } } @else { "-" }
    }
}

pub(super) fn verdict(verdict: Verdict) -> Markup {
    html! {
        @match verdict {
            Verdict::Pass => span.mark.pass { "\u{2713} holds" },
            Verdict::Fail => span.mark.fail { "\u{2717} fails" },
            Verdict::Shown => span.mark.shown { "not judged" },
        }
    }
}
