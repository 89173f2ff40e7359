//! One process: one flight for all, refreshed ahead, refused by value.

use std::{
    collections::HashSet,
    future::Future,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use tokio::{runtime, task::JoinSet};

use super::*;
use crate::error::{Class, NoToken};

#[tokio::test(start_paused = true)]
async fn t1_two_hundred_who_see_the_token_dead_fetch_once() {
    for mode in [Mode::Stable, Mode::OldLives, Mode::OldDies] {
        let office = Office::new(mode);
        let keeper = keeper(&office, &memory());
        call(&keeper, &office).await.unwrap();
        assert_eq!(office.fetches(), 1);
        office.kill();

        let mut tasks = JoinSet::new();
        for _ in 0..200 {
            let (keeper, office) = (keeper.clone(), office.clone());
            tasks.spawn(async move { call(&keeper, &office).await });
        }
        let results = tasks.join_all().await;
        assert!(results.iter().all(Result::is_ok), "{mode:?}");
        assert_eq!(office.fetches(), 2, "{mode:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn t1_a_token_that_was_replaced_is_refused_without_effect() {
    let office = Office::new(Mode::OldDies);
    let store = memory();
    let keeper = keeper(&office, &store);
    let old = keeper.token().await.unwrap();
    office.kill();
    keeper.reject(&old).await;
    let new = keeper.token().await.unwrap();

    for _ in 0..200 {
        keeper.reject(&old).await;
    }
    assert_eq!(keeper.token().await.unwrap(), new);
    assert_eq!(office.fetches(), 2);
    let stored = store.load(&key("ww1")).await.unwrap().unwrap();
    assert_eq!(stored.token, new);
}

#[tokio::test(start_paused = true)]
async fn t1_rejected_while_a_flight_is_under_way_still_one_fetch() {
    let office = Office::new(Mode::OldDies);
    let keeper = keeper(&office, &memory());
    let old = keeper.token().await.unwrap();
    office.kill();
    keeper.reject(&old).await;
    let mut tasks = JoinSet::new();
    for wait in 0..100 {
        let (keeper, old) = (keeper.clone(), old.clone());
        tasks.spawn(async move {
            tokio::time::sleep(millis(wait * 2)).await;
            keeper.reject(&old).await;
            keeper.token().await
        });
    }
    let got: HashSet<String> = tasks
        .join_all()
        .await
        .into_iter()
        .map(|token| token.unwrap().reveal().to_owned())
        .collect();
    assert_eq!(got, HashSet::from(["token-2".to_owned()]));
    assert_eq!(office.fetches(), 2);
}

#[tokio::test(start_paused = true)]
async fn t2_who_comes_as_a_flight_lands_begins_no_other() {
    let office = Office::new(Mode::OldDies);
    let keeper = keeper(&office, &memory());
    let first = keeper.token().await.unwrap();
    // A caller that saw no token a moment ago, and gets to the lock only now.
    assert!(keeper.0.join().unwrap().is_none());

    // A reader that was to refresh the first token, and gets to the lock when there is a second.
    let held = keeper.0.at_hand().unwrap();
    keeper.reject(&first).await;
    let second = keeper.token().await.unwrap();
    keeper.0.refresh(&held);
    tokio::time::sleep(secs(1)).await;
    assert_eq!(keeper.token().await.unwrap(), second);
    assert_eq!(office.fetches(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn t1_threads_that_see_the_token_dead_at_once_fetch_once() {
    let office = Office::new(Mode::OldDies);
    office.set(|desk| desk.latency = millis(1));
    let settings = Settings::default().fetches_per_minute(60).unwrap();
    let keeper = keeper_with(&office, &memory(), settings);
    for round in 1..=50 {
        office.kill();
        let mut tasks = JoinSet::new();
        for _ in 0..64 {
            let (keeper, office) = (keeper.clone(), office.clone());
            tasks.spawn(async move { call(&keeper, &office).await });
        }
        assert!(tasks.join_all().await.iter().all(Result::is_ok), "{round}");
        assert_eq!(office.fetches(), round);
    }
}

#[tokio::test(start_paused = true)]
async fn a_life_is_counted_from_before_the_token_was_asked_for() {
    let office = Office::new(Mode::OldLives);
    office.set(|desk| (desk.life, desk.latency) = (secs(60), secs(3)));
    let keeper = keeper(&office, &memory());
    keeper.token().await.unwrap();
    tokio::time::sleep(millis(52_500)).await;
    assert_eq!(keeper.token().await.unwrap().reveal(), "token-2");
}

#[tokio::test(start_paused = true)]
async fn t3_a_token_is_refreshed_ahead_and_the_old_one_serves_until_then() {
    let office = Office::new(Mode::OldLives);
    office.set(|desk| desk.latency = secs(3));
    let keeper = keeper(&office, &memory());
    let old = keeper.token().await.unwrap();

    tokio::time::sleep(secs(6115)).await;
    assert_eq!(keeper.token().await.unwrap(), old);
    assert_eq!(
        office.fetches(),
        1,
        "before 85 % of its life nobody refreshes it"
    );

    tokio::time::sleep(secs(366)).await;
    for _ in 0..29 {
        assert_eq!(
            keeper.token().await.unwrap(),
            old,
            "served while the new one is fetched"
        );
        tokio::time::sleep(millis(100)).await;
    }
    assert_eq!(office.fetches(), 2);
    tokio::time::sleep(millis(200)).await;
    assert_eq!(keeper.token().await.unwrap().reveal(), "token-2");
    assert_eq!(office.fetches(), 2);
}

#[tokio::test(start_paused = true)]
async fn t3_a_refresh_that_fails_is_tried_again_and_nobody_notices() {
    let office = Office::new(Mode::OldLives);
    let keeper = keeper(&office, &memory());
    let old = keeper.token().await.unwrap();
    office.set(|desk| desk.answer = Answer::Lost);
    pass(secs(6000), secs(60)).await;
    for _ in 0..1100 {
        tokio::time::sleep(secs(1)).await;
        assert_eq!(keeper.token().await.unwrap(), old);
    }
    let failed = office.fetches() - 1;
    assert!(
        (5..=20).contains(&failed),
        "the pause grows: {failed} attempts"
    );

    office.set(|desk| desk.answer = Answer::Token);
    for _ in 0..300 {
        tokio::time::sleep(secs(1)).await;
        call(&keeper, &office).await.unwrap();
    }
    assert_eq!(office.fetches(), failed + 2);
}

#[tokio::test(start_paused = true)]
async fn t5_any_refusal_of_a_token_leads_to_another() {
    // Which numbers refuse a token is the client's business; what matters here is that a rejected one is gone
    // although its time has not come, and although WeCom gives the same one out again.
    let office = Office::new(Mode::Stable);
    let keeper = keeper(&office, &memory());
    let token = keeper.token().await.unwrap();
    keeper.reject(&token).await;
    assert_eq!(
        keeper.token().await.unwrap(),
        token,
        "fetched again, and given out again"
    );
    assert_eq!(office.fetches(), 2);

    office.kill();
    assert_eq!(call(&keeper, &office).await.unwrap().reveal(), "token-2");
    assert_eq!(office.fetches(), 3);
}

#[tokio::test(start_paused = true)]
async fn t7_ten_thousand_readers_do_not_wait_for_a_refresh() {
    let office = Office::new(Mode::OldLives);
    let keeper = keeper(&office, &memory());
    let old = keeper.token().await.unwrap();
    office.set(|desk| desk.answer = Answer::Never);
    tokio::time::sleep(secs(6500)).await;
    let mut context = Context::from_waker(Waker::noop());
    for reader in 0..10_000 {
        if reader == 10 {
            tokio::time::sleep(millis(500)).await;
            assert_eq!(office.fetches(), 2, "a refresh is under way, and hangs");
        }
        let token = pin!(keeper.token()).poll(&mut context);
        let Poll::Ready(token) = token else {
            panic!("reader {reader} waits");
        };
        assert_eq!(token.unwrap(), old);
    }
    assert_eq!(office.fetches(), 2);
}

#[tokio::test(start_paused = true)]
async fn t7_readers_wait_for_no_lock() {
    let office = Office::new(Mode::OldLives);
    let keeper = keeper(&office, &memory());
    keeper.token().await.unwrap();
    let _held = keeper.0.lock();
    let mut context = Context::from_waker(Waker::noop());
    // Would never return if it took the lock: a mutex is not re-entrant.
    assert!(pin!(keeper.token()).poll(&mut context).is_ready());
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_caller_neither_loses_nor_repeats_the_fetch() {
    let office = Office::new(Mode::OldDies);
    let keeper = keeper(&office, &memory());
    let first = tokio::spawn({
        let keeper = keeper.clone();
        async move { keeper.token().await }
    });
    tokio::time::sleep(millis(50)).await;
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    let token = keeper.token().await.unwrap();
    assert_eq!(token.reveal(), "token-1");
    assert_eq!(office.fetches(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_fetch_that_panics_is_an_error_for_all_that_wait() {
    let office = Office::new(Mode::OldDies);
    office.set(|desk| desk.answer = Answer::Panic);
    let keeper = keeper(&office, &memory());
    let mut tasks = JoinSet::new();
    for _ in 0..50 {
        let keeper = keeper.clone();
        tasks.spawn(async move { keeper.token().await });
    }
    for result in tasks.join_all().await {
        let error = result.unwrap_err();
        assert_eq!(error.class(), Class::Transient, "{error}");
    }
    assert_eq!(office.fetches(), 1);

    // The lease of the flight that fell is still out; the next one waits until it ends, and no longer.
    office.set(|desk| desk.answer = Answer::Token);
    let before = office.clock.now();
    keeper.token().await.unwrap();
    assert!(office.clock.now() - before <= secs(11));
}

#[test]
fn a_runtime_that_shuts_down_leaves_nobody_waiting() {
    let started = || {
        runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
    };
    let (theirs, ours) = (started().unwrap(), started().unwrap());
    let office = Office::new(Mode::OldDies);
    office.set(|desk| desk.answer = Answer::Never);
    let keeper = keeper(&office, &memory());

    let leader = keeper.clone();
    theirs.spawn(async move { leader.token().await });
    let follower = ours.spawn({
        let (keeper, office) = (keeper.clone(), office.clone());
        async move {
            while office.fetches() == 0 {
                tokio::task::yield_now().await;
            }
            keeper.token().await
        }
    });
    while office.fetches() == 0 {
        std::thread::yield_now();
    }
    theirs.shutdown_background();
    let error = ours.block_on(follower).unwrap().unwrap_err();
    assert_eq!(error.class(), Class::Transient, "{error}");
    assert!(keeper.0.lock().idle(), "another flight may begin");
}

#[test]
fn outside_a_runtime_it_is_an_error() {
    let office = Office::new(Mode::OldDies);
    let keeper = keeper(&office, &memory());
    let mut context = Context::from_waker(Waker::noop());
    let Poll::Ready(result) = pin!(keeper.token()).poll(&mut context) else {
        panic!("it waits for a task that nobody runs");
    };
    assert!(result.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_fetch_without_an_answer_ends_with_its_time() {
    let office = Office::new(Mode::OldDies);
    office.set(|desk| desk.answer = Answer::Never);
    let keeper = keeper(&office, &memory());
    let before = office.clock.now();
    let error = keeper.token().await.unwrap_err();
    assert_eq!(office.clock.now() - before, secs(6));
    assert_eq!(error.class(), Class::Transient);
    assert!(
        !error.may_have_been_applied(),
        "the call itself was not sent"
    );
}

#[tokio::test(start_paused = true)]
async fn a_token_without_a_life_is_an_error_and_not_a_loop() {
    let office = Office::new(Mode::OldLives);
    office.set(|desk| desk.life = secs(0));
    let keeper = keeper(&office, &memory());
    let error = keeper.token().await.unwrap_err();
    assert!(error.to_string().contains("expires_in is 0"), "{error}");
    assert_eq!(office.fetches(), 1);
}

#[tokio::test(start_paused = true)]
async fn who_kills_every_token_is_fetched_from_ten_times_a_minute() {
    let office = Office::new(Mode::OldDies);
    let keeper = keeper(&office, &memory());
    for _ in 0..6000 {
        office.kill();
        let result = call(&keeper, &office).await;
        if let Err(error) = &result
            && let Kind::NoToken(why) = error.kind()
        {
            assert!(matches!(why, NoToken::TooMany { retry_after } if *retry_after <= secs(60)));
        }
        tokio::time::sleep(millis(100)).await;
    }
    let fetches = lock(&office.desk).fetches.clone();
    for eleven in fetches.windows(11) {
        assert!(eleven[10] - eleven[0] >= secs(60), "{eleven:?}");
    }
    assert!(fetches.len() >= 100, "{} in ten minutes", fetches.len());
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_told_to_all_and_not_repeated_for_each() {
    let office = Office::new(Mode::OldDies);
    office.set(|desk| desk.answer = Answer::Errcode(-1));
    let keeper = keeper(&office, &memory());
    for _ in 0..600 {
        let error = keeper.token().await.unwrap_err();
        assert_eq!(error.errcode(), Some(Errcode(-1)));
        tokio::time::sleep(millis(50)).await;
    }
    assert!(
        (5..=8).contains(&office.fetches()),
        "{} in 30 s",
        office.fetches()
    );
    office.set(|desk| desk.answer = Answer::Token);
    tokio::time::sleep(secs(13)).await;
    keeper.token().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn thirty_thousand_fetched_in_a_minute_are_refreshed_over_six() {
    let settings = Settings::default();
    let mut minutes = [0_usize; 120];
    for tenant in 0..30_000_u32 {
        let fetched = secs(60).mul_f64(f64::from(tenant) / 30_000.0);
        let due = fetched + settings.refresh_after(secs(7200), rand::random());
        minutes[usize::try_from(due.as_secs() / 60).unwrap()] += 1;
    }
    let most = minutes.iter().max().unwrap();
    assert!(*most < 30_000 / 5, "{most} in one minute");
}

#[tokio::test(start_paused = true)]
async fn nothing_shows_a_token() {
    let office = Office::new(Mode::OldDies);
    let store = memory();
    let keeper = keeper(&office, &store);
    keeper.token().await.unwrap();
    let lease = store.lease(&key("ww1"), secs(1)).await;
    let shown = format!("{keeper:?} {store:?} {lease:?} {:?}", keeper.0.at_hand());
    assert!(!shown.contains("token-1"), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn a_keeper_goes_where_its_client_goes() {
    fn shared<T: Clone + Send + Sync + 'static>(_: &T) {}
    let keeper = keeper(&Office::new(Mode::OldDies), &memory());
    shared(&keeper);
    let _: Arc<dyn TokenStore> = Arc::new(MemoryStore::new());
}
