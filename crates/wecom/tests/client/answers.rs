//! A call and its answer: what came back, what did not, and what the limiter is told of it.

use wecom::{
    Class, Clock, Errcode,
    error::{Kind, Unreadable},
    limit::Sign,
};

use crate::{
    CALL,
    client_fakes::{Answer, Fake, Gate, builder, client, secs},
};

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
    let warning = r#"{"errcode":0,"errmsg":"updated. Warning: wrong json format. hint: [9_1]"}"#;
    let fake = Fake::calls(move |_| Answer::Json(warning.to_owned()));
    let (client, gate) = client(&fake);
    let error = client.send(&CALL).await.unwrap_err();
    assert!(
        matches!(error.kind(), Kind::PartlyApplied { .. }),
        "{error:?}"
    );
    assert_eq!((error.hint(), error.class()), (Some("9_1"), Class::Request));
    assert_eq!(gate.signs(), [Sign::Served]);
}
