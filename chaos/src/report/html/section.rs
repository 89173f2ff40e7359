//! One scenario.

use maud::{Markup, html};

use super::{charts, compare, criteria, panels, show};
use crate::{
    judge::Verdict,
    report::{Mark, ScenarioReport},
};

/// Returns the place of a scenario in the page.
pub(super) fn anchor(scenario: &ScenarioReport) -> String {
    format!("{}-{}", show::slug(&scenario.name), scenario.engine)
}

pub(super) fn section(scenario: &ScenarioReport, commit: &str) -> Markup {
    html! {
        section id=(anchor(scenario)) {
            header {
                h2 {
                    a href={ "#" (anchor(scenario)) } { (scenario.name) }
                    " " span.chip { (scenario.engine) }
                    " " (outcome(scenario))
                }
                p.purpose { (scenario.purpose) }
                @if let Some(source) = &scenario.source { p.facts { "After: " (source) } }
                p.facts { (facts(scenario)) }
                (faults(&scenario.faults))
            }
            (compare::table(scenario))
            (charts::charts(scenario))
            (criteria::criteria(scenario))
            (criteria::published(scenario))
            (panels::panels(scenario))
            (replay(scenario, commit))
        }
    }
}

fn outcome(scenario: &ScenarioReport) -> Markup {
    let findings = || scenario.policies.iter().flat_map(|policy| &policy.findings);
    let count = |verdict| {
        findings()
            .filter(|finding| finding.verdict == verdict)
            .count()
    };
    let (held, failed) = (count(Verdict::Pass), count(Verdict::Fail));
    html! {
        @if failed > 0 { span.chip.fail { "\u{2717} " (failed) " of " (held + failed) (if failed == 1 { " fails" } else { " fail" }) } }
        @else if held > 0 { span.chip.pass { "\u{2713} " @if held == 1 { "it holds" } @else { "all " (held) " hold" } } }
        @else { span.chip { "nothing judged" } }
    }
}

fn facts(scenario: &ScenarioReport) -> String {
    let seeds = match scenario.replay.seeds {
        0 | 1 => format!("seed {}", scenario.replay.seed),
        seeds => format!("{seeds} seeds from {}", scenario.replay.seed),
    };
    let facts = [
        format!("{} of load", show::seconds(scenario.duration_s)),
        format!("the first {} to warm up", show::seconds(scenario.warm_up_s)),
        format!("deadline {}", show::millis(scenario.deadline_ms)),
        format!("threshold {}", show::millis(scenario.threshold_ms)),
        format!("counted in {}", scenario.counted),
        seeds,
    ];
    facts.join(" \u{b7} ")
}

fn faults(faults: &[Mark]) -> Markup {
    const MOST: usize = 6;
    html! {
        @if !faults.is_empty() {
            ul.faults {
                @for fault in faults.iter().take(MOST) {
                    li {
                        span.when {
                            (show::seconds(fault.from_s))
                            @match fault.until_s {
                                Some(until) if until > fault.from_s => { " to " (show::seconds(until)) },
                                Some(_) => {},
                                None => " on",
                            }
                        }
                        " " (fault.what)
                    }
                }
                @if faults.len() > MOST { li { "and " (faults.len() - MOST) " more" } }
            }
        }
    }
}

fn replay(scenario: &ScenarioReport, commit: &str) -> Markup {
    html! {
        div.replay {
            h3 { "Replay" }
            pre tabindex="0" { code { (scenario.replay.command) } }
            p.note { "At commit " code { (commit) } ", seed " (scenario.replay.seed) "." }
        }
    }
}
