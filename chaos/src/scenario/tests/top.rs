//! Above all sections.

use super::check;

#[test]
fn keys_above_all_sections() {
    check(CASES);
}

/// What is replaced, by what, and what is said of it.
const CASES: &[(&str, &str, &[&str])] = &[
    (
        r#"purpose = "a test"
"#,
        "",
        &["1: a file without purpose, expected a text of one line, 1 to 300 characters"],
    ),
    (
        r#""a test""#,
        r#""""#,
        &[r#"1: purpose = "", expected a text of one line, 1 to 300 characters"#],
    ),
    (
        r#""a test""#,
        r#""two\nlines""#,
        &[r#"1: purpose = "two\nlines", expected a text of one line, 1 to 300 characters"#],
    ),
    (
        r#"purpose = "a test""#,
        "purpose = 3",
        &["1: purpose = 3, expected a text of one line, 1 to 300 characters"],
    ),
    (
        "purpose",
        "purpos",
        &[
            r#"1: purpos = "a test", expected a known key, perhaps purpose"#,
            "1: a file without purpose, expected a text of one line, 1 to 300 characters",
        ],
    ),
    (
        "duration_s",
        "duration",
        &["2: duration = 60, expected a known key, perhaps duration_s"],
    ),
    (
        "duration_s = 60",
        "duration_s = 0",
        &["2: duration_s = 0, expected a number, 1 to 86400"],
    ),
    (
        "duration_s = 60",
        "duration_s = nan",
        &["2: duration_s = nan, expected a number, 1 to 86400"],
    ),
    (
        "duration_s = 60",
        "duration_s = inf",
        &["2: duration_s = inf, expected a number, 1 to 86400"],
    ),
    (
        "duration_s = 60",
        "duration_s = 1e30",
        &["2: duration_s = 1e30, expected a number, 1 to 86400"],
    ),
    (
        "duration_s = 60",
        "duration_s = 99999999999999999999",
        &["2: duration_s = 99999999999999999999, expected a number, 1 to 86400"],
    ),
    (
        "warm_up_s = 20",
        "warm_up_s = 60",
        &["3: warm_up_s = 60, expected less than duration_s (60)"],
    ),
    (
        "warm_up_s = 20",
        "seed = -1",
        &["3: seed = -1, expected a whole number, 0 to 1000000000000000"],
    ),
    (
        "warm_up_s = 20",
        "seed = 1.5",
        &["3: seed = 1.5, expected a whole number, 0 to 1000000000000000"],
    ),
    (
        "warm_up_s = 20",
        "engines = []",
        &[r#"3: engines = [], expected a list of "sim", "live", at least one and each once"#],
    ),
    (
        "warm_up_s = 20",
        r#"engines = ["sim", "sim"]"#,
        &[
            r#"3: engines = ["sim", "sim"], expected a list of "sim", "live", at least one and each once"#,
        ],
    ),
    (
        "warm_up_s = 20",
        r#"engines = ["simm"]"#,
        &[r#"3: engines = ["simm"], expected a list of "sim", "live""#],
    ),
    (
        "warm_up_s = 20",
        r#"engines = "sim""#,
        &[r#"3: engines = "sim", expected a list of "sim", "live""#],
    ),
    (
        "warm_up_s = 20",
        r#"policies = ["dagr", "none"]"#,
        &[
            r#"3: policies = ["dagr", "none"], expected a list of {policies}, which "dagr" is not, perhaps "dagor""#,
        ],
    ),
    (
        "warm_up_s = 20",
        r#"policies = ["dagor", "acc"]"#,
        &[
            r#"3: policies = ["dagor", "acc"], expected policies that virtual time can run, or "live" among engines for acc"#,
        ],
    ),
    (
        "warm_up_s = 20",
        r#"policies = ["none"]"#,
        &[
            r#"34: [[criterion]] without policies, expected policies that are run, which the default, "dagor", is not"#,
        ],
    ),
    (
        "warm_up_s = 20",
        "policies = []",
        &["3: policies = [], expected a list of {policies}, at least one and each once"],
    ),
    (
        "warm_up_s = 20",
        "hang_up = 1",
        &["3: hang_up = 1, expected true or false"],
    ),
    (
        "warm_up_s = 20",
        "calendar = 2026-11-30",
        &["3: calendar = 2026-11-30, expected a moment such as 2026-11-30T08:00:00Z, 1971 to 2099"],
    ),
    (
        r#"measured = "M""#,
        r#"measured = "MM""#,
        &[r#"4: measured = "MM", expected the name of a service"#],
    ),
    (
        "warm_up_s = 20",
        "instances = 20",
        &["3: instances = 20, expected a known key; this one belongs in [[service]]"],
    ),
    (
        r#"measured = "M""#,
        "deadline_ms = 'x'",
        &["4: deadline_ms = 'x', expected a number, 1 to 600000"],
    ),
];
