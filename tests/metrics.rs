//! Every metric of the table in src/metrics.rs, as Prometheus would read it.
#![cfg(all(feature = "metrics", feature = "http"))]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up must stop where it is"
)]

mod support;

use std::{collections::BTreeSet, convert::Infallible, pin::pin};

use bytes::Bytes;
use dagor::{
    Admission, Callee, Clock, Concurrency, Entry, Priority, Settings, client::BoxError,
    clock::Hand, is_withheld, metrics::Exporter, wire::DemandField,
};
use futures_util::{FutureExt as _, future::join_all};
use http::{Request, Response};
use http_body_util::Full;
use metrics_exporter_prometheus::PrometheusBuilder;
use support::{asked, call, get, ms, priority, secs, sleeper};
use tower::{Layer as _, ServiceExt as _, service_fn};

/// Does something with a recorder in place and returns what it then exports, sorted by line.
fn exported(run: impl AsyncFnOnce()) -> Vec<String> {
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    // On this thread alone, because the recorder is this thread's.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    metrics::with_local_recorder(&recorder, || runtime.block_on(run()));
    let rendered = handle.render();
    let lines = rendered.lines();
    let mut lines: Vec<_> = lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(String::from)
        .collect();
    lines.sort();
    lines
}

/// The value of one metric with exactly these labels.
fn value(lines: &[String], metric: &str) -> f64 {
    let of_metric = |line: &&String| {
        let (name, _) = line.rsplit_once(' ').unwrap();
        name == metric
    };
    let line = lines.iter().find(of_metric);
    let line = line.unwrap_or_else(|| panic!("no {metric} in {lines:#?}"));
    line.rsplit_once(' ').unwrap().1.parse().unwrap()
}

/// Checks metrics against what they must be.
#[track_caller]
fn assert_exported(lines: &[String], expected: &[(&str, f64)]) {
    for (metric, expected) in expected {
        let value = value(lines, metric);
        assert!(
            (value - expected).abs() < 1e-9,
            "{metric}: {value}, not {expected}, in {lines:#?}"
        );
    }
}

/// The different values of a label of a metric.
fn labels<'a>(lines: &'a [String], metric: &str, label: &str) -> BTreeSet<&'a str> {
    let of_metric = lines
        .iter()
        .filter(|line| line.split('{').next() == Some(metric));
    of_metric
        .filter_map(|line| {
            let (_, rest) = line.split_once(&format!("{label}=\""))?;
            Some(rest.split_once('"')?.0)
        })
        .collect()
}

fn admission(permits: usize, clock: Clock) -> Admission {
    Admission::builder("orders")
        .clock(clock)
        .concurrency(Concurrency::fixed(permits))
        .observer(Exporter::default())
        .build()
        .unwrap()
}

/// Two overloaded windows: 128 users of business 7 that waited for a second each, one job of business 0 that
/// did not, and what callers withheld.
async fn two_windows(admission: &Admission, hand: &Hand) {
    for _ in 0..2 {
        for user in 0..128 {
            drop(admission.admit(priority(7, user), secs(1)).await);
        }
        let withheld = DemandField::parse(b"5;n=120, 6;n=7").unwrap();
        admission.note_withheld(&withheld);
        let _running = admission.admit(Priority::MOST_IMPORTANT, ms(0)).await;
        hand.advance(ms(100));
        drop(admission.snapshot());
    }
}

