//! Several processes that share a store, in paused time.

use tokio::task::JoinSet;

use super::{shaky::Shaky, *};

fn eight(office: &Office) -> Vec<Keeper> {
    let store = memory();
    (0..8).map(|_| keeper(office, &store)).collect()
}

#[tokio::test(start_paused = true)]
async fn t3_eight_processes_that_start_at_once_fetch_once() {
    let office = Office::new(Mode::OldDies);
    let mut tasks = JoinSet::new();
    for keeper in eight(&office) {
        for _ in 0..20 {
            let (keeper, office) = (keeper.clone(), office.clone());
            tasks.spawn(async move { call(&keeper, &office).await });
        }
    }
    assert!(tasks.join_all().await.iter().all(Result::is_ok));
    assert_eq!(office.fetches(), 1);
}

#[tokio::test(start_paused = true)]
async fn t3_eight_processes_over_ten_lives_fetch_once_a_life_without_a_gap() {
    for mode in [Mode::OldLives, Mode::OldDies] {
        let office = Office::new(mode);
        office.set(|desk| desk.life = secs(600));
        let mut tasks = JoinSet::new();
        for keeper in eight(&office) {
            let office = office.clone();
            tasks.spawn(async move {
                for _ in 0..12_000 {
                    call(&keeper, &office).await.unwrap();
                    tokio::time::sleep(millis(500)).await;
                }
            });
        }
        tasks.join_all().await;
        let fetches = lock(&office.desk).fetches.clone();
        // Refreshed at 85 to 90 % of 600 s, of which each process draws its own: 11 or 12 times in 6,000 s.
        assert!((11..=12).contains(&fetches.len()), "{mode:?}: {fetches:?}");
        assert_eq!(office.most_under_way(), 1, "{mode:?}");
        for two in fetches.windows(2) {
            assert!(two[1] - two[0] >= secs(510), "{mode:?}: {fetches:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn t3_an_office_that_repeats_the_old_token_is_asked_a_few_times_at_its_end() {
    let office = Office::new(Mode::Stable);
    office.set(|desk| desk.life = secs(600));
    let mut tasks = JoinSet::new();
    for keeper in eight(&office) {
        let office = office.clone();
        tasks.spawn(async move {
            for _ in 0..6000 {
                call(&keeper, &office).await.unwrap();
                tokio::time::sleep(secs(1)).await;
            }
        });
    }
    tasks.join_all().await;
    let fetches = office.fetches();
    assert!(
        (10..=60).contains(&fetches),
        "{fetches} by eight in ten lives"
    );
    assert_eq!(office.most_under_way(), 1);
}

#[tokio::test(start_paused = true)]
async fn t3_a_token_that_expires_unused_is_fetched_by_one_of_eight() {
    let office = Office::new(Mode::OldDies);
    let keepers = eight(&office);
    for keeper in &keepers {
        call(keeper, &office).await.unwrap();
    }
    tokio::time::sleep(secs(10_000)).await;
    let mut tasks = JoinSet::new();
    for keeper in keepers {
        let office = office.clone();
        tasks.spawn(async move { call(&keeper, &office).await });
    }
    assert!(tasks.join_all().await.iter().all(Result::is_ok));
    assert_eq!(office.fetches(), 2);
}

#[tokio::test(start_paused = true)]
async fn t6_a_token_killed_early_is_replaced_once_for_eight_processes() {
    let office = Office::new(Mode::OldDies);
    let keepers = eight(&office);
    for keeper in &keepers {
        call(keeper, &office).await.unwrap();
    }
    office.kill();
    let mut tasks = JoinSet::new();
    for keeper in keepers {
        for _ in 0..25 {
            let (keeper, office) = (keeper.clone(), office.clone());
            tasks.spawn(async move { call(&keeper, &office).await });
        }
    }
    assert!(tasks.join_all().await.iter().all(Result::is_ok));
    assert_eq!(office.fetches(), 2);
}

#[tokio::test(start_paused = true)]
async fn t6_a_process_that_comes_late_takes_what_another_has_stored() {
    let office = Office::new(Mode::OldDies);
    let keepers = eight(&office);
    for keeper in &keepers {
        call(keeper, &office).await.unwrap();
    }
    office.kill();
    for keeper in &keepers {
        call(keeper, &office).await.unwrap();
        tokio::time::sleep(secs(30)).await;
    }
    assert_eq!(office.fetches(), 2);
}

#[tokio::test(start_paused = true)]
async fn t6_a_rejected_token_is_gone_for_processes_to_come() {
    let (office, store) = (Office::new(Mode::OldDies), memory());
    let keeper = keeper(&office, &store);
    let dead = keeper.token().await.unwrap();
    keeper.reject(&dead).await;
    assert_eq!(store.load(&key("ww1")).await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn t2_who_gets_the_lease_looks_again_before_it_fetches() {
    let office = Office::new(Mode::OldDies);
    office.set(|desk| desk.latency = secs(1));
    let store = Shaky::new();
    let (quick, slow) = (
        keeper(&office, &store),
        keeper(&office, &store.slower(millis(900))),
    );
    // Looks at 0.9 s and finds nothing; gets the lease at 1.8 s, when the other has been there and gone.
    let slow = tokio::spawn(async move { slow.token().await });
    tokio::time::sleep(millis(500)).await;
    let token = quick.token().await.unwrap();
    assert_eq!(slow.await.unwrap().unwrap(), token);
    assert_eq!(store.granted().len(), 2, "both had the lease");
    assert_eq!(office.fetches(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_refresh_that_another_process_is_at_is_left_to_it() {
    let (office, store) = (Office::new(Mode::OldLives), memory());
    let keeper = keeper(&office, &store);
    let token = keeper.token().await.unwrap();
    tokio::time::sleep(secs(6485)).await;
    store.lease(&key("ww1"), secs(100)).await.unwrap().unwrap();
    assert_eq!(keeper.token().await.unwrap(), token);
    tokio::time::sleep(secs(1)).await;
    assert!(
        keeper.0.lock().idle(),
        "it does not wait for what nobody needs yet"
    );
    assert_eq!(keeper.token().await.unwrap(), token);
    assert_eq!(office.fetches(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_process_that_dies_with_the_lease_delays_the_others_for_its_rest_alone() {
    let office = Office::new(Mode::OldDies);
    let store = memory();
    // What is left of a process that was killed while it fetched.
    store.lease(&key("ww1"), secs(10)).await.unwrap().unwrap();
    let keepers: Vec<Keeper> = (0..7).map(|_| keeper(&office, &store)).collect();
    let before = office.clock.now();
    let mut tasks = JoinSet::new();
    for keeper in keepers {
        let office = office.clone();
        tasks.spawn(async move { call(&keeper, &office).await });
    }
    assert!(tasks.join_all().await.iter().all(Result::is_ok));
    assert_eq!(office.fetches(), 1);
    let waited = office.clock.now() - before;
    assert!(waited >= secs(10) && waited <= millis(11_100), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_fetch_that_fails_in_one_process_is_made_by_another() {
    let (broken, working) = (Office::new(Mode::OldDies), Office::new(Mode::OldDies));
    broken.set(|desk| {
        desk.answer = Answer::Lost;
        desk.latency = secs(2);
    });
    let store = memory();
    let (first, second) = (keeper(&broken, &store), keeper(&working, &store));
    let first = tokio::spawn(async move { first.token().await });
    tokio::time::sleep(millis(100)).await;
    let before = working.clock.now();
    second.token().await.unwrap();
    assert!(
        working.clock.now() - before < secs(3),
        "the lease is given back"
    );
    first.await.unwrap().unwrap_err();
}
