//! `[[load]]`.

use crate::scenario::key::{Key, Range, Takes};

super::keys! {
    BUSINESS = Key::optional("business", Takes::Business, "drawn by the shares");
    FROM = Key::number("from_s", 0.0, 86_400.0, 0.0);
    UNTIL = Key::optional("until_s", SECONDS, "duration_s");
    TASKS = Key::optional(
        "tasks_per_s",
        Takes::Number(Range::new(0.001, 1e7)),
        "this or times_capacity",
    )
    .only(RATED);
    TIMES_CAPACITY = Key::optional(
        "times_capacity",
        Takes::Number(Range::new(0.001, 1_000.0)),
        "this or tasks_per_s",
    )
    .only(RATED);
    SHAPE = Key::word(
        "shape",
        &["steady", "step", "ramp", "sinusoid", "bursts", "flash-crowd", "replay"],
        "steady",
    );
    AT = Key::required("at_s", SECONDS).only(&["step", "flash-crowd"]);
    FACTOR = Key::optional(
        "factor",
        Takes::Number(Range::new(0.0, 10_000.0)),
        "required, but 1 for \"replay\"",
    )
    .only(&["step", "ramp", "bursts", "flash-crowd", "replay"]);
    AMPLITUDE = Key::required("amplitude", Takes::Number(Range::new(0.0, 1.0)))
        .only(&["sinusoid"]);
    PERIOD = Key::required("period_s", LENGTH).only(&["sinusoid"]);
    LENGTH_OF_BURST = Key::required("length_s", LENGTH).only(&["bursts"]);
    EVERY = Key::required("every_s", LENGTH).only(&["bursts"]);
    RISE = Key::required("rise_s", SECONDS).only(&["flash-crowd"]);
    HOLD = Key::required("hold_s", SECONDS).only(&["flash-crowd"]);
    FALL = Key::required("fall_s", SECONDS).only(&["flash-crowd"]);
    FILE = Key::required("file", Takes::File).only(&["replay"]);
    BIN = Key::required("bin_s", LENGTH).only(&["replay"]);
}

/// The shapes that have a rate of their own.
const RATED: &[&str] = &[
    "steady",
    "step",
    "ramp",
    "sinusoid",
    "bursts",
    "flash-crowd",
];

const SECONDS: Takes = Takes::Number(Range::new(0.0, 86_400.0));

/// What something is divided by.
const LENGTH: Takes = Takes::Number(Range::new(0.01, 86_400.0));
