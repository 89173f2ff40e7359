//! The router: what is answered, when, and what goes on behind the answer.

mod callback_support;

#[cfg(feature = "tracing")]
#[path = "support/listening.rs"]
mod listening;

use std::{
    collections::HashSet,
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    http::{Method, Request},
};
use callback_support::{
    CORP, NOW, added, event, keys, keys_for, post_of, posted, receiver,
    requests::{Log, Pieces, post, request, send, status, text, timed},
};
use tokio::sync::Notify;
use wecom::callback::{self, Delivery, Endpoint};

fn logging(log: &Log) -> Router {
    let log = log.clone();
    callback::router(receiver(), move |delivery: Delivery| {
        log.append(&delivery);
        async { Ok::<_, Infallible>(()) }
    })
}

#[tokio::test(start_paused = true)]
async fn a_durable_event_is_answered_200_with_nothing_in_it() {
    let log = Log::default();
    let router = logging(&log);
    let callback = posted(&added("a", "b"));
    assert_eq!(status(&router, post(&callback)).await, 200);
    let again = posted(&added("a", "b"));
    assert_eq!(status(&router, post(&again)).await, 200);
    let entries = log.entries();
    assert_eq!(entries.len(), 2, "a repetition is marked and not dropped");
    assert_eq!(entries[0].0, entries[1].0);
    assert_eq!((entries[0].1, entries[1].1), (false, true));
}

#[tokio::test(start_paused = true)]
async fn verifies_an_address_by_its_plaintext_alone() {
    let router = logging(&Log::default());
    let sealed = keys().seal(b"1616140317555161061", NOW);
    let get = request(Method::GET, &sealed.echo_query(), Body::empty());
    let response = send(&router, get).await;
    assert_eq!(response.status(), 200);
    assert_eq!(text(response).await, "1616140317555161061");

    let without = request(Method::GET, &sealed.query(), Body::empty());
    assert_eq!(status(&router, without).await, 400);
    let bare = Request::get("/").body(Body::empty()).unwrap();
    assert_eq!(status(&router, bare).await, 400);
}

