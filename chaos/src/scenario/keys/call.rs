//! `[[call]]`.

use crate::scenario::key::{Key, Range, Takes};

super::keys! {
    FROM = Key::required("from", Takes::Service);
    TO = Key::required("to", Takes::Service);
    CALLS = Key::optional("calls", Takes::WholeOrWholes(Range::new(1.0, 1_000.0)), "1");
    PARALLEL = Key::flag("parallel", false);
    CANCEL = Key::flag("cancel", true);
    REQUIRED = Key::flag("required", true);
    PROBABILITY = Key::number("probability", 0.0, 1.0, 1.0);
    TIMEOUT = Key::optional(
        "timeout_ms",
        Takes::Number(Range::new(0.1, 600_000.0)),
        "the rest of the task's time",
    );
    RETRIES = Key::whole("retries", 0.0, 10.0, 0.0);
    RETRY_BUDGET = Key::optional(
        "retry_budget",
        Takes::Number(Range::new(0.0, 1.0)),
        "none",
    );
    BACKOFF = Key::number("backoff_ms", 0.0, 60_000.0, 10.0);
    RETRY_REFUSED = Key::flag("retry_refused", false);
    BALANCE = Key::word(
        "balance",
        &["random", "two-choices", "round-robin", "by-user"],
        "random",
    );
    BUSINESSES = Key::optional("businesses", Takes::Businesses, "all");
}
