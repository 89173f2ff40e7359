//! `[[service]]`.

use crate::scenario::key::{Key, Range, Takes};

super::keys! {
    NAME = Key::required("name", Takes::Name);
    INSTANCES = Key::whole("instances", 1.0, 100_000.0, 1.0);
    WORKERS = Key::optional("workers", Takes::WholeOrUnlimited(Range::new(1.0, 1e6)), "10");
    SERVICE = Key::required("service_ms", Takes::Number(Range::new(0.0, 60_000.0)))
        .only(&["exponential", "constant", "bimodal", "lognormal"]);
    DISTRIBUTION = Key::word(
        "distribution",
        &["exponential", "constant", "bimodal", "lognormal", "trace"],
        "exponential",
    );
    SIGMA = Key::required("sigma", Takes::Number(Range::new(0.0, 4.0))).only(&["lognormal"]);
    TRACE = Key::required("trace", Takes::File).only(&["trace"]);
    QUEUE = Key::optional("queue", Takes::Whole(Range::new(0.0, 1e6)), "no bound");
    PROTECTED = Key::flag("protected", true);
    SPEEDS = Key::optional("speeds", Takes::Numbers(Range::new(0.01, 100.0)), "1 for each");
    CPU_SHARE = Key::number("cpu_share", 0.0, 1.0, 0.01);
    PROTOCOL = Key::word("protocol", &["http", "grpc"], "http");
    QUOTA = Key::optional("quota_per_s", Takes::Number(Range::new(0.1, 1e6)), "none");
}
