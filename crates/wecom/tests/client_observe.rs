//! What is told of calls: metrics as Prometheus reads them, spans and events as a log has them.
#![cfg(all(feature = "metrics", feature = "tracing"))]

mod client_fakes;

#[cfg(feature = "tracing")]
#[path = "support/listening.rs"]
mod listening;

use client_fakes::{Answer, Fake, Update, client, secs};
use metrics_exporter_prometheus::PrometheusBuilder;

const CALL: Update = Update::of("zhangsan");

fn block_on(run: impl AsyncFnOnce()) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    runtime.expect("a runtime").block_on(run());
}

/// Does something with a recorder in place and returns what it then exports.
fn exported(run: impl AsyncFnOnce()) -> String {
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    metrics::with_local_recorder(&recorder, || block_on(run));
    handle.render()
}

/// Does something with a subscriber in place and returns what it then has logged.
fn logged(run: impl AsyncFnOnce()) -> String {
    let log = listening::Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::DEBUG)
        .with_span_events(tracing_subscriber::fmt::format::FmtSpan::CLOSE)
        .with_ansi(false)
        .without_time()
        .with_writer(log.clone())
        .finish();
    listening::listen_everywhere();
    tracing::subscriber::with_default(subscriber, || block_on(run));
    log.text()
}

#[track_caller]
fn assert_lines(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|l| l == *line), "no {line} in:\n{text}");
    }
}

/// Makes a call that is answered so.
async fn answered(answer: Answer) {
    let fake = Fake::calls(move |_| answer.clone());
    // How it ends is what is to be told.
    let _ = client(&fake).0.send(&CALL).await;
}

#[test]
fn calls_are_counted_by_how_they_ended() {
    let text = exported(async || {
        answered(Answer::ok()).await;
        answered(Answer::ok()).await;
        for errcode in [40098, 41044, 45009, 45033, 45035, 45036, 48002, 99999] {
            answered(Answer::errcode(errcode)).await;
        }
        answered(Answer::Never).await;
        // Dropped before it is answered.
        let dropped = answered(Answer::Never);
        assert!(tokio::time::timeout(secs(1), dropped).await.is_err());
    });
    assert_lines(
        &text,
        &[
            r#"wecom_calls_total{api="update_contact_way",class="ok"} 2"#,
            r#"wecom_calls_total{api="update_contact_way",class="member"} 1"#,
            r#"wecom_calls_total{api="update_contact_way",class="code_gone"} 1"#,
            r#"wecom_calls_total{api="update_contact_way",class="throttled"} 3"#,
            r#"wecom_calls_total{api="update_contact_way",class="conflict"} 1"#,
            r#"wecom_calls_total{api="update_contact_way",class="tenant"} 1"#,
            r#"wecom_calls_total{api="update_contact_way",class="unknown"} 1"#,
            r#"wecom_calls_total{api="update_contact_way",class="transient"} 1"#,
            r#"wecom_calls_total{api="update_contact_way",class="cancelled"} 1"#,
            r#"wecom_calls_total{api="gettoken",class="ok"} 12"#,
            r#"wecom_throttled_total{api="update_contact_way",errcode="45009"} 1"#,
            r#"wecom_throttled_total{api="update_contact_way",errcode="45033"} 1"#,
            r#"wecom_throttled_total{api="update_contact_way",errcode="45035"} 1"#,
            r#"wecom_throttled_total{api="update_contact_way",errcode="45036"} 1"#,
            r#"wecom_token_fetches_total{result="ok"} 12"#,
            r#"wecom_call_seconds_count{api="update_contact_way"} 11"#,
            r#"wecom_call_seconds_sum{api="update_contact_way"} 5"#,
        ],
    );
    assert!(
        !text.contains("99999") && !text.contains("ww1"),
        "labels are bounded:\n{text}"
    );
}

#[test]
fn waits_and_what_became_of_tokens_are_told() {
    let text = exported(async || {
        let fake = Fake::calls(|_| Answer::ok());
        let (one, gate) = client(&fake);
        gate.make_wait(secs(3));
        one.send(&CALL).await.unwrap();
        let wrong = Fake::all(|_| Some(Answer::errcode(40001)));
        for _ in 0..3 {
            assert!(client(&wrong).0.send(&CALL).await.is_err());
        }
    });
    assert_lines(
        &text,
        &[
            r#"wecom_waited_seconds_sum{api="update_contact_way"} 3"#,
            r#"wecom_waited_seconds_count{api="update_contact_way"} 1"#,
            r#"wecom_token_fetches_total{result="ok"} 1"#,
            r#"wecom_token_fetches_total{result="tenant"} 3"#,
            "wecom_breakers_opened_total 3",
            r#"wecom_calls_total{api="gettoken",class="tenant"} 3"#,
            r#"wecom_calls_total{api="update_contact_way",class="tenant"} 3"#,
        ],
    );
}

#[test]
fn a_call_is_a_span_that_says_how_it_ended() {
    let text = logged(async || {
        let fake = Fake::calls(|seen| match seen.token() {
            "token-1" => Answer::errcode(42001),
            _ => Answer::errcode(60111),
        });
        assert!(client(&fake).0.send(&CALL).await.is_err());
    });
    let close = text
        .lines()
        .find(|line| line.contains(r#"api="update_contact_way""#) && line.contains("close"));
    let close = close.unwrap_or_else(|| panic!("no such span in:\n{text}"));
    for field in [
        "wecom.call",
        r#"corp="ww1""#,
        r#"class="member""#,
        "attempts=2",
        "errcode=60111",
    ] {
        assert!(close.contains(field), "no {field} in {close}");
    }
}

#[test]
fn a_hint_is_told_loudly_when_it_is_news_and_softly_when_it_is_not() {
    let text = logged(async || {
        let fake = Fake::calls(|_| Answer::errcode(60020));
        let (client, _) = client(&fake);
        for _ in 0..10 {
            assert!(client.send(&CALL).await.is_err());
        }
        tokio::time::advance(secs(60)).await;
        assert!(client.send(&CALL).await.is_err());
    });
    let with = |level: &str| {
        let of_level = |line: &&str| line.trim_start().starts_with(level);
        let lines = text.lines().filter(of_level);
        lines
            .filter(|line| line.contains(r#"hint="1620808383_60020""#))
            .count()
    };
    assert_eq!((with("WARN"), with("DEBUG")), (2, 9), "{text}");
}

#[test]
fn a_body_partly_applied_is_an_alert() {
    let text = logged(async || {
        let warning = r#"{"errcode":0,"errmsg":"Warning: wrong json format. hint: [9_9]"}"#;
        answered(Answer::Json(warning.to_owned())).await;
    });
    let alert = text
        .lines()
        .find(|line| line.trim_start().starts_with("ERROR"));
    let alert = alert.unwrap_or_else(|| panic!("no alert in:\n{text}"));
    assert!(
        alert.contains(r#"hint="9_9""#) && alert.contains("not applied"),
        "{alert}"
    );
}
