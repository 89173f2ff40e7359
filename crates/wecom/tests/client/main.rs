//! The way of a call: its token, its room, its answer, and what becomes of it when it is dropped.

mod answers;
#[path = "../client_fakes/mod.rs"]
mod client_fakes;
mod layers;
mod tokens;
mod waits;

use std::time::Duration;

use client_fakes::{Answer, Fake, Gate, Update, builder, client, secs};
use http::Method;
use wecom::{Class, limit::Sign};

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
            "base_url is \"qyapi\"; allowed: http:// or https://, a host, perhaps a port (1 to 65535) and a path; \
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
