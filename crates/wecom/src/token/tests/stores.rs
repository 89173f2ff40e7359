//! Stores that are slow, hang, fail, forget or lie.

use tokio::task::JoinSet;

use super::{
    shaky::{Faults, Shaky},
    *,
};
use crate::token::Stored;

const DOWN: Faults = Faults {
    down: true,
    hangs: false,
    slow: Duration::ZERO,
    keeps: false,
    takes_nothing: false,
};

const HANGS: Faults = Faults {
    down: false,
    hangs: true,
    ..DOWN
};

#[tokio::test(start_paused = true)]
async fn a_store_that_is_down_or_hangs_stops_nobody() {
    for faults in [DOWN, HANGS] {
        let (office, store) = (Office::new(Mode::OldDies), Shaky::new());
        store.set(faults);
        let keeper = keeper(&office, &store);
        let before = office.clock.now();
        call(&keeper, &office).await.unwrap();
        assert!(
            office.clock.now() - before < secs(2),
            "each call of it is given up after 1 s"
        );

        let mut tasks = JoinSet::new();
        office.kill();
        for _ in 0..200 {
            let (keeper, office) = (keeper.clone(), office.clone());
            tasks.spawn(async move { call(&keeper, &office).await });
        }
        assert!(
            tasks.join_all().await.iter().all(Result::is_ok),
            "{faults:?}"
        );
        assert_eq!(office.fetches(), 2, "{faults:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_down_at_the_refresh_costs_nothing_while_the_token_lives() {
    let (office, store) = (Office::new(Mode::OldLives), Shaky::new());
    let keeper = keeper(&office, &store);
    let old = keeper.token().await.unwrap();
    store.set(HANGS);
    tokio::time::sleep(secs(6485)).await;
    for _ in 0..700 {
        assert_eq!(keeper.token().await.unwrap(), old);
        tokio::time::sleep(secs(1)).await;
    }
    assert_eq!(office.fetches(), 1);
    tokio::time::sleep(secs(20)).await;
    assert_eq!(call(&keeper, &office).await.unwrap().reveal(), "token-2");

    store.set(Faults::default());
    office.kill();
    assert_eq!(call(&keeper, &office).await.unwrap().reveal(), "token-3");
    let stored = store.load(&key("ww1")).await.unwrap().unwrap();
    assert_eq!(
        stored.token.reveal(),
        "token-3",
        "the store is in use again"
    );
}

#[tokio::test(start_paused = true)]
async fn a_slow_store_delays_and_does_not_multiply() {
    let (office, store) = (Office::new(Mode::OldDies), Shaky::new());
    store.set(Faults {
        slow: millis(900),
        ..Faults::default()
    });
    let keepers: Vec<Keeper> = (0..8).map(|_| keeper(&office, &store)).collect();
    let mut tasks = JoinSet::new();
    for keeper in &keepers {
        let (keeper, office) = (keeper.clone(), office.clone());
        tasks.spawn(async move { call(&keeper, &office).await });
    }
    assert!(tasks.join_all().await.iter().all(Result::is_ok));
    assert_eq!(office.fetches(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_token_that_could_not_be_stored_is_used_all_the_same() {
    let (office, store) = (Office::new(Mode::OldDies), Shaky::new());
    store.set(Faults {
        takes_nothing: true,
        ..Faults::default()
    });
    let keeper = keeper(&office, &store);
    for _ in 0..100 {
        call(&keeper, &office).await.unwrap();
    }
    assert_eq!(office.fetches(), 1);
}

#[tokio::test(start_paused = true)]
async fn t6_a_rejected_token_is_not_taken_from_the_store_again() {
    let (office, store) = (Office::new(Mode::OldDies), Shaky::new());
    store.set(Faults {
        keeps: true,
        ..Faults::default()
    });
    let keeper = keeper(&office, &store);
    let dead = keeper.token().await.unwrap();
    office.kill();
    keeper.reject(&dead).await;
    let stored = store.load(&key("ww1")).await.unwrap().unwrap();
    assert_eq!(stored.token, dead, "the store still has it");
    let token = keeper.token().await.unwrap();
    assert_ne!(token, dead);
    assert!(office.takes(&token));
    assert_eq!(office.fetches(), 2);
}

#[tokio::test(start_paused = true)]
async fn t6_a_reject_that_is_cancelled_does_not_bring_the_token_back() {
    let (office, store) = (Office::new(Mode::OldDies), Shaky::new());
    let keeper = keeper(&office, &store);
    let dead = keeper.token().await.unwrap();
    office.kill();
    store.set(HANGS);
    tokio::time::timeout(millis(10), keeper.reject(&dead))
        .await
        .unwrap_err();
    store.set(Faults::default());
    assert!(office.takes(&keeper.token().await.unwrap()));
    assert_eq!(office.fetches(), 2);
}

#[tokio::test(start_paused = true)]
async fn t2_an_older_reply_takes_the_place_of_no_newer_token() {
    let (office, store) = (Office::new(Mode::OldDies), memory());
    // A slow process takes the lease, and its fetch takes longer than the lease lasts.
    let slow = store.lease(&key("ww1"), secs(10)).await.unwrap().unwrap();
    let stale = office.give();
    tokio::time::sleep(secs(10)).await;
    let keeper = keeper(&office, &store);
    let new = keeper.token().await.unwrap();

    let late = Stored {
        token: stale.token,
        lasts: secs(7190),
        whole: secs(7200),
        generation: slow.generation,
    };
    let there = store
        .store(&key("ww1"), late.clone())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(there.token, new, "and the slow one is told what to use");
    assert_eq!(store.load(&key("ww1")).await.unwrap().unwrap().token, new);
    assert!(office.takes(&new));

    // Not even when the newer one is gone.
    store.remove(&key("ww1"), &new).await.unwrap();
    assert_eq!(store.store(&key("ww1"), late).await.unwrap(), None);
    assert_eq!(store.load(&key("ww1")).await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn t2_a_keeper_takes_no_older_token_than_it_had() {
    let (office, store) = (Office::new(Mode::OldDies), Shaky::new());
    let keeper = keeper(&office, &store);
    let first = keeper.token().await.unwrap();
    let old = store.load(&key("ww1")).await.unwrap().unwrap();
    keeper.reject(&first).await;
    let second = keeper.token().await.unwrap();
    keeper.reject(&second).await;

    // A store that was set back to what it was, numbers and all.
    store.forget();
    let back = Stored {
        token: Secret::from("an older one"),
        ..old
    };
    store.store(&key("ww1"), back).await.unwrap();
    let third = keeper.token().await.unwrap();
    assert_eq!(third.reveal(), "token-3");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_counts_from_anew_is_believed() {
    let (office, store) = (Office::new(Mode::OldDies), Shaky::new());
    let keepers = [keeper(&office, &store), keeper(&office, &store)];
    for _ in 0..5 {
        office.kill();
        for keeper in &keepers {
            call(keeper, &office).await.unwrap();
        }
        tokio::time::sleep(secs(60)).await;
    }
    store.forget();
    let before = office.fetches();
    for _ in 0..5 {
        office.kill();
        for keeper in &keepers {
            call(keeper, &office).await.unwrap();
        }
        tokio::time::sleep(secs(60)).await;
    }
    let fetches = office.fetches() - before;
    assert!(
        fetches <= 10,
        "{fetches} fetches for 5 dead tokens and 2 keepers"
    );
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_never_ends_is_an_error_in_the_end() {
    let (office, store) = (Office::new(Mode::OldDies), memory());
    store.lease(&key("ww1"), secs(1000)).await.unwrap().unwrap();
    let keeper = keeper(&office, &store);
    let before = office.clock.now();
    let error = keeper.token().await.unwrap_err();
    assert!(matches!(error.kind(), Kind::Shared(_)), "{error}");
    let waited = office.clock.now() - before;
    assert!(waited >= secs(20) && waited < secs(21), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn what_can_be_no_token_is_fetched_anew_whatever_store_has_it() {
    for text in [String::new(), "t".repeat(4097)] {
        let (office, store) = (Office::new(Mode::OldDies), memory());
        let no_token = Stored {
            token: Secret::from(text),
            lasts: secs(7200),
            whole: secs(7200),
            generation: 7,
        };
        store.store(&key("ww1"), no_token).await.unwrap();
        let (one, other) = (keeper(&office, &store), keeper(&office, &store));
        assert_eq!(one.token().await.unwrap().reveal(), "token-1");
        assert_eq!(other.token().await.unwrap().reveal(), "token-1");
        assert_eq!(office.fetches(), 1);
    }
}
