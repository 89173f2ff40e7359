//! A call and its token.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use wecom::{
    Class, Clock, Credential, Errcode, Secret, SuiteTokens,
    error::{Kind, NoToken},
    token::BoxFuture,
};

use crate::{
    CALL,
    client_fakes::{Answer, Fake, Gate, UPDATE, client, secs},
};

#[tokio::test(start_paused = true)]
async fn t5_every_code_of_a_dead_token_leads_to_a_fresh_one_and_one_repeat() {
    for errcode in [40014, 42001, 41001, 40001] {
        let fake = Fake::calls(move |seen| match seen.token() {
            "token-1" => Answer::errcode(errcode),
            _ => Answer::ok(),
        });
        let (client, gate) = client(&fake);
        client.send(&CALL).await.unwrap();
        let tokens: Vec<_> = fake
            .calls_seen()
            .iter()
            .map(|s| s.token().to_owned())
            .collect();
        assert_eq!(tokens, ["token-1", "token-2"], "{errcode}");
        // WeCom counts the repeat too.
        assert_eq!((gate.taken(), gate.in_flight()), (2, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_token_refused_twice_is_an_error_and_no_loop() {
    let fake = Fake::calls(|_| Answer::errcode(42001));
    let (client, _) = client(&fake);
    let error = client.send(&CALL).await.unwrap_err();
    assert_eq!(
        (error.class(), error.errcode()),
        (Class::Token, Some(Errcode(42001)))
    );
    assert_eq!(fake.calls_seen().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn t1_two_hundred_calls_that_find_the_token_dead_fetch_one() {
    let fake = Fake::calls(|seen| {
        let answer = match seen.token() {
            "token-1" => Answer::errcode(40014),
            _ => Answer::ok(),
        };
        answer.after(Duration::from_millis(100))
    });
    let (client, _) = client(&fake);
    let calls = (0..200).map(|_| {
        let client = client.clone();
        tokio::spawn(async move { client.send(&CALL).await })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap().unwrap();
    }
    assert_eq!(
        fake.tokens(),
        2,
        "one at first, one for all that found it dead"
    );
}

#[tokio::test(start_paused = true)]
async fn a_token_that_comes_too_late_costs_no_room() {
    let fake = Fake::all(|_| Some(Answer::Never));
    let (client, gate) = client(&fake);
    let begun = Clock::system();
    let error = client.with_patience(secs(1)).send(&CALL).await.unwrap_err();
    assert_eq!(begun.now(), secs(1));
    assert!(
        matches!(error.kind(), Kind::NoToken(NoToken::Late { .. })),
        "{error:?}"
    );
    assert_eq!((error.api(), error.class()), (UPDATE, Class::Transient));
    assert!(gate.asked().is_empty());
}

#[tokio::test(start_paused = true)]
async fn w8_a_wrong_secret_is_asked_about_once_and_costs_no_room() {
    let fake = Fake::all(|_| Some(Answer::errcode(40001)));
    let (client, gate) = client(&fake);
    for _ in 0..50 {
        let error = client.send(&CALL).await.unwrap_err();
        assert_eq!(
            (error.api(), error.class()),
            (UPDATE, Class::Tenant),
            "{error}"
        );
        assert_eq!(error.errcode(), Some(Errcode::BAD_SECRET));
    }
    assert!(fake.seen().len() <= 3, "{} fetches", fake.seen().len());
    assert!(gate.asked().is_empty());
}

#[tokio::test(start_paused = true)]
async fn after_a_long_wait_for_room_a_call_goes_out_with_the_token_of_then() {
    let tokens = AtomicUsize::new(0);
    let fake = Fake::all(move |seen| {
        if !seen.is_token() {
            return Some(Answer::ok());
        }
        let n = tokens.fetch_add(1, SeqCst) + 1;
        let token = format!(r#"{{"access_token":"short-{n}","expires_in":60}}"#);
        Some(Answer::Json(token))
    });
    let (client, gate) = client(&fake);
    gate.make_wait(secs(100));
    client.with_patience(secs(200)).send(&CALL).await.unwrap();
    let tokens: Vec<_> = fake
        .calls_seen()
        .iter()
        .map(|s| s.token().to_owned())
        .collect();
    assert_eq!(tokens, ["short-2"], "the first has expired meanwhile");
}

/// A third party whose own token can be had or not.
struct Suite(Option<&'static str>);

impl SuiteTokens for Suite {
    fn suite_access_token(&self) -> BoxFuture<'_, Result<Secret, wecom::BoxError>> {
        let token = self.0.map(Secret::from);
        Box::pin(async move { token.ok_or_else(|| "no ticket for suite-secret".into()) })
    }
}

#[tokio::test(start_paused = true)]
async fn a_third_partys_token_comes_by_its_own_and_has_no_errcode() {
    let given = r#"{"access_token":"corp-token","expires_in":7200}"#;
    let fake = Fake::all(move |seen| {
        let path = seen.uri.path();
        let token = path.ends_with("/service/get_corp_token");
        Some(if token {
            Answer::Json(given.to_owned())
        } else {
            Answer::ok()
        })
    });
    let gate = Arc::new(Gate::default());
    let build = |suite| {
        let credential = Credential::suite("ww1", "permanent", suite).unwrap();
        let builder = wecom::Client::builder(credential).limiter(Arc::clone(&gate) as _);
        builder.build_with(fake.clone()).unwrap()
    };
    build(Suite(Some("suite token"))).send(&CALL).await.unwrap();
    let seen = fake.seen();
    assert_eq!(
        seen[0].uri.to_string(),
        "https://qyapi.weixin.qq.com/cgi-bin/service/get_corp_token?suite_access_token=suite%20token"
    );
    assert_eq!(
        seen[0].body,
        r#"{"auth_corpid":"ww1","permanent_code":"permanent"}"#
    );
    assert_eq!(seen[1].token(), "corp-token");

    let error = build(Suite(None)).send(&CALL).await.unwrap_err();
    assert_eq!(error.class(), Class::Transient);
    let told = format!("{error} {error:?}");
    assert!(
        told.contains("third party") && !told.contains("suite-secret"),
        "{told}"
    );
}
