//! What is said of each mistake, word for word, and what a file without any becomes.

mod capacity;
mod criterion;
mod document;
mod events;
mod fault;
mod good;
mod graph;
mod load;
mod many;
mod mutants;
mod top;

use std::time::Duration;

use super::{Balance, Business, Calls, Edge, Folder, Retries, Scenario, ServiceTime};
use crate::policy::Name;

/// A file without mistakes, for tests to spoil.
const GOOD: &str = r#"purpose = "a test"
duration_s = 60
warm_up_s = 20
measured = "M"

[[service]]
name = "A"
workers = "unlimited"
service_ms = 0

[[service]]
name = "M"
instances = 3
service_ms = 40

[[call]]
from = "A"
to = "M"
calls = [1, 2]

[[business]]
name = "task"
entry = "A"

[[load]]
times_capacity = 2

[[fault]]
kind = "slow"
at_s = 30
service = "M"
speed = 0.5

[[criterion]]
name = "works"
measure = "goodput"
at_least = 0.9
"#;

fn parse(text: &str) -> Result<Scenario, String> {
    let read = Scenario::parse("it.toml", text, Folder::BuiltIn);
    read.map_err(|error| error.to_string())
}

/// Returns the good file with some of it replaced.
fn spoilt(changes: &[(&str, &str)]) -> String {
    let mut text = String::from(GOOD);
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    text
}

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn good(changes: &[(&str, &str)]) -> Scenario {
    let text = spoilt(changes);
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Returns what is said of the good file with this one change.
fn said(from: &str, to: &str) -> Vec<String> {
    let text = spoilt(&[(from, to)]);
    let error = parse(&text).map(drop).expect_err(&text);
    error
        .lines()
        .map(|line| line.trim_start_matches("it.toml:").to_owned())
        .collect()
}

/// Checks cases of what is replaced, by what, and the lines that are said of it.
fn check(cases: &[(&str, &str, &[&str])]) {
    let policies = super::key::quoted(Name::ALL.map(Name::as_str));
    for (from, to, lines) in cases {
        let lines: Vec<String> = lines
            .iter()
            .map(|it| it.replace("{policies}", &policies))
            .collect();
        assert_eq!(said(from, to), lines, "{from} replaced by {to}");
    }
}

/// One call from one service to another, always made.
pub(super) fn edge(from: usize, to: usize) -> Edge {
    Edge {
        from,
        to,
        calls: Calls::Fixed(1),
        parallel: false,
        cancel: true,
        required: true,
        probability: 1.0,
        timeout: None,
        retries: Retries::default(),
        balance: Balance::Random,
        businesses: Vec::new(),
    }
}

/// Services that take a thousand requests a second each, and two businesses of shares 1 and 0.5 that enter at the
/// first.
fn scenario(services: usize, edges: &[Edge]) -> Scenario {
    let mut scenario = parse(GOOD).unwrap();
    let mut service = scenario.services.remove(1);
    service.instances = 1;
    service.service_time = ServiceTime::Constant(Duration::from_millis(10));
    scenario.services = vec![service; services];
    scenario.edges = edges.to_vec();
    let half = Business {
        share: 0.5,
        ..scenario.businesses[0].clone()
    };
    scenario.businesses.push(half);
    scenario
}
