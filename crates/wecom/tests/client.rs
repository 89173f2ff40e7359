//! The way of a call: its token, its room, its answer, and what becomes of it when it is dropped.

mod client_fakes;

use std::{
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    task::Poll,
    time::Duration,
};

use client_fakes::{Answer, Fake, Gate, UPDATE, Update, builder, client, secs};
use http::Method;
use tower::ServiceBuilder;
use wecom::{
    Class, Clock, CorpId, Credential, Errcode, Rank, Secret, SuiteTokens,
    error::{Kind, NoToken, Unreadable},
    limit::Sign,
    token::BoxFuture,
};

const CALL: Update = Update::of("zhangsan");

#[tokio::test(start_paused = true)]
async fn a_call_carries_its_token_and_goes_below_the_base() {
    let fake = Fake::calls(|_| Answer::ok());
    let gate = Gate::default();
    let client = builder(&gate).base_url("http://gateway:8080/wecom/");
    let client = client.build_with(fake.clone()).unwrap();
    client.send(&CALL).await.unwrap();
    client.send(&CALL).await.unwrap();

    let seen = fake.seen();
    assert_eq!(seen.len(), 3, "the token is fetched once");
    assert_eq!(
        seen[0].uri.to_string(),
        "http://gateway:8080/wecom/cgi-bin/gettoken?corpid=ww1&corpsecret=corpsecret-7Zq"
    );
    assert_eq!(
        seen[1].uri.to_string(),
        "http://gateway:8080/wecom/cgi-bin/externalcontact/update_contact_way?access_token=token-1"
    );
    assert_eq!(seen[1].method, Method::POST);
    assert_eq!(seen[1].headers["content-type"], "application/json");
    assert_eq!(seen[1].body, r#"{"config_id":"c 1","user":["zhangsan"]}"#);
    assert_eq!(gate.signs(), [Sign::Served; 2]);
    assert_eq!(gate.in_flight(), 0);
}

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
async fn a_wrong_request_costs_neither_token_nor_room() {
    let fake = Fake::calls(|_| Answer::ok());
    let (client, gate) = client(&fake);
    let wrong = Update {
        wrong: true,
        ..CALL
    };
    let error = client.send(&wrong).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"update_contact_way: user is "0"; allowed: 1 to 100 members"#
    );
    assert_eq!(error.class(), Class::Request);
    assert_eq!((fake.seen().len(), gate.asked().len()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn no_answer_is_lost_and_may_have_been_applied() {
    let fake = Fake::calls(|_| Answer::Never);
    let (client, gate) = client(&fake);
    let begun = Clock::system();
    let error = client.send(&CALL).await.unwrap_err();
    assert_eq!(begun.now(), secs(5));
    assert!(matches!(error.kind(), Kind::Lost(_)) && error.may_have_been_applied());
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(source, "no answer within 5s");
    assert_eq!((gate.signs(), gate.in_flight()), (vec![Sign::Lost], 0));
    assert_eq!(fake.under_way(), 0, "the request was left to nobody");
}

#[tokio::test(start_paused = true)]
async fn a_page_of_html_is_unreadable_and_a_broken_connection_lost() {
    let fake = Fake::calls(|_| Answer::Status(502, "<html>502 Bad Gateway</html>"));
    let (one, gate) = client(&fake);
    let error = one.send(&CALL).await.unwrap_err();
    let Kind::Unreadable(Unreadable { status: 502, .. }) = error.kind() else {
        panic!("{error:?}");
    };
    assert_eq!(
        (error.class(), gate.signs()),
        (Class::Transient, vec![Sign::Lost])
    );

    let reset = || std::io::Error::from(std::io::ErrorKind::ConnectionReset).into();
    let fake = Fake::calls(move |_| Answer::fails(reset));
    let (other, _) = client(&fake);
    let error = other.send(&CALL).await.unwrap_err();
    assert!(matches!(error.kind(), Kind::Lost(_)), "{error:?}");
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(source, "connection reset");
}

#[tokio::test(start_paused = true)]
async fn an_answer_longer_than_it_may_be_is_refused() {
    let long = format!(r#"{{"errcode":0,"x":"{}"}}"#, "x".repeat(2000));
    let fake = Fake::calls(move |_| Answer::Json(long.clone()));
    let gate = Gate::default();
    let client = builder(&gate)
        .longest_answer(1024)
        .build_with(fake)
        .unwrap();
    let error = client.send(&CALL).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "update_contact_way: not an answer (HTTP 200): the body is longer than an answer may be; \
         it may have been applied"
    );
}

#[tokio::test(start_paused = true)]
async fn what_limits_say_reaches_the_limiter() {
    let signs = [
        (45009, Sign::Frequency, Class::Throttled),
        (45033, Sign::Concurrency, Class::Throttled),
        (45035, Sign::Conflict, Class::Conflict),
        (45036, Sign::Abnormal, Class::Throttled),
        (41044, Sign::Served, Class::CodeGone),
    ];
    for (errcode, sign, class) in signs {
        let fake = Fake::calls(move |_| Answer::errcode(errcode));
        let (client, gate) = client(&fake);
        let error = client.send(&CALL).await.unwrap_err();
        assert_eq!(
            (error.class(), error.errcode()),
            (class, Some(Errcode(errcode)))
        );
        assert_eq!(error.hint(), Some(&*format!("1620808383_{errcode}")));
        assert_eq!((gate.signs(), gate.in_flight()), (vec![sign], 0));
        assert_eq!(
            fake.calls_seen().len(),
            1,
            "only a dead token is a reason to repeat"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_partly_ignored_is_no_success() {
    let warning = r#"{"errcode":0,"errmsg":"updated. Warning: wrong json format. hint: [9]"}"#;
    let fake = Fake::calls(move |_| Answer::Json(warning.to_owned()));
    let (client, gate) = client(&fake);
    let error = client.send(&CALL).await.unwrap_err();
    assert!(
        matches!(error.kind(), Kind::PartlyApplied { .. }),
        "{error:?}"
    );
    assert_eq!((error.hint(), error.class()), (Some("9"), Class::Request));
    assert_eq!(gate.signs(), [Sign::Served]);
}

#[tokio::test(start_paused = true)]
async fn no_room_is_told_with_when_there_is_some_and_nothing_is_sent() {
    let fake = Fake::calls(|_| Answer::ok());
    let (client, gate) = client(&fake);
    gate.refuse(Some(secs(9)));
    let error = client.send(&CALL).await.unwrap_err();
    assert!(matches!(error.kind(), Kind::Limited { .. }), "{error:?}");
    assert_eq!(
        (error.class(), error.retry_after()),
        (Class::Throttled, Some(secs(9)))
    );
    assert!(fake.calls_seen().is_empty() && !error.may_have_been_applied());
}

#[tokio::test(start_paused = true)]
async fn all_waits_share_one_patience() {
    let slow = |seen: &client_fakes::Seen| {
        let token = r#"{"errcode":0,"access_token":"t","expires_in":7200}"#.to_owned();
        seen.is_token().then(|| Answer::Json(token).after(secs(2)))
    };
    let fake = Fake::all(move |seen| slow(seen).or_else(|| Some(Answer::ok())));
    let (client, gate) = client(&fake);
    let client = client.with_patience(secs(10)).with_rank(Rank::new(7));
    client.send(&CALL).await.unwrap();
    assert_eq!(gate.asked(), [(Rank::new(7), secs(8))]);
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

#[tokio::test(start_paused = true)]
async fn a_limiter_that_never_answers_is_left() {
    let fake = Fake::calls(|_| Answer::ok());
    let (client, gate) = client(&fake);
    gate.make_wait(secs(100_000));
    let begun = Clock::system();
    let error = client
        .with_patience(secs(10))
        .send(&CALL)
        .await
        .unwrap_err();
    assert_eq!(begun.now(), secs(15), "the patience and one time-out");
    assert!(matches!(error.kind(), Kind::Shared(_)), "{error:?}");
}

/// Drops a call after it has come to its first wait for what never comes.
async fn dropped(client: &wecom::Client<Fake>) {
    let mut call = Box::pin(client.send(&CALL));
    // Each wait that ends at once is polled past.
    for _ in 0..20 {
        let polled = poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx))).await;
        assert!(polled.is_pending());
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_dropped_while_its_token_is_fetched_holds_nothing() {
    let fake = Fake::all(|_| Some(Answer::Never));
    let (client, gate) = client(&fake);
    dropped(&client).await;
    assert_eq!((gate.asked().len(), gate.taken()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_call_dropped_while_it_waits_for_room_holds_none() {
    let fake = Fake::calls(|_| Answer::ok());
    let (client, gate) = client(&fake);
    gate.make_wait(secs(1000));
    dropped(&client).await;
    assert_eq!((gate.asked().len(), gate.taken()), (1, 0));
    assert!(fake.calls_seen().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_call_dropped_while_it_is_answered_counts_as_sent_and_gives_its_place_back() {
    let fake = Fake::calls(|_| Answer::Never);
    let (client, gate) = client(&fake);
    dropped(&client).await;
    assert_eq!(
        (gate.taken(), gate.in_flight(), fake.under_way()),
        (1, 0, 0)
    );
    assert!(gate.signs().is_empty(), "nothing was learnt");
}

#[tokio::test(start_paused = true)]
async fn layers_can_tell_calls_apart() {
    let fake = Fake::calls(|_| Answer::ok());
    let (client, _) = client(&fake);
    client.with_rank(Rank::new(9)).send(&CALL).await.unwrap();
    let extensions = &fake.calls_seen()[0].extensions;
    assert_eq!(extensions.get(), Some(&UPDATE));
    assert_eq!(extensions.get(), Some(&CorpId::new("ww1").unwrap()));
    assert_eq!(extensions.get(), Some(&Rank::new(9)));
}

#[tokio::test(start_paused = true)]
async fn anybodys_layers_go_around_the_transport() {
    let fake = Fake::calls(|_| Answer::ok().after(secs(2)));
    // This one panics if it is called before it is ready.
    let stack = ServiceBuilder::new()
        .concurrency_limit(1)
        .timeout(secs(3))
        .service(fake.clone());
    let gate = Gate::default();
    let client = builder(&gate).build_with(stack).unwrap();
    let (first, second) = tokio::join!(client.send(&CALL), client.send(&CALL));
    first.unwrap();
    second.unwrap();

    let fake = Fake::calls(|_| Answer::ok().after(secs(4)));
    let stack = ServiceBuilder::new().timeout(secs(3)).service(fake);
    let client = builder(&gate).build_with(stack).unwrap();
    let error = client.send(&CALL).await.unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(source, "request timed out", "a known layer's text is told");
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

#[test]
fn settings_out_of_range_are_named() {
    let build = |change: fn(wecom::Builder) -> wecom::Builder| {
        let fake = Fake::calls(|_| Answer::ok());
        let client = change(builder(&Gate::default())).build_with(fake);
        client.err().map(|error| error.to_string())
    };
    let timeout = r#"allowed: 10ms to 120s"#;
    for (change, error) in [
        (
            (|b| b.timeout(Duration::ZERO)) as fn(wecom::Builder) -> wecom::Builder,
            format!(r#"timeout is "0ns"; {timeout}"#),
        ),
        (|b| b.timeout(secs(121)), format!(r#"timeout is "121s"; {timeout}"#)),
        (|b| b.patience(secs(3601)), r#"patience is "3601s"; allowed: 0 to 3600s"#.to_owned()),
        (
            |b| b.longest_answer(1023),
            r#"longest answer is "1023"; allowed: 1024 to 67108864 bytes"#.to_owned(),
        ),
        (
            |b| b.base_url("qyapi"),
            "base_url is \"qyapi\"; allowed: http:// or https://, a host, perhaps a port and a path; \
             no user, query or fragment"
                .to_owned(),
        ),
    ] {
        assert_eq!(build(change), Some(error));
    }
    assert_eq!(
        build(|b| b
            .timeout(Duration::from_millis(10))
            .patience(Duration::ZERO)),
        None
    );
}

#[test]
fn clients_and_their_calls_may_go_to_any_thread() {
    fn assert<T: Send + Sync + Clone + 'static>(_: &T) {}
    fn assert_send<T: Send>(_: T) {}
    let fake = Fake::calls(|_| Answer::ok());
    let (client, _) = client(&fake);
    assert(&client);
    assert_send(client.send(&CALL));
}