#[tokio::test(start_paused = true)]
async fn methods_that_are_none_of_wecoms_do_no_more_than_they_must() {
    let log = Log::default();
    let router = logging(&log);
    let echo = keys().seal(b"17", NOW).echo_query();
    let (query, body) = posted(&added("a", "b"));
    for method in [Method::PUT, Method::DELETE, Method::PATCH, Method::OPTIONS] {
        for query in [&echo, &query] {
            let request = request(method.clone(), query, Body::from(body.clone()));
            assert_eq!(status(&router, request).await, 405, "{method}");
        }
    }
    let head = request(Method::HEAD, &echo, Body::empty());
    assert_eq!(status(&router, head).await, 200, "a GET without its body");
    let head = request(Method::HEAD, &query, Body::from(body));
    assert_eq!(status(&router, head).await, 400, "and as strict");

    let read = Arc::new(AtomicUsize::new(0));
    let get = request(Method::GET, &echo, Body::new(Pieces::new(&read, 1)));
    assert_eq!(text(send(&router, get).await).await, "17");
    assert_eq!(read.load(Ordering::Relaxed), 0, "nobody wants its body");
    assert_eq!(log.entries().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn c2_a_thousand_additions_in_one_second_all_reach_the_handler() {
    let log = Log::default();
    let router = logging(&log);
    let mut requests = tokio::task::JoinSet::new();
    for number in 0..1000 {
        let callback = posted(&added("zhangsan", &format!("wm{number}")));
        let router = router.clone();
        requests.spawn(async move { status(&router, post(&callback)).await });
    }
    assert!(
        requests
            .join_all()
            .await
            .iter()
            .all(|status| *status == 200)
    );
    let identities: HashSet<_> = log.entries().into_iter().collect();
    assert_eq!(identities.len(), 1000);
    assert!(identities.iter().all(|(_, seen_before)| !seen_before));
}

#[tokio::test(start_paused = true)]
async fn c3_no_200_before_the_event_is_durable() {
    let durable = Arc::new(Notify::new());
    let wait = Arc::clone(&durable);
    let router = callback::router(receiver(), move |_: Delivery| {
        let wait = Arc::clone(&wait);
        async move {
            wait.notified().await;
            Ok::<_, Infallible>(())
        }
    });
    let callback = posted(&added("a", "b"));
    let mut answer = Box::pin(status(&router, post(&callback)));
    let early = tokio::time::timeout(Duration::from_millis(4499), &mut answer).await;
    assert!(early.is_err(), "answered before it was durable");
    durable.notify_one();
    assert_eq!(answer.await, 200);
}

#[tokio::test(start_paused = true)]
async fn c3_a_slow_handler_is_answered_503_in_time_and_runs_to_its_end() {
    let log = Log::default();
    let slow = log.clone();
    let calls = AtomicUsize::new(0);
    let router = callback::router(receiver(), move |delivery: Delivery| {
        let (log, first) = (slow.clone(), calls.fetch_add(1, Ordering::Relaxed) == 0);
        async move {
            let takes = if first { 7 } else { 0 };
            tokio::time::sleep(Duration::from_secs(takes)).await;
            log.append(&delivery);
            Ok::<_, Infallible>(())
        }
    });
    let (answer, took) = timed(status(&router, post(&posted(&added("a", "b"))))).await;
    assert_eq!(answer, 503);
    assert_eq!(
        took,
        Duration::from_millis(4500),
        "WeCom hangs up after 5 s"
    );
    assert_eq!(log.entries().len(), 0);

    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(log.entries().len(), 1, "not cut off half-way");
    assert_eq!(status(&router, post(&posted(&added("a", "b")))).await, 200);
    let entries = log.entries();
    assert_eq!(entries[0].0, entries[1].0);
    assert!(entries[1].1, "the late success counts");
}

#[tokio::test(start_paused = true)]
async fn c3_a_sender_that_hangs_up_does_not_cut_the_handler_off() {
    let log = Log::default();
    let slow = log.clone();
    let router = callback::router(receiver(), move |delivery: Delivery| {
        let log = slow.clone();
        async move {
            tokio::time::sleep(Duration::from_secs(2)).await;
            log.append(&delivery);
            Ok::<_, Infallible>(())
        }
    });
    let callback = posted(&added("a", "b"));
    let answer = status(&router, post(&callback));
    let hung_up = tokio::time::timeout(Duration::from_secs(1), answer).await;
    assert!(hung_up.is_err());
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(log.entries().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_event_that_is_not_durable_is_answered_503_and_not_remembered() {
    let log = Log::default();
    let (record, calls) = (log.clone(), AtomicUsize::new(0));
    let router = callback::router(receiver(), move |delivery: Delivery| {
        record.append(&delivery);
        let call = calls.fetch_add(1, Ordering::Relaxed);
        async move {
            assert_ne!(call, 1, "the second time it panics");
            if call == 0 {
                Err("the disk is full")
            } else {
                Ok(())
            }
        }
    });
    for expected in [503, 503, 200] {
        let callback = posted(&added("a", "b"));
        assert_eq!(status(&router, post(&callback)).await, expected);
    }
    assert!(log.entries().iter().all(|(_, seen_before)| !seen_before));
}

#[tokio::test(start_paused = true)]
async fn the_peer_cannot_tell_why_it_was_refused() {
    let log = Log::default();
    let router = logging(&log);
    let good = posted(&added("a", "b"));
    let message = added("a", "b");
    let misnamed = event("x", "").replace(CORP, "wwOther");
    let forged = keys().seal_with(message.as_bytes(), NOW, "n", [1; 16]);
    let mut answers = HashSet::new();
    for callback in [
        (
            good.0.replace("msg_signature=", "msg_signature=0"),
            good.1.clone(),
        ),
        bad_padding(),
        post_of(&keys_for("wwOther").seal(message.as_bytes(), NOW)),
        post_of(&keys().seal(misnamed.as_bytes(), NOW)),
        post_of(&keys().seal(message.as_bytes(), NOW - 601)),
        posted("not xml"),
        (forged.query(), good.1),
    ] {
        let response = send(&router, post(&callback)).await;
        assert_eq!(response.status(), 403);
        let head = format!("{:?} {:?}", response.status(), response.headers());
        answers.insert((head, text(response).await));
    }
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(log.entries().len(), 0);
}

/// A ciphertext whose signature is right and whose padding is not: the end of another is cut off.
fn bad_padding() -> (String, String) {
    use sha1::{Digest, Sha1};
    let long = keys().seal_with(&[b'x'; 400], NOW, "n", [1; 16]);
    let cut = &long.encrypt[..128 * 3];
    let timestamp = NOW.to_string();
    let mut parts = [callback_support::TOKEN, &timestamp, "n", cut];
    parts.sort_unstable();
    let hash = Sha1::digest(parts.concat());
    let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    let query = format!("msg_signature={hex}&timestamp={timestamp}&nonce=n");
    (query, format!("<xml><Encrypt>{cut}</Encrypt></xml>"))
}

/// Callbacks of every sort, at an address whose handler fails.
#[cfg(any(feature = "metrics", feature = "tracing"))]
async fn a_bad_day() {
    let handler = |delivery: Delivery| async move {
        match delivery.fields.get("Event") {
            Some("hangs") => std::future::pending().await,
            Some("panics") => panic!("customer wmA"),
            _ => Err("customer wmA"),
        }
    };
    let router = Endpoint::new(receiver(), handler).into_router();
    let message = added("zhangsan", "wmA");
    let (query, body) = posted(&message);
    let forged = query.replace("msg_signature=", "msg_signature=0");
    let other = post_of(&keys_for("wwOther").seal(message.as_bytes(), NOW));
    let stale = post_of(&keys().seal(message.as_bytes(), NOW - 601));
    for callback in [
        (query.clone(), body.clone()),
        (query, body.clone()),
        (forged, body.clone()),
        (String::new(), body),
        other,
        stale,
        posted("<xml>wmA"),
    ] {
        assert_ne!(status(&router, post(&callback)).await, 200);
    }
    let read = Arc::new(AtomicUsize::new(0));
    let pieces = Pieces::new(&read, 9).slowly(Duration::from_secs(1));
    let (query, _) = posted(&message);
    let slow = request(Method::POST, &query, Body::new(pieces));
    let hung_up = tokio::time::timeout(Duration::from_millis(500), send(&router, slow)).await;
    assert!(hung_up.is_err());
    for event in [event("hangs", ""), event("panics", "")] {
        assert_eq!(status(&router, post(&posted(&event))).await, 503);
    }
    tokio::time::sleep(Duration::from_secs(60)).await;
}

#[cfg(any(feature = "metrics", feature = "tracing"))]
fn run(day: impl Future<Output = ()>) {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(day);
}

#[cfg(feature = "metrics")]
#[test]
fn metrics_count_every_request_by_what_became_of_it() {
    let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    metrics::with_local_recorder(&recorder, || run(a_bad_day()));
    let exported = handle.render();
    for (outcome, count) in [
        ("failed", 3),
        ("late", 1),
        ("signature", 1),
        ("query", 1),
        ("receive_id", 1),
        ("stale", 1),
        ("message", 1),
        ("cancelled", 1),
    ] {
        let line = format!("wecom_callbacks_total{{outcome=\"{outcome}\"}} {count}");
        assert!(
            exported.lines().any(|found| found == line),
            "no {line} in\n{exported}"
        );
        let count = format!("wecom_callback_seconds_count{{outcome=\"{outcome}\"}} {count}");
        assert!(
            exported.lines().any(|found| found == count),
            "no {count} in\n{exported}"
        );
    }
    for (outcome, count) in [("failed", 2), ("overdue", 1), ("broken", 1)] {
        let line = format!("wecom_callback_handlers_total{{outcome=\"{outcome}\"}} {count}");
        assert!(
            exported.lines().any(|found| found == line),
            "no {line} in\n{exported}"
        );
    }
    assert!(
        !exported.contains(CORP) && !exported.contains("wmA"),
        "{exported}"
    );
}

#[cfg(feature = "tracing")]
#[test]
fn the_log_names_outcomes_and_never_a_person_or_a_secret() {
    let log = listening::Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(log.clone())
        .finish();
    listening::listen_everywhere();
    tracing::subscriber::with_default(subscriber, || run(a_bad_day()));

    let log = log.text();
    for (outcome, level, lines) in [
        ("failed", "WARN", 1),
        ("failed", "DEBUG", 2),
        ("late", "WARN", 1),
        ("overdue", "WARN", 1),
        ("broken", "WARN", 1),
        ("signature", "DEBUG", 1),
        ("query", "DEBUG", 1),
        ("receive_id", "WARN", 1),
        ("stale", "WARN", 1),
        ("message", "WARN", 1),
        ("cancelled", "DEBUG", 1),
    ] {
        let named = format!("outcome=\"{outcome}\"");
        let found = log
            .lines()
            .filter(|line| line.contains(level) && line.contains(&named));
        assert_eq!(found.count(), lines, "{outcome} at {level} in\n{log}");
    }
    let named = log.lines().find(|line| line.contains("outcome=\"query\""));
    assert!(named.is_some_and(|line| line.contains(" why=\"")), "{log}");
    for secret in [
        "zhangsan",
        "wmA",
        callback_support::TOKEN,
        callback_support::KEY,
        "WELCOME",
    ] {
        assert!(!log.contains(secret), "{log}");
    }
}
