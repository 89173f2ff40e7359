//! Services, calls, businesses.

use super::check;

#[test]
fn services_calls_and_businesses() {
    check(CASES);
}

/// What is replaced, by what, and what is said of it.
const CASES: &[(&str, &str, &[&str])] = &[
    (
        r#"name = "A"
"#,
        "",
        &[
            "6: [[service]] without name, expected 1 to 40 letters, digits, - _ or ., of which the first is a letter or digit",
        ],
    ),
    (
        r#"name = "A""#,
        r#"name = "A b""#,
        &[
            r#"7: name = "A b", expected 1 to 40 letters, digits, - _ or ., of which the first is a letter or digit"#,
        ],
    ),
    (
        r#"name = "A""#,
        r#"name = "M""#,
        &[r#"12: name = "M", expected a name that no other has"#],
    ),
    (
        r#"name = "A""#,
        r#"name = "<script>""#,
        &[
            r#"7: name = "<script>", expected 1 to 40 letters, digits, - _ or ., of which the first is a letter or digit"#,
        ],
    ),
    (
        "instances = 3",
        "instances = 0",
        &["13: instances = 0, expected a whole number, 1 to 100000"],
    ),
    (
        "instances = 3",
        "instances = 3.0",
        &["13: instances = 3.0, expected a whole number, 1 to 100000"],
    ),
    (
        "instances = 3",
        "workers = 0",
        &[r#"13: workers = 0, expected a whole number, 1 to 1000000, or "unlimited""#],
    ),
    (
        "instances = 3",
        r#"workers = "many""#,
        &[r#"13: workers = "many", expected a whole number, 1 to 1000000, or "unlimited""#],
    ),
    (
        "service_ms = 40",
        "service_ms = -1",
        &["14: service_ms = -1, expected a number, 0 to 60000"],
    ),
    (
        "service_ms = 40",
        "",
        &["11: [[service]] without service_ms, expected a number, 0 to 60000"],
    ),
    (
        "service_ms = 40",
        r#"distribution = "lognormal"
service_ms = 40"#,
        &["11: [[service]] without sigma, expected a number, 0 to 4"],
    ),
    (
        "service_ms = 40",
        r#"distribution = "normal"
service_ms = 40"#,
        &[
            r#"14: distribution = "normal", expected one of "exponential", "constant", "bimodal", "lognormal", "trace""#,
        ],
    ),
    (
        "service_ms = 40",
        "service_ms = 40\nsigma = 1",
        &[r#"15: sigma = 1, expected only where distribution is "lognormal""#],
    ),
    (
        "service_ms = 40",
        r#"distribution = "trace""#,
        &["11: [[service]] without trace, expected a file beside this one or in a folder there"],
    ),
    (
        "service_ms = 40",
        r#"distribution = "trace"
trace = "none.csv""#,
        &[r#"15: trace = "none.csv", expected a file that is built in"#],
    ),
    (
        "service_ms = 40",
        r#"distribution = "trace"
trace = "../none.csv""#,
        &[r#"15: trace = "../none.csv", expected a file beside this one or in a folder there"#],
    ),
    (
        "service_ms = 40",
        r#"distribution = "trace"
trace = "/etc/passwd""#,
        &[r#"15: trace = "/etc/passwd", expected a file beside this one or in a folder there"#],
    ),
    (
        "service_ms = 40",
        "service_ms = 40\nspeeds = [1, 1, 1, 1]",
        &["15: speeds = [1, 1, 1, 1], expected 1 to 3 speeds, one an instance"],
    ),
    (
        "service_ms = 40",
        "service_ms = 40\nspeeds = [0]",
        &["15: speeds = [0], expected a list of numbers, each 0.01 to 100"],
    ),
    (
        "service_ms = 40",
        "service_ms = 40\nspeeds = []",
        &["15: speeds = [], expected 1 to 3 speeds, one an instance"],
    ),
    (
        "service_ms = 40",
        r#"service_ms = 40
protocol = "http2""#,
        &[r#"15: protocol = "http2", expected one of "http", "grpc""#],
    ),
    (
        "service_ms = 40",
        "service_ms = 40\nquota_per_s = 0",
        &["15: quota_per_s = 0, expected a number, 0.1 to 1000000"],
    ),
    (
        "service_ms = 40",
        "service_ms = 40\ndeadline_ms = 3",
        &["15: deadline_ms = 3, expected a known key; this one belongs above all sections"],
    ),
    (
        "service_ms = 40",
        "service_ms = 40\nretries = 3",
        &["15: retries = 3, expected a known key; this one belongs in [[call]]"],
    ),
    (
        "calls = [1, 2]",
        "calls = 0",
        &["19: calls = 0, expected a whole number, 1 to 1000, or a list of such"],
    ),
    (
        "calls = [1, 2]",
        "calls = []",
        &["19: calls = [], expected a whole number, 1 to 1000, or a list of such"],
    ),
    (
        "calls = [1, 2]",
        "calls = [1, 0]",
        &["19: calls = [1, 0], expected a whole number, 1 to 1000, or a list of such"],
    ),
    (
        "calls = [1, 2]",
        "probability = 1.5",
        &["19: probability = 1.5, expected a number, 0 to 1"],
    ),
    (
        "calls = [1, 2]",
        "backoff_ms = 5",
        &["19: backoff_ms = 5, expected only with retries of at least 1"],
    ),
    (
        "calls = [1, 2]",
        r#"businesses = ["tsk"]"#,
        &[
            r#"19: businesses = ["tsk"], expected a list of names of businesses, which "tsk" is not, perhaps "task""#,
        ],
    ),
    (
        "calls = [1, 2]",
        "businesses = []",
        &[
            "19: businesses = [], expected a list of names of businesses, at least one and each once",
        ],
    ),
    (
        r#"to = "M""#,
        r#"to = "A""#,
        &[
            r#"12: name = "M", expected a service that tasks get to: an entry, or one that is called"#,
            r#"18: to = "A", expected no cycle: A -> A"#,
        ],
    ),
    (
        r#"to = "M""#,
        r#"to = "N""#,
        &[r#"18: to = "N", expected the name of a service"#],
    ),
    (
        r#"from = "A"
"#,
        "",
        &["16: [[call]] without from, expected the name of a service"],
    ),
    (
        "[[call]]",
        r#"[[call]]
from = "M"
to = "A"
[[call]]"#,
        &[r#"18: to = "A", expected no cycle: A -> M -> A"#],
    ),
    (
        "[[call]]",
        r#"[[service]]
name="B"
service_ms = 1
[[call]]"#,
        &[
            r#"17: name = "B", expected a service that tasks get to: an entry, or one that is called"#,
        ],
    ),
    (
        r#"entry = "A""#,
        r#"entry = "A"
share = 1.2"#,
        &["24: share = 1.2, expected a number, 0 to 1"],
    ),
    (
        r#"entry = "A""#,
        r#"entry = "A"
number = 256"#,
        &["24: number = 256, expected a whole number, 0 to 255"],
    ),
    (
        r#"entry = "A""#,
        "",
        &["21: [[business]] without entry, expected the name of a service"],
    ),
    (
        r#"entry = "A""#,
        r#"entry = "A"
[[business]]
name = "x"
share = 0
entry = "A""#,
        &[r#"25: name = "x", expected a business that some load brings"#],
    ),
    (
        "[[business]]",
        r#"[[business]]
name = "task"
entry = "A"
[[business]]"#,
        &[r#"25: name = "task", expected a name that no other has"#],
    ),
    (
        "[[criterion]]",
        r#"[generated]
kind = "wechat"
services = 100
instances = 50
[[criterion]]"#,
        &[
            "6: [[service]], expected no such section beside [generated]",
            "11: [[service]], expected no such section beside [generated]",
            "16: [[call]], expected no such section beside [generated]",
            "21: [[business]], expected no such section beside [generated]",
            "37: instances = 50, expected at least services (100)",
        ],
    ),
];
