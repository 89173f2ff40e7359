//! What goes wrong goes wrong over real sockets too.

use chaos::{Scenario, live::run, measure::Outcome, policy::Name, scenario::Folder};

/// Both instances are gone for a while, and come back.
const SCENARIO: &str = r#"
purpose = "death and return"
engines = ["live"]
duration_s = 2
deadline_ms = 300

[[service]]
name = "M"
instances = 2
workers = 8
service_ms = 5
distribution = "constant"
PROTOCOL

[[business]]
name = "task"
entry = "M"

[[load]]
tasks_per_s = 100

[[fault]]
kind = "dead"
service = "M"
at_s = 0.7
lasts_s = 0.6
"#;

/// Returns the tasks that came in these bins, and those that succeeded.
fn tasks(outcome: &Outcome, bins: std::ops::Range<usize>) -> (u32, u32) {
    let counts = &outcome.businesses[0];
    let sum = |counts: &[u32]| counts[bins.clone()].iter().sum();
    (sum(&counts.offered), sum(&counts.good))
}

#[test]
fn the_dead_answer_nobody_and_come_back() {
    for protocol in ["http", "grpc"] {
        let text = SCENARIO.replace("PROTOCOL", &format!("protocol = {protocol:?}"));
        let scenario = Scenario::parse("dead.toml", &text, Folder::BuiltIn).unwrap();
        let outcome = run(&scenario, Name::None, 5).unwrap();
        let (before, alive) = tasks(&outcome, 0..5);
        assert!(
            alive >= before - before / 10,
            "{protocol}: {alive} of {before} before"
        );
        let (meanwhile, dead) = tasks(&outcome, 8..12);
        assert!(meanwhile > 20, "{protocol}: {meanwhile} came");
        assert_eq!(dead, 0, "{protocol}: of {meanwhile} while dead");
        let (after, back) = tasks(&outcome, 15..20);
        assert!(
            back >= after - after / 10,
            "{protocol}: {back} of {after} after"
        );
    }
}
