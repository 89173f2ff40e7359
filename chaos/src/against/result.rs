//! What came of a run against a service of one's own.

use std::fmt;

use super::AgainstError;
use crate::{
    judge::{Finding, Judge, Summary, Unit, Verdict},
    measure::Outcome,
    policy::Name,
    scenario::Scenario,
};

/// A run of a service of your own, judged. Displays as a table.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "ask it whether the criteria hold, as with `assert_passed`"]
pub struct AgainstReport {
    name: String,
    scenario: String,
    seed: u64,
    outcome: Outcome,
    findings: Vec<Finding>,
    summary: Summary,
}

/// Criteria are judged by policy. The service under test stands under none of those known, so its criteria and its
/// run are put under this one.
const LABEL: Name = Name::None;

/// Returns the scenario as it looks when the graph is one service of which only the door is seen: every task weighs
/// the same, and every criterion is judged.
pub(super) fn as_seen_from_outside(mut scenario: Scenario) -> Scenario {
    scenario.measured = None;
    for criterion in &mut scenario.criteria {
        criterion.policies = vec![LABEL];
    }
    scenario
}

impl AgainstReport {
    pub(super) fn new(name: String, seed: u64, scenario: &Scenario, outcome: Outcome) -> Self {
        let runs = [(seed, outcome)];
        let judge = Judge::new(scenario);
        let (findings, summary) = (judge.findings(&runs, LABEL), judge.summary(&runs));
        let [(_, outcome)] = runs;
        Self {
            name,
            scenario: scenario.name.clone(),
            seed,
            outcome,
            findings,
            summary,
        }
    }

    /// Returns whether there are criteria and all of them hold.
    #[must_use]
    pub fn passed(&self) -> bool {
        let held = |finding: &Finding| finding.verdict == Verdict::Pass;
        !self.findings.is_empty() && self.findings.iter().all(held)
    }

    /// Returns the report if it passed.
    ///
    /// # Errors
    ///
    /// A line for each criterion that does not hold.
    pub fn into_result(self) -> Result<Self, AgainstError> {
        if self.passed() {
            return Ok(self);
        }
        let failed = self
            .findings
            .iter()
            .filter(|finding| finding.verdict != Verdict::Pass);
        let mut lines: Vec<String> = failed.map(line).collect();
        if self.findings.is_empty() {
            lines.push(NO_CRITERIA.into());
        }
        Err(AgainstError(lines))
    }

    /// Does nothing if it passed; for tests.
    ///
    /// # Panics
    ///
    /// With the table, if a criterion does not hold or there is none.
    #[track_caller]
    pub fn assert_passed(&self) {
        assert!(self.passed(), "{self}");
    }

    /// Returns what the criteria say, in the scenario's order.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns the figures at a glance: rates, percentiles, the success of each business.
    #[must_use]
    pub const fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Returns all that was counted, by tenths of a second. Of services only what comes to the door is seen.
    #[must_use]
    pub const fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Returns the seed, to run the same again.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }
}

const NO_CRITERIA: &str = "the scenario has no criteria, so there is nothing that could fail";

/// Returns a criterion, what was measured and what was to be.
fn line(finding: &Finding) -> String {
    let verdict = match finding.verdict {
        Verdict::Pass => "holds",
        Verdict::Fail => "FAILS",
        Verdict::Shown => "shown",
    };
    format!(
        "{verdict}  {}: {} {}, expected {} ({} to {} s)",
        finding.criterion,
        finding.what,
        finding.shown(),
        finding.required(),
        finding.from_s,
        finding.until_s
    )
}

impl fmt::Display for AgainstReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} under {}, seed {}",
            self.name, self.scenario, self.seed
        )?;
        for finding in &self.findings {
            writeln!(f, "  {}", line(finding))?;
        }
        if self.findings.is_empty() {
            writeln!(f, "  {NO_CRITERIA}")?;
        }
        let sum = &self.summary;
        writeln!(
            f,
            "  tasks a second: {:.1} came, {:.1} succeeded in time, {:.1} could have",
            sum.offered, sum.good, sum.optimum
        )?;
        let time = |figure| Unit::Milliseconds.show(figure);
        writeln!(
            f,
            "  time of those that succeeded: median {}, 99 % {}",
            time(sum.p50_ms),
            time(sum.p99_ms)
        )?;
        for business in &sum.success {
            writeln!(
                f,
                "  success of {}: {}",
                business.name,
                Unit::Share.show(business.value)
            )?;
        }
        Ok(())
    }
}