#[test]
fn o18_demand_is_exported_per_business_whatever_was_served() {
    let lines = exported(async || {
        let (clock, hand) = Clock::manual();
        two_windows(&admission(1000, clock), &hand).await;
    });
    for (business, arrived, withheld) in [
        (0, 2.0, 0.0),
        (5, 0.0, 240.0),
        (6, 0.0, 14.0),
        (7, 256.0, 0.0),
    ] {
        let labels = format!(r#"{{service="orders",business="{business}"}}"#);
        assert_exported(
            &lines,
            &[
                (&format!("dagor_arrived_total{labels}"), arrived),
                (&format!("dagor_withheld_total{labels}"), withheld),
                (&format!("dagor_demand_total{labels}"), arrived + withheld),
            ],
        );
    }
    let businesses = labels(&lines, "dagor_demand_total", "business");
    assert_eq!(businesses, BTreeSet::from(["0", "5", "6", "7"]));
}

#[test]
fn what_a_service_did_and_saw_is_exported() {
    let lines = exported(async || {
        let (clock, hand) = Clock::manual();
        two_windows(&admission(1000, clock), &hand).await;
    });
    let shed = r#"dagor_shed_total{service="orders",business="7",reason="level"}"#;
    let shed = value(&lines, shed);
    assert!((1.0..128.0).contains(&shed), "{lines:#?}");
    let admitted = 256.0 + 2.0 - shed;
    assert_exported(
        &lines,
        &[
            (r#"dagor_admitted_total{service="orders"}"#, admitted),
            (r#"dagor_queuing_seconds_count{service="orders"}"#, admitted),
            (
                r#"dagor_queuing_seconds_sum{service="orders"}"#,
                admitted - 2.0,
            ),
            (
                r#"dagor_windows_total{service="orders",verdict="overloaded"}"#,
                2.0,
            ),
            (r#"dagor_waiting{service="orders"}"#, 0.0),
            (r#"dagor_running{service="orders"}"#, 1.0),
            (r#"dagor_permits{service="orders"}"#, 1000.0),
        ],
    );
    let level = value(&lines, r#"dagor_level_ratio{service="orders"}"#);
    assert!(level < 8.0 / 256.0, "inside business 7 or before: {level}");
    let signal = value(&lines, r#"dagor_window_queuing_seconds{service="orders"}"#);
    assert!((0.5..=1.0).contains(&signal), "{signal}");
}

#[test]
fn refusals_at_the_gate_are_exported_with_their_reason() {
    let lines = exported(async || {
        let admission = admission(1, Clock::tokio());
        let running = admission.admit(priority(1, 0), ms(0)).await.unwrap();
        // Nobody is granted anything: the queue fills, the better takes a place, the rest waits in vain.
        let calls = (0..1000).map(|_| priority(2, 0)).chain([priority(0, 0)]);
        let calls = calls.map(|priority| admission.admit(priority, ms(0)));
        for refused in join_all(calls).await {
            assert!(refused.is_err());
        }
        drop(running);
    });
    let shed = |business: u8, reason: &str| {
        let labels = format!(r#"service="orders",business="{business}",reason="{reason}""#);
        value(&lines, &format!("dagor_shed_total{{{labels}}}"))
    };
    let unimportant = [
        shed(2, "evicted"),
        shed(2, "expired"),
        shed(2, "queue_full"),
    ];
    assert!((unimportant.iter().sum::<f64>() - 1000.0).abs() < 1e-9);
    assert!((unimportant[0] - 1.0).abs() < 1e-9, "{lines:#?}");
    assert!((shed(0, "expired") - 1.0).abs() < 1e-9);
}

#[test]
fn what_an_operator_should_look_at_is_exported() {
    let lines = exported(async || {
        let (clock, hand) = Clock::manual();
        let settings = Settings {
            concurrency: Concurrency::fixed(1),
            longest_wait: Some(ms(10_000)),
            ..Settings::default()
        };
        let builder = Admission::builder("orders").clock(clock);
        let builder = builder.settings(settings).observer(Exporter::default());
        let admission = builder.build().unwrap();
        // Somebody always waits and there are never too many: the callers hold back.
        let held = admission.admit(priority(7, 0), ms(0)).await.unwrap();
        let mut waits = pin!(admission.admit(priority(7, 1), ms(0)));
        assert!((&mut waits).now_or_never().is_none());
        for _ in 0..3 {
            hand.advance(ms(1_000));
            drop(admission.snapshot());
        }
        drop(held);
        drop(waits.await);
        let service = sleeper(&admission, ms(0));
        for malformed in ["nonsense", "300, 1"] {
            let mut request = get("/");
            let headers = request.headers_mut();
            headers.insert("dagor-priority", malformed.parse().unwrap());
            drop(call(&service, request).await);
        }
    });
    assert_exported(
        &lines,
        &[
            (
                r#"dagor_advice_total{service="orders",advice="held_back"}"#,
                1.0,
            ),
            (
                r#"dagor_fields_ignored_total{service="orders",fault="malformed"}"#,
                2.0,
            ),
        ],
    );
}

#[test]
fn an_entry_exports_what_it_removed() {
    let lines = exported(async || {
        let entry = Entry::builder()
            .service("shop")
            .observer(Exporter::default())
            .build()
            .unwrap();
        let handler =
            service_fn(async |_: Request<Full<Bytes>>| Ok::<_, Infallible>(Response::new(())));
        let service = entry.layer(handler);
        for _ in 0..3 {
            let request = asked(Priority::MOST_IMPORTANT);
            let Ok(_): Result<_, Infallible> = service.clone().oneshot(request).await;
        }
    });
    let removed = r#"dagor_fields_ignored_total{service="shop",fault="untrusted"}"#;
    assert_exported(&lines, &[(removed, 3.0)]);
}

#[test]
fn a_caller_exports_levels_of_so_many_instances_and_what_it_withheld() {
    let lines = exported(async || {
        let callee = Callee::builder("payments")
            .observer(Exporter::default())
            .build()
            .unwrap();
        let asked = || {
            let mut request = Request::new(());
            request.extensions_mut().insert(priority(3, 0));
            request
        };
        for number in 0..70 {
            let channel = service_fn(async |_: Request<()>| {
                let response = Response::builder().header("dagor-level", "65536");
                Ok::<_, BoxError>(response.body(()).unwrap())
            });
            let instance = callee.instance(&format!("10.0.0.{number}"));
            let client = instance.layer(channel);
            client.clone().oneshot(asked()).await.unwrap();
            let withheld = client.oneshot(asked()).await.unwrap_err();
            assert!(is_withheld(&*withheld));
        }
    });
    let withheld = r#"dagor_calls_withheld_total{callee="payments",business="3"}"#;
    let level = 65536.0 / 8_388_608.0;
    assert_exported(
        &lines,
        &[
            (withheld, 70.0),
            (
                r#"dagor_heard_level_ratio{callee="payments",instance="10.0.0.0"}"#,
                level,
            ),
            (
                r#"dagor_heard_level_ratio{callee="payments",instance="10.0.0.63"}"#,
                level,
            ),
            (
                r#"dagor_heard_level_ratio{callee="payments",instance="other"}"#,
                level,
            ),
        ],
    );
    let instances = labels(&lines, "dagor_heard_level_ratio", "instance");
    assert_eq!(instances.len(), 65, "{instances:?}");
}

/// The table is what operators build upon.
#[test]
fn the_table_names_what_is_in_this_test() {
    let (table, tests) = (
        include_str!("../src/metrics.rs"),
        include_str!("metrics.rs"),
    );
    let rows = table
        .lines()
        .filter(|line| line.starts_with("//! | `dagor_"));
    let mut metrics = 0;
    for row in rows {
        let names = row.split('|').nth(1).unwrap();
        for name in names.split('`').filter(|name| name.starts_with("dagor_")) {
            assert!(
                tests.contains(&format!("{name}{{")) || tests.contains(&format!("{name}_count{{")),
                "{name} is not tested"
            );
            metrics += 1;
        }
    }
    assert_eq!(metrics, 16);
}
