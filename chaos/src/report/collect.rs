//! From the outcomes of a scenario to its report.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use super::{
    Mark, PolicyReport, Replay, ScenarioReport, Series, replay::file_to_type, watch::watched,
};
use crate::{
    Engine,
    judge::{Finding, Judge, Verdict, by_seed},
    measure::Outcome,
    policy::Name,
    scenario::Scenario,
};

/// Collects the policies of a scenario, in any order.
#[derive(Clone, Debug)]
pub struct Collect<'a> {
    scenario: &'a Scenario,
    judge: Judge<'a>,
    watched: Vec<usize>,
    engine: Engine,
    quick: bool,
    typed: String,
    seeds: BTreeSet<u64>,
    policies: BTreeMap<Name, PolicyReport>,
}

impl<'a> Collect<'a> {
    /// Nothing yet. `quick` says how the command was given, for the replay.
    #[must_use]
    pub fn new(scenario: &'a Scenario, engine: Engine, quick: bool) -> Self {
        Self {
            scenario,
            judge: Judge::new(scenario),
            watched: watched(scenario),
            engine,
            quick,
            typed: scenario.name.clone(),
            seeds: BTreeSet::new(),
            policies: BTreeMap::new(),
        }
    }

    /// Says that the scenario is that of a file, for the replay: built-in ones go by their names. Only the file's name is
    /// kept, so that the report is the same wherever it lies.
    #[must_use]
    pub fn of_file(mut self, file: &Path) -> Self {
        self.typed = file_to_type(file);
        self
    }

    /// Adds all runs of one policy, each with its seed; what was added of it before is replaced.
    pub fn add(&mut self, policy: Name, runs: &[(u64, Outcome)]) {
        self.seeds.extend(runs.iter().map(|(seed, _)| *seed));
        let findings = self.judge.findings(runs, policy);
        let optimum = self.judge.optimum();
        let report = PolicyReport {
            policy,
            verdict: overall(&findings),
            summary: self.judge.summary(runs),
            findings,
            surplus: runs.iter().map(|(_, outcome)| outcome.surplus).sum(),
            published: self.judge.published(runs, policy),
            series: Series::new(self.scenario, &self.watched, optimum, &by_seed(runs)),
        };
        self.policies.insert(policy, report);
    }

    /// Returns the report.
    #[must_use]
    pub fn finish(self) -> ScenarioReport {
        let scenario = self.scenario;
        let seeds = (
            self.seeds.first().copied().unwrap_or(scenario.seed),
            self.seeds.len(),
        );
        let policies = self.policies.keys().copied();
        let replay = Replay::new(&self.typed, self.engine, seeds, policies, self.quick);
        let service = |place: usize| {
            scenario
                .services
                .get(place)
                .map_or_else(String::new, |service| service.name.clone())
        };
        let top = scenario
            .businesses
            .iter()
            .min_by_key(|business| business.number);
        let measured = scenario.measured.map(service);
        ScenarioReport {
            name: scenario.name.clone(),
            purpose: scenario.purpose.clone(),
            source: scenario.source.clone(),
            engine: self.engine,
            quick: self.quick,
            replay,
            duration_s: scenario.duration.as_secs_f64(),
            warm_up_s: scenario.warm_up.as_secs_f64(),
            deadline_ms: scenario.deadline.as_secs_f64() * 1e3,
            threshold_ms: scenario.threshold.as_secs_f64() * 1e3,
            counted: measured.map_or_else(|| "tasks".into(), |name| format!("calls at {name}")),
            top_business: top.map_or_else(String::new, |business| business.name.clone()),
            faults: Mark::all(scenario),
            policies: self.policies.into_values().collect(),
        }
    }
}

fn overall(findings: &[Finding]) -> Verdict {
    let has = |verdict| findings.iter().any(|finding| finding.verdict == verdict);
    match (has(Verdict::Fail), has(Verdict::Pass)) {
        (true, _) => Verdict::Fail,
        (false, true) => Verdict::Pass,
        (false, false) => Verdict::Shown,
    }
}
