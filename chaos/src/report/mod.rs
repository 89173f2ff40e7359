//! The page, the data, the table: what a run tells people and machines.
//!
//! [`Collect`] turns the outcomes of a scenario into a [`ScenarioReport`], policy by policy, so that they can be
//! dropped in between. A [`Report`] of several is written with [`write()`]: `index.html`, which needs nothing else,
//! and `report.json` with the same figures. Both are the same to the byte for the same outcomes, in whatever order
//! these came; what depends on the machine is in `timing.json` ([`Timing`]).

pub mod cells;
mod collect;
pub mod digits;
mod files;
mod html;
mod marks;
mod replay;
mod series;
mod table;
mod timing;
mod watch;

use serde::{Serialize, Serializer};

pub use self::{
    cells::{Cell, Cells},
    collect::Collect,
    files::write,
    html::page,
    marks::Mark,
    replay::{Replay, commit},
    series::{Line, Series},
    table::table,
    timing::{RunTiming, Timing},
};
use crate::{
    Engine,
    judge::{Beside, Finding, Summary, Verdict},
    policy::Name,
};

/// The version of the layout of `report.json`: a number more when a field changes its meaning or goes.
pub const SCHEMA: u32 = 1;

/// Everything that is reported.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The commit of the program.
    pub commit: String,
    /// By name, then by engine.
    pub scenarios: Vec<ScenarioReport>,
}

/// One scenario on one engine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScenarioReport {
    /// Its name.
    pub name: String,
    /// What it shows.
    pub purpose: String,
    /// Where figures come from that it reproduces.
    pub source: Option<String>,
    /// Where it was run.
    #[serde(serialize_with = "word")]
    pub engine: Engine,
    /// Whether `--quick` was given.
    pub quick: bool,
    /// How to get the same again.
    pub replay: Replay,
    /// How long load came, in seconds.
    pub duration_s: f64,
    /// What of it is not summed up, in seconds.
    pub warm_up_s: f64,
    /// How long clients wait, in milliseconds.
    pub deadline_ms: f64,
    /// The threshold of queuing time, in milliseconds.
    pub threshold_ms: f64,
    /// What offered and good loads count: calls at a service, or tasks.
    pub counted: String,
    /// The most important business: its name. That of the smallest number, the first of several.
    pub top_business: String,
    /// What goes wrong when.
    pub faults: Vec<Mark>,
    /// In the order of their names in [`Name::ALL`].
    pub policies: Vec<PolicyReport>,
}

/// One policy in a scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PolicyReport {
    /// Its name.
    #[serde(serialize_with = "word")]
    pub policy: Name,
    /// Whether all criteria hold that it is judged by; shown if there is none.
    pub verdict: Verdict,
    /// Its figures at a glance.
    pub summary: Summary,
    /// Each criterion.
    pub findings: Vec<Finding>,
    /// Tasks, of all runs, that the live engine did not send because too many were under way; they failed. 0 in
    /// virtual time. Many are a sign that the machine, not the policy, was the bottleneck.
    pub surplus: u64,
    /// Published figures beside ours.
    pub published: Vec<Beside>,
    /// What happened when.
    pub series: Series,
}

/// Everything that goes by its word in data.
fn word<T: std::fmt::Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

// === impl ScenarioReport ===

impl ScenarioReport {
    /// Returns what the column is called that tells how the most important business fared.
    fn success_of_top(&self) -> String {
        if self.top_business.is_empty() {
            "success".into()
        } else {
            format!("success of {}", self.top_business)
        }
    }
}

// === impl Report ===

impl Report {
    /// A report of nothing yet. `commit` is where the program is from, see [`commit()`].
    #[must_use]
    pub fn new(commit: impl Into<String>) -> Self {
        Self {
            schema: SCHEMA,
            commit: commit.into(),
            scenarios: Vec::new(),
        }
    }

    /// Adds a scenario, in its place.
    pub fn add(&mut self, scenario: ScenarioReport) {
        fn key(scenario: &ScenarioReport) -> (&str, Engine) {
            (&scenario.name, scenario.engine)
        }
        let place = self
            .scenarios
            .partition_point(|other| key(other) <= key(&scenario));
        self.scenarios.insert(place, scenario);
    }

    /// Returns every criterion that does not hold, with its scenario and policy.
    pub fn failures(&self) -> impl Iterator<Item = (&ScenarioReport, Name, &Finding)> {
        self.findings()
            .filter(|(.., finding)| finding.verdict == Verdict::Fail)
    }

    /// Returns every scenario in which no criterion was judged: the policies that ran have none.
    pub fn unjudged(&self) -> impl Iterator<Item = &ScenarioReport> {
        self.scenarios.iter().filter(|scenario| {
            let policies = scenario.policies.iter();
            let mut findings = policies.flat_map(|policy| &policy.findings);
            findings.all(|finding| finding.verdict == Verdict::Shown)
        })
    }

    /// Returns every criterion with its scenario and policy.
    pub fn findings(&self) -> impl Iterator<Item = (&ScenarioReport, Name, &Finding)> {
        let policies = self.scenarios.iter().flat_map(|scenario| {
            let policies = scenario.policies.iter();
            policies.map(move |policy| (scenario, policy))
        });
        policies.flat_map(|(scenario, policy)| {
            let findings = policy.findings.iter();
            findings.map(move |finding| (scenario, policy.policy, finding))
        })
    }

    /// Returns `report.json`: one line.
    ///
    /// # Errors
    ///
    /// None that a report can cause; serde's signature.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self).map(|json| json + "\n")
    }
}
