//! `[[criterion]]`.

use crate::scenario::key::{Key, Range, Takes};

super::keys! {
    NAME = Key::required("name", Takes::Text);
    FROM = Key::optional("from_s", SECONDS, "warm_up_s");
    UNTIL = Key::optional("until_s", SECONDS, "duration_s");
    POLICIES = Key::optional("policies", Takes::Policies, "[\"dagor\"]");
    MEASURE = Key::required(
        "measure",
        Takes::Word(&[
            "goodput",
            "p99",
            "share",
            "recovery",
            "wasted",
            "refused-at-caller",
            "mean-wait",
            "fairness",
            "amplification",
            "sheds-from",
        ]),
    );
    AT_LEAST = Key::optional("at_least", BOUND, "this or at_most");
    AT_MOST = Key::optional("at_most", BOUND, "this or at_least");
    BUSINESS = Key::optional(
        "business",
        Takes::Business,
        "all; required with \"share\"",
    )
    .only(&["p99", "share"]);
    SERVICE = Key::required("service", Takes::Service).only(&["mean-wait"]);
    EVERY_SECOND = Key::flag("every_second", false).only(&["share"]);
    OF_OPTIMUM = Key::number("of_optimum", 0.0, 1.0, 0.95).only(&["recovery"]);
    SHARE = Key::number("share", 0.001, 1.0, 0.02).only(&["sheds-from"]);
}

const SECONDS: Takes = Takes::Number(Range::new(0.0, 86_400.0));

/// What a measure can reach at all is checked where it is known.
const BOUND: Takes = Takes::Number(Range::new(0.0, 1e9));
