//! Load.

use super::check;

#[test]
fn loads() {
    check(CASES);
}

/// What is replaced, by what, and what is said of it.
const CASES: &[(&str, &str, &[&str])] = &[
    (
        r#"entry = "A""#,
        r#"entry = "A"
share = 0"#,
        &[
            "26: [[load]] without business, expected the name of a business, because all of them have share = 0",
        ],
    ),
    (
        "[[load]]\ntimes_capacity = 2",
        "",
        &["1: a file without [[load]], expected at least one: what comes when"],
    ),
    (
        "times_capacity = 2",
        "",
        &[
            "25: [[load]] without tasks_per_s, expected a number, 0.001 to 10000000, or times_capacity",
        ],
    ),
    (
        "times_capacity = 2",
        "times_capacity = 2\ntasks_per_s = 2",
        &["26: times_capacity = 2, expected only one of tasks_per_s and times_capacity"],
    ),
    (
        "times_capacity = 2",
        "tasks_per_s = 0",
        &["26: tasks_per_s = 0, expected a number, 0.001 to 10000000"],
    ),
    (
        "times_capacity = 2",
        "tasks_per_s = 1e7",
        &["1: the scenario, expected at most 100000000 tasks in a run, not 600000000"],
    ),
    (
        "times_capacity = 2",
        r#"tasks_per_s = 1e6
shape = "ramp"
factor = 100"#,
        &[
            "1: the scenario, expected at most 100000000 tasks in a run, not 6000000000",
            "26: tasks_per_s = 1e6, expected at most 10000000 tasks a second at its height, not 100000000",
        ],
    ),
    (
        "times_capacity = 2",
        "times_capacity = 2\nuntil_s = 70",
        &["27: until_s = 70, expected at most duration_s (60)"],
    ),
    (
        "times_capacity = 2",
        "times_capacity = 2\nuntil_s = 0",
        &["27: until_s = 0, expected more than from_s (0)"],
    ),
    (
        "times_capacity = 2",
        "times_capacity = 2\nfrom_s = 50\nuntil_s = 40",
        &["27: from_s = 50, expected less than until_s (40)"],
    ),
    (
        "times_capacity = 2",
        "times_capacity = 2\nfrom_s = 60",
        &["27: from_s = 60, expected less than until_s (60)"],
    ),
    (
        "times_capacity = 2",
        r#"times_capacity = 2
shape = "step""#,
        &[
            "25: [[load]] without at_s, expected a number, 0 to 86400",
            "25: [[load]] without factor, expected a number, 0 to 10000",
        ],
    ),
    (
        "times_capacity = 2",
        r#"times_capacity = 2
shape = "step"
at_s = 60
factor = 2"#,
        &[
            "28: at_s = 60, expected less than the 60 s that the load lasts: at_s counts from from_s",
        ],
    ),
    (
        "times_capacity = 2",
        r#"times_capacity = 2
shape = "bursts"
length_s = 5
every_s = 5
factor = 2"#,
        &["28: length_s = 5, expected less than every_s (5)"],
    ),
    (
        "times_capacity = 2",
        r#"times_capacity = 2
shape = "replay"
bin_s = 1
file = "x.csv""#,
        &[
            r#"26: times_capacity = 2, expected only where shape is not "replay""#,
            r#"29: file = "x.csv", expected a file that is built in"#,
        ],
    ),
    (
        "times_capacity = 2",
        r#"times_capacity = 2
business = "tasks""#,
        &[r#"27: business = "tasks", expected the name of a business, perhaps "task""#],
    ),
    (
        "times_capacity = 2",
        "times_capacity = 2\nat_s = 3",
        &[r#"27: at_s = 3, expected only where shape is "step" or "flash-crowd""#],
    ),
    (
        "service_ms = 40",
        "service_ms = 0",
        &[
            "26: times_capacity = 2, expected tasks_per_s instead, because no service has a capacity",
        ],
    ),
];
