use std::{collections::BTreeSet, ffi::OsString, time::Duration};

use super::*;
use crate::{
    config::{Concurrency, Mode, env::name_of, read::keys},
    control::Constants,
};

fn env_faults(variables: &[(&str, &str)]) -> Vec<String> {
    lines(&Settings::from_env(variables.iter().copied()).unwrap_err())
}

#[test]
fn nothing_is_the_default() {
    let none: [(String, String); 0] = [];
    assert_eq!(Settings::from_env(none).unwrap(), Settings::default());
    assert_eq!(
        Settings::from_env([("PATH", "/bin")]).unwrap(),
        Settings::default()
    );
}

#[test]
fn every_key_has_a_name_of_its_own() {
    let names: BTreeSet<String> = keys().map(name_of).collect();
    assert_eq!(names.len(), keys().count());
}

#[test]
fn reads_every_kind_of_value() {
    let settings = Settings::from_env([
        ("DAGOR_MODE", "observe"),
        ("DAGOR_LAW", "swift"),
        ("DAGOR_THRESHOLD_MS", " 40 "),
        ("DAGOR_MOST_REQUESTS", "500"),
        ("DAGOR_CONCURRENCY_KIND", "fixed"),
        ("DAGOR_CONCURRENCY_PERMITS", "16"),
        ("DAGOR_EXEMPT", "/health, /metrics,"),
        ("DAGOR_REFUSAL_STATUS", "429"),
        ("DAGOR_REFUSAL_BODY", ""),
        ("DAGOR_REFUSAL_RETRY_AFTER_SECONDS", "2, 4.5"),
    ])
    .unwrap();
    let expected = Constants {
        threshold: Duration::from_millis(40),
        most_requests: 500,
        ..Constants::swift()
    };
    assert_eq!(settings.mode, Mode::Observe);
    assert_eq!(settings.constants, expected);
    assert_eq!(
        settings.concurrency,
        Concurrency::Fixed(16.try_into().unwrap())
    );
    assert_eq!(settings.exempt, ["/health", "/metrics"]);
    assert_eq!(settings.refusal.status, 429);
    assert_eq!(settings.refusal.body, "");
    let bounds = (Duration::from_secs(2), Duration::from_millis(4_500));
    assert_eq!(settings.refusal.retry_after, bounds);
}

#[test]
fn reports_every_fault_under_the_name_of_its_variable() {
    assert_eq!(
        env_faults(&[
            ("DAGOR_TRESHOLD_MS", "40"),
            ("DAGOR_WINDOW_MS", ""),
            ("DAGOR_MOST_REQUESTS", "1e3"),
            ("DAGOR_SLOTS", "nan"),
            ("DAGOR_MODE", "Off"),
            ("DAGOR_LONGEST_WINDOW_MS", "50"),
            ("DAGOR_CONCURRENCY_PERMITS", "3"),
            ("DAGOR_SLOTS", "3"),
            ("DAGOR_BUSINESS", "/login=0"),
        ]),
        [
            "environment: DAGOR_TRESHOLD_MS = \"40\", expected a known key, perhaps DAGOR_THRESHOLD_MS",
            "environment: DAGOR_WINDOW_MS = \"\", expected a number, 10 to 10000 ms",
            "environment: DAGOR_MOST_REQUESTS = \"1e3\", expected a whole number, 1 to 10000000",
            "environment: DAGOR_SLOTS = NaN, expected 0 to 10",
            "environment: DAGOR_MODE = \"Off\", expected one of \"enforce\", \"observe\", \"off\"",
            "environment: DAGOR_LONGEST_WINDOW_MS = 50, expected at least DAGOR_WINDOW_MS (100)",
            "environment: DAGOR_CONCURRENCY_PERMITS = \"3\", expected only where \
             DAGOR_CONCURRENCY_KIND is \"fixed\"",
            "environment: DAGOR_SLOTS = \"3\", expected each variable once",
            "environment: DAGOR_BUSINESS = \"/login=0\", expected a known key",
        ]
    );
}

#[cfg(unix)]
#[test]
fn what_is_not_unicode_is_a_fault_only_where_it_matters() {
    use std::os::unix::ffi::OsStringExt;

    let odd = || OsString::from_vec(vec![b'a', 0xff]);
    let name = OsString::from("DAGOR_MODE");
    let error = Settings::from_env([(name, odd())]).unwrap_err();
    assert!(lines(&error)[0].ends_with("expected Unicode"), "{error}");
    assert!(Settings::from_env([(odd(), odd())]).is_ok());
}

#[test]
fn environment_goes_over_the_file() {
    let file = parse(
        "threshold_ms = 30\nslots = 2\n[concurrency]\nkind = \"fixed\"\npermits = 4\n\
         [business]\n\"/login\" = 0\n",
    )
    .unwrap();
    let over = [
        ("DAGOR_THRESHOLD_MS", "50"),
        ("DAGOR_CONCURRENCY_PERMITS", "8"),
    ];
    let both = file.clone().with_env(over).unwrap();
    assert_eq!(both.businesses, file.businesses);
    assert_eq!(both.settings.constants.threshold, Duration::from_millis(50));
    assert!((both.settings.constants.slots - 2.0).abs() < f64::EPSILON);
    assert_eq!(
        both.settings.concurrency,
        Concurrency::Fixed(8.try_into().unwrap())
    );

    let law = file.with_env([("DAGOR_LAW", "paper")]).unwrap();
    assert_eq!(law.settings.constants, Constants::paper());
}
