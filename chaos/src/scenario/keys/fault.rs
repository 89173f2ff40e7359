//! `[[fault]]`.

use crate::scenario::key::{Key, Range, Takes};

super::keys! {
    KIND = Key::required(
        "kind",
        Takes::Word(&[
            "slow",
            "capacity-loss",
            "dead",
            "pause",
            "delay",
            "partition",
            "level-lost",
            "level-forged",
            "clock-jump",
            "hot-key",
            "cold-restart",
            "deploy-wave",
        ]),
    );
    AT = Key::required("at_s", Takes::Number(Range::new(0.0, 86_400.0)));
    LASTS = Key::optional(
        "lasts_s",
        Takes::Number(Range::new(0.001, 86_400.0)),
        "to the end; required with \"cold-restart\"",
    )
    .only(&[
        "slow",
        "capacity-loss",
        "dead",
        "pause",
        "delay",
        "partition",
        "level-lost",
        "level-forged",
        "clock-jump",
        "hot-key",
        "cold-restart",
    ]);
    SERVICE = Key::required("service", Takes::Service);
    INSTANCES = Key::optional("instances", Takes::Wholes(Range::new(0.0, 99_999.0)), "all").only(&[
        "slow",
        "capacity-loss",
        "dead",
        "pause",
        "delay",
        "partition",
        "level-lost",
        "level-forged",
        "clock-jump",
        "cold-restart",
        "deploy-wave",
    ]);
    FROM = Key::optional("from", Takes::Service, "every caller")
        .only(&["delay", "partition", "level-lost", "level-forged"]);
    SPEED = Key::required("speed", Takes::Number(Range::new(0.001, 100.0))).only(&["slow", "capacity-loss"]);
    SHARE = Key::required("share", Takes::Number(Range::new(0.0, 1.0)))
        .only(&["level-lost", "level-forged", "hot-key"]);
    DELAY = Key::required("delay_ms", Takes::Number(Range::new(0.01, 60_000.0))).only(&["delay"]);
    SECONDS = Key::required("seconds", Takes::Number(Range::new(-31_536_000.0, 31_536_000.0)))
        .only(&["clock-jump"]);
    COLD_SPEED = Key::required("cold_speed", Takes::Number(Range::new(0.001, 1.0)))
        .only(&["cold-restart"]);
    WARM = Key::required("warm_s", Takes::Number(Range::new(0.0, 86_400.0)))
        .only(&["cold-restart"]);
    DOWN = Key::required("down_s", Takes::Number(Range::new(0.001, 86_400.0)))
        .only(&["deploy-wave"]);
    EVERY = Key::required("every_s", Takes::Number(Range::new(0.001, 86_400.0)))
        .only(&["deploy-wave"]);
}
