use std::{num::NonZeroUsize, time::Duration};

use super::*;
use crate::{
    config::{Adaptive, Concurrency, check_businesses},
    control::{Algorithm, Constants},
};

fn found(change: impl FnOnce(&mut Settings)) -> Vec<String> {
    let mut settings = Settings::default();
    change(&mut settings);
    lines(&settings.check().unwrap_err())
}

fn passes(change: impl FnOnce(&mut Settings)) {
    let mut settings = Settings::default();
    change(&mut settings);
    settings.check().unwrap();
}

#[test]
fn every_law_passes() {
    for constants in [
        Constants::dagor(),
        Constants::swift(),
        Constants::paper(),
        Constants::no_gate(),
    ] {
        passes(|all| all.constants = constants);
    }
    for concurrency in [
        Concurrency::Fixed(NonZeroUsize::MIN),
        Concurrency::Unlimited,
    ] {
        passes(|all| all.concurrency = concurrency);
    }
}

#[test]
fn the_ends_of_a_range_are_allowed() {
    for micros in [100, 10_000_000] {
        passes(|all| all.constants.threshold = Duration::from_micros(micros));
    }
    for nanos in [99_999, 10_000_000_001] {
        let fault = found(|all| all.constants.threshold = Duration::from_nanos(nanos));
        assert!(fault[0].ends_with("expected 0.1 to 10000 ms"), "{fault:?}");
    }
    passes(|all| all.constants.memory = 0.0);
    let fault = found(|all| all.constants.memory = 1.0);
    assert_eq!(fault, ["memory_ratio = 1, expected 0 to below 1"]);
}

#[test]
fn what_is_not_a_number_is_never_in_range() {
    let set: [fn(&mut Constants, f64); 12] = [
        |law, number| law.slots = number,
        |law, number| law.memory = number,
        |law, number| law.down = number,
        |law, number| law.margin = number,
        |law, number| law.up = number,
        |law, number| law.well_below = number,
        |law, number| law.times_well_below = number,
        |law, number| law.nearly_empty = number,
        |law, number| law.times_nearly_empty = number,
        |law, number| law.least_share = number,
        |law, number| law.steepest = number,
        |law, number| law.up_idle = number,
    ];
    for set in set {
        for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.1] {
            let faults = found(|all| set(&mut all.constants, number));
            assert!(
                faults[0].contains(&format!(" = {number}, expected ")),
                "{faults:?}"
            );
        }
    }
}

#[test]
fn values_must_go_together() {
    let ms = Duration::from_millis;
    let faults = found(|all| {
        all.constants.window = ms(200);
        all.constants.longest_window = ms(100);
        all.constants.most_requests = 5;
        all.constants.nearly_empty = 0.8;
        all.constants.algorithm = Algorithm::Proportional;
        all.constants.down = 0.4;
        all.constants.up = 0.1;
        all.longest_wait = Some(ms(10));
        all.concurrency = Concurrency::Adaptive(Adaptive {
            calm: ms(5),
            ..Adaptive::default()
        });
        all.refusal.retry_after = (ms(3_000), ms(1_000));
    });
    assert_eq!(
        faults,
        [
            "longest_window_ms = 100, expected at least window_ms (200)",
            "most_requests = 5, expected at least fewest_requests (20)",
            "most_requests = 5, expected at least fewest_samples (10)",
            "well_below_ratio = 0.75, expected at least nearly_empty_ratio (0.8)",
            "steepest_ratio = 0.3, expected at least down_ratio (0.4)",
            "up_idle_ratio = 0.05, expected at least up_ratio (0.1)",
            "longest_wait_ms = 10, expected at least threshold_ms (20)",
            "concurrency.busy_ms = 5, expected more than concurrency.calm_ms (5)",
            "refusal.retry_after_seconds = [3, 1], expected [low, high] with low not above high, \
             each 0 to 3600 s",
        ]
    );
}

#[test]
fn refusals_can_be_sent() {
    for kind in [
        "",
        "text",
        "/plain",
        "text/",
        "text/plain\r\nx: y",
        " text/plain",
        "text/plän",
    ] {
        let faults = found(|all| all.refusal.content_type = String::from(kind));
        assert!(
            faults[0].starts_with("refusal.content_type = "),
            "{kind}: {faults:?}"
        );
    }
    let faults = found(|all| all.refusal.body = "x".repeat(65_537));
    assert_eq!(
        faults,
        ["refusal.body = 65537 bytes, expected at most 65536 bytes"]
    );
    for status in [0, 200, 399, 600, u16::MAX] {
        assert_eq!(found(|all| all.refusal.status = status).len(), 1);
    }
    passes(|all| all.refusal.status = 599);
}

#[test]
fn exempt_paths_are_paths() {
    for path in ["", "*", "health", "/a*b", "/**", "/a b", "/a\n", " /a"] {
        let faults = found(|all| all.exempt = vec![String::from("/ok"), String::from(path)]);
        assert_eq!(faults.len(), 1, "{path}");
    }
    for path in ["/", "/*", "/a/b", "/grpc.health.v1.Health/*"] {
        passes(|all| all.exempt = vec![String::from(path)]);
    }
    assert_eq!(
        found(|all| all.exempt = vec![String::from("/x"); 1_025]),
        ["exempt = 1025 paths, expected at most 1024"]
    );
}

#[test]
fn permits_are_bounded() {
    let huge = NonZeroUsize::MAX;
    let faults = found(|all| all.concurrency = Concurrency::Fixed(huge));
    assert!(
        faults[0].starts_with("concurrency.permits = "),
        "{faults:?}"
    );
}

#[test]
fn businesses_are_one_to_256() {
    for count in [1, 8, 256] {
        check_businesses(count).unwrap();
    }
    let error = check_businesses(257).unwrap_err();
    assert_eq!(error.to_string(), "businesses = 257, expected 1 to 256");
    assert!(check_businesses(0).is_err());
}
