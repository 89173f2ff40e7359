//! Criteria and published figures.

use super::check;

#[test]
fn criteria_and_published_figures() {
    check(CASES);
}

/// What is replaced, by what, and what is said of it.
const CASES: &[(&str, &str, &[&str])] = &[
    (
        "at_least = 0.9",
        "at_least = 1.1",
        &["37: at_least = 1.1, expected 0 to 1.05, a share of the optimum"],
    ),
    (
        "at_least = 0.9",
        "",
        &["34: [[criterion]] without at_least, expected a number, 0 to 1000000000, or at_most"],
    ),
    (
        "at_least = 0.9",
        "at_least = 0.9\nat_most = 1",
        &["38: at_most = 1, expected only one of at_least and at_most"],
    ),
    (
        "at_least = 0.9",
        r#"at_least = 0.9
business = "task""#,
        &[r#"38: business = "task", expected only where measure is "p99" or "share""#],
    ),
    (
        "at_least = 0.9",
        "at_least = 0.9\nfrom_s = 60",
        &["38: from_s = 60, expected less than until_s (60)"],
    ),
    (
        "at_least = 0.9",
        r#"at_least = 0.9
policies = ["acc"]"#,
        &[r#"38: policies = ["acc"], expected policies that are run, which acc is not"#],
    ),
    (
        r#"measure = "goodput"
at_least = 0.9"#,
        r#"measure = "share"
at_least = 0.9"#,
        &["34: [[criterion]] without business, expected the name of a business"],
    ),
    (
        r#"measure = "goodput"
at_least = 0.9"#,
        r#"measure = "share"
at_least = 1.5
business = "task""#,
        &["37: at_least = 1.5, expected 0 to 1, a share"],
    ),
    (
        r#"measure = "goodput"
at_least = 0.9"#,
        r#"measure = "fairness"
at_most = 0.9"#,
        &["37: at_most = 0.9, expected 1 to 1000000000, the highest by the lowest"],
    ),
    (
        r#"measure = "goodput"
at_least = 0.9"#,
        r#"measure = "p99"
at_most = 600"#,
        &["37: at_most = 600, expected 0 to 500, no more than deadline_ms"],
    ),
    (
        r#"measure = "goodput"
at_least = 0.9"#,
        r#"measure = "recovery"
at_most = 41"#,
        &["37: at_most = 41, expected 0 to 40, within the window"],
    ),
    (
        r#"measure = "goodput"
at_least = 0.9"#,
        r#"measure = "mean-wait"
at_most = 41"#,
        &["34: [[criterion]] without service, expected the name of a service"],
    ),
    (
        r#"measure = "goodput"
at_least = 0.9"#,
        r#"measure = "share"
business = "task"
every_second = true
at_least = 0.5
from_s = 59.5"#,
        &["34: [[criterion]] without until_s, expected at least 1 s after from_s"],
    ),
    (
        "[[criterion]]",
        r#"[[criterion]]
name = "works"
measure = "goodput"
at_least = 0.9
[[criterion]]"#,
        &[r#"39: name = "works", expected a name that no other criterion has"#],
    ),
    (
        "[[criterion]]",
        r#"[[published]]
policy = "dagor"
what = "x"
value = nan
measure = "goodput"
[[criterion]]"#,
        &["37: value = nan, expected a number, -1000000000000 to 1000000000000"],
    ),
    (
        "[[criterion]]",
        "[[published]]\n[[criterion]]",
        &[
            "34: [[published]] without policy, expected one of {policies}",
            "34: [[published]] without what, expected a text of one line, 1 to 300 characters",
            "34: [[published]] without value, expected a number, -1000000000000 to 1000000000000",
            r#"34: [[published]] without measure, expected one of "goodput", "p99", "share", "recovery", "wasted", "refused-at-caller", "mean-wait", "fairness", "amplification", "sheds-from""#,
        ],
    ),
    (
        "[[criterion]]",
        r#"[quick]
policies = ["acc"]
[[criterion]]"#,
        &[r#"35: policies = ["acc"], expected policies that are run, which acc is not"#],
    ),
];
