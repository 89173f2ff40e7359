//! `chaos check`

use std::{fmt::Write as _, path::PathBuf};

use chaos::Scenario;

use super::{Faults, Verdict, out::print};

/// Reads files; prints a line for each that is right.
pub(super) fn check(files: &[PathBuf]) -> Result<Verdict, Faults> {
    let mut faults = Faults::default();
    let mut text = String::new();
    for file in files {
        if let Some(scenario) = faults.take(Scenario::load(file)) {
            let _ = writeln!(text, "{}: {}", file.display(), right(&scenario));
        }
    }
    print(&text)?;
    faults.none_or(Verdict::Holds)
}

/// Says what was read, so that somebody who meant something else sees it.
fn right(scenario: &Scenario) -> String {
    let count = |count: usize, one: &str, more: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {more}"),
    };
    let instances: u64 = scenario
        .services
        .iter()
        .map(|service| u64::from(service.instances))
        .sum();
    let parts = [
        count(scenario.services.len(), "service", "services"),
        count(
            usize::try_from(instances).unwrap_or(usize::MAX),
            "instance",
            "instances",
        ),
        count(scenario.edges.len(), "call", "calls"),
        count(scenario.businesses.len(), "business", "businesses"),
        count(scenario.faults.len(), "fault", "faults"),
        count(scenario.criteria.len(), "criterion", "criteria"),
    ];
    format!(
        "right: {}, {} s",
        parts.join(", "),
        scenario.duration.as_secs_f64()
    )
}
