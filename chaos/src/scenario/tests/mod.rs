//! What is said of each mistake, word for word, and what a file without any becomes.

mod criterion;
mod document;
mod fault;
mod good;
mod graph;
mod load;
mod top;

use super::{Folder, Scenario};
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
