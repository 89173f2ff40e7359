//! What a call waits for, how long, and what becomes of it when it is dropped.

use std::{future::poll_fn, task::Poll};

use wecom::{Class, Clock, Rank, error::Kind};

use crate::{
    CALL,
    client_fakes::{self, Answer, Fake, client, secs},
};

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
