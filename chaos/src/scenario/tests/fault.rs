//! What goes wrong.

use super::check;

#[test]
fn faults() {
    check(CASES);
}

/// What is replaced, by what, and what is said of it.
const CASES: &[(&str, &str, &[&str])] = &[
    (
        r#"kind = "slow""#,
        "",
        &[
            r#"28: [[fault]] without kind, expected one of "slow", "capacity-loss", "dead", "pause", "delay", "partition", "level-lost", "level-forged", "clock-jump", "hot-key", "cold-restart", "deploy-wave""#,
        ],
    ),
    (
        r#"kind = "slow""#,
        r#"kind = "slower""#,
        &[
            r#"29: kind = "slower", expected one of "slow", "capacity-loss", "dead", "pause", "delay", "partition", "level-lost", "level-forged", "clock-jump", "hot-key", "cold-restart", "deploy-wave""#,
        ],
    ),
    (
        r#"kind = "slow""#,
        r#"kind = "dead""#,
        &[r#"32: speed = 0.5, expected only where kind is "slow" or "capacity-loss""#],
    ),
    (
        "at_s = 30",
        "at_s = 60",
        &["30: at_s = 60, expected less than duration_s (60)"],
    ),
    (
        "speed = 0.5",
        "speed = 0",
        &["32: speed = 0, expected a number, 0.001 to 100"],
    ),
    (
        "speed = 0.5",
        "speed = 0.5\ninstances = [3]",
        &["33: instances = [3], expected instances of M: 0 to 2"],
    ),
    (
        "speed = 0.5",
        "speed = 0.5\ninstances = [1, 1]",
        &[
            "33: instances = [1, 1], expected a list of whole numbers, each 0 to 99999, at least one and each once",
        ],
    ),
    (
        "speed = 0.5",
        "speed = 0.5\ninstances = 1",
        &["33: instances = 1, expected a list of whole numbers, each 0 to 99999"],
    ),
    (
        "speed = 0.5",
        r#"speed = 0.5
from = "A""#,
        &[
            r#"33: from = "A", expected only where kind is "delay" or "partition" or "level-lost" or "level-forged""#,
        ],
    ),
    (
        r#"kind = "slow"
at_s = 30
service = "M"
speed = 0.5"#,
        r#"kind = "partition"
at_s = 30
service = "M"
from = "M""#,
        &[r#"32: from = "M", expected a service that calls M"#],
    ),
    (
        r#"kind = "slow"
at_s = 30
service = "M"
speed = 0.5"#,
        r#"kind = "hot-key"
at_s = 30
service = "M"
share = 0.5"#,
        &[r#"31: service = "M", expected where tasks enter: the entry of a business"#],
    ),
    (
        r#"kind = "slow"
at_s = 30
service = "M"
speed = 0.5"#,
        r#"kind = "cold-restart"
at_s = 30
service = "M"
cold_speed = 0.5
warm_s = 3"#,
        &["28: [[fault]] without lasts_s, expected a number, 0.001 to 86400"],
    ),
    (
        r#"kind = "slow"
at_s = 30
service = "M"
speed = 0.5"#,
        r#"kind = "deploy-wave"
at_s = 30
service = "M"
down_s = 0.5
every_s = 15"#,
        &[
            "33: every_s = 15, expected so little that the last restart, at 60 s, is before duration_s (60)",
        ],
    ),
];
