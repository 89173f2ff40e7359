//! What is wrong with the text as such.

use super::check;

#[test]
fn the_text_and_its_sections() {
    check(CASES);
}

/// What is replaced, by what, and what is said of it.
const CASES: &[(&str, &str, &[&str])] = &[
    (
        r#"measured = "M""#,
        r#"measured = "M"
measured = "A""#,
        &["5: measured, expected each key once"],
    ),
    (
        "warm_up_s = 20",
        "warm_up_s = ",
        &["3: warm_up_s =, expected TOML: string values must be quoted, expected literal string"],
    ),
    (
        "[[load]]",
        "[[laod]]",
        &["25: [[laod]], expected a known section, perhaps [[load]]"],
    ),
    ("[[load]]", "[load]", &["25: [load], expected [[load]]"]),
    (
        "[[load]]",
        "[quick.x]\n[[load]]",
        &["25: x = [quick.x], expected a known key"],
    ),
    (
        "purpose",
        "call = 3\npurpose",
        &[
            "1: call = 3, expected [[call]]",
            "17: call, expected each key once",
        ],
    ),
    (
        "purpose",
        "call = [3]\npurpose",
        &[
            "1: call = 3, expected [[call]]",
            "17: call, expected each key once",
        ],
    ),
    (
        "purpose",
        "foo = {a = 1}\npurpose",
        &["1: foo = {a = 1}, expected a known section"],
    ),
    (
        "purpose",
        "quick = 1\npurpose",
        &["1: quick = 1, expected [quick]"],
    ),
    (
        "calls = [1, 2]",
        "calls = 2\n[[x.y]]",
        &["20: x, expected a known section"],
    ),
];
