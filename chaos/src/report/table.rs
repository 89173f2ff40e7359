//! The report in a terminal.

use std::fmt::Write as _;

use super::{Report, ScenarioReport};
use crate::judge::{Figure, Unit, Verdict};

/// What is said where nothing was judged, so that it is not taken for a pass.
pub(super) const NOTHING_JUDGED: &str =
    "nothing was judged: none of the policies run has a criterion";

/// What the columns are.
const LEGEND: &str = "\
goodput: by the optimum, what could have succeeded. p99: time of what succeeded. mean wait: before the work began, at the
service where it is longest. success: share of the tasks of the most important business. -: not judged, or nothing to measure.
";

/// Returns the report as text: a table for each scenario, what does not hold under it, and a last line that counts.
#[must_use]
pub fn table(report: &Report) -> String {
    let mut text = String::new();
    for scenario in &report.scenarios {
        add_scenario(&mut text, scenario);
    }
    let judged = report
        .findings()
        .filter(|(.., finding)| finding.verdict != Verdict::Shown);
    let (judged, failed) = (judged.count(), report.failures().count());
    let scenarios = report.scenarios.len();
    if judged == 0 && scenarios > 0 {
        text.push_str(NOTHING_JUDGED);
        text.push('\n');
    }
    let plural = if scenarios == 1 { "" } else { "s" };
    let held = judged - failed;
    if scenarios > 0 {
        text.push_str(LEGEND);
    }
    // Here and below: writing into a String does not fail.
    let _ = writeln!(
        text,
        "{scenarios} scenario{plural}, {held} of {judged} {} {}",
        if judged == 1 { "criterion" } else { "criteria" },
        if judged == 1 || held == 1 {
            "holds"
        } else {
            "hold"
        }
    );
    text
}

fn add_scenario(text: &mut String, scenario: &ScenarioReport) {
    let (name, engine, replay) = (&scenario.name, scenario.engine, &scenario.replay);
    let seeds = match replay.seeds {
        0 | 1 => format!("seed {}", replay.seed),
        seeds => format!("{seeds} seeds from {}", replay.seed),
    };
    let _ = writeln!(text, "{name} ({engine}, {seeds})\n  {}", scenario.purpose);
    let success = scenario.success_of_top();
    let head = ["policy", "goodput", "p99", "mean wait", &success, "verdict"];
    let mut rows = vec![head.map(String::from)];
    for policy in &scenario.policies {
        let summary = &policy.summary;
        let wait = summary
            .longest_wait()
            .map_or(Figure::Unknown, |of| of.value);
        let top = summary
            .success
            .iter()
            .find(|of| of.name == scenario.top_business);
        let verdict = match policy.verdict {
            Verdict::Pass => "pass",
            Verdict::Fail => "FAIL",
            Verdict::Shown => "-",
        };
        rows.push([
            policy.policy.to_string(),
            Unit::Share.show(summary.goodput),
            Unit::Milliseconds.show(summary.p99_ms),
            Unit::Milliseconds.show(wait),
            Unit::Share.show(top.map_or(Figure::Unknown, |of| of.value)),
            verdict.into(),
        ]);
    }
    text.push_str(&aligned(&rows));
    add_published(text, scenario);
    add_surplus(text, scenario);
    for policy in &scenario.policies {
        let failed = policy
            .findings
            .iter()
            .filter(|finding| finding.verdict == Verdict::Fail);
        for finding in failed {
            let (what, shown) = (&finding.what, finding.shown());
            let (criterion, required) = (&finding.criterion, finding.required());
            let policy = policy.policy;
            let _ = writeln!(
                text,
                "  FAIL {policy}, {criterion}: {what} {shown}, expected {required}"
            );
        }
    }
    text.push('\n');
}

/// Adds what was published of the policies, each beside ours.
fn add_published(text: &mut String, scenario: &ScenarioReport) {
    for policy in &scenario.policies {
        for beside in &policy.published {
            let published = beside.unit.show(Figure::Is(beside.published));
            let _ = writeln!(
                text,
                "  published {}, {}: {published}, here {}",
                policy.policy,
                beside.what,
                beside.unit.show(beside.ours)
            );
        }
    }
}

/// Adds what the live engine could not send, which is what a machine without a CPU to spare shows.
fn add_surplus(text: &mut String, scenario: &ScenarioReport) {
    for policy in scenario.policies.iter().filter(|it| it.surplus > 0) {
        let plural = if policy.surplus == 1 { "" } else { "s" };
        let _ = writeln!(
            text,
            "  {}: {} task{plural} not sent, too many were under way; is the machine busy?",
            policy.policy, policy.surplus
        );
    }
}

/// Returns rows as lines, columns under each other: the first to the left, the others to the right.
pub(super) fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let rows: Vec<&[String]> = rows.iter().map(<[String; N]>::as_slice).collect();
    aligned_rows(&rows)
}

/// As [`aligned`], for rows of any length.
pub(super) fn aligned_rows(rows: &[&[String]]) -> String {
    let columns = rows.iter().map(|row| row.len()).max().unwrap_or(0);
    let width_of = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width_of).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let _ = match column {
                0 => write!(line, "  {cell:<width$}"),
                _ => write!(line, "  {cell:>width$}"),
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
