//! Wrong secrets: a breaker for each tenant, and a count for the address.

use tokio::task::JoinSet;

use super::*;
use crate::error::{Class, NoToken};

fn tenant(corp: usize, office: &Office, egress: &Egress) -> Keeper {
    let corp = format!("ww{corp}");
    keeper_of(
        &corp,
        office,
        &memory(),
        Settings::default(),
        egress.clone(),
    )
}

fn wrong() -> Office {
    let office = Office::new(Mode::OldDies);
    office.set(|desk| desk.answer = Answer::Errcode(40001));
    office
}

#[tokio::test(start_paused = true)]
async fn w8_a_wrong_secret_in_a_loop_is_tried_a_handful_of_times_an_hour() {
    let (bad, good, egress) = (wrong(), Office::new(Mode::OldDies), Egress::default());
    let (looping, other) = (tenant(1, &bad, &egress), tenant(2, &good, &egress));
    let mut broken = 0;
    for _ in 0..36_000 {
        let error = looping.token().await.unwrap_err();
        assert_eq!(error.errcode(), Some(Errcode(40001)));
        if let Kind::NoToken(NoToken::Breaker { retry_after, .. }) = error.kind() {
            assert!(*retry_after <= secs(3600));
            assert_eq!(error.class(), Class::Tenant);
            broken += 1;
        }
        call(&other, &good).await.unwrap();
        tokio::time::sleep(millis(100)).await;
    }
    assert_eq!(bad.fetches(), 6, "at 0, 1, 3, 7, 15 and 31 minutes");
    assert!(broken > 30_000);
    assert_eq!(good.fetches(), 1);
    assert_eq!(egress.refused_last_hour(), 5, "the first was an hour ago");
}

#[tokio::test(start_paused = true)]
async fn w8_every_answer_of_a_refused_secret_says_when_it_is_tried_again() {
    // One of the tenant's, one of a member's, one that this version does not know.
    for errcode in [40001, 60011, 99_999] {
        let (office, egress) = (wrong(), Egress::default());
        office.set(|desk| desk.answer = Answer::Errcode(errcode));
        let keeper = tenant(1, &office, &egress);
        let mut tried = Duration::ZERO;
        for pause in [60, 120, 240] {
            let mut tasks = JoinSet::new();
            for _ in 0..10 {
                let keeper = keeper.clone();
                tasks.spawn(async move { keeper.token().await });
            }
            let mut errors: Vec<Error> = tasks
                .join_all()
                .await
                .into_iter()
                .map(Result::unwrap_err)
                .collect();
            tried = tried.max(office.clock.now());
            // At once, within the half second in which nothing is asked, and later.
            for wait in [0, 1, 250, 300, 700, 5000] {
                tokio::time::sleep(millis(wait)).await;
                errors.push(keeper.token().await.unwrap_err());
                let left = tried + secs(pause) - office.clock.now();
                assert_eq!(errors.last().unwrap().retry_after(), Some(left), "{wait}");
            }
            for error in &errors {
                assert_eq!(error.class(), Class::Tenant, "{errcode}: {error}");
                assert_eq!(error.errcode(), Some(Errcode(errcode)));
                assert!(error.to_string().contains("tried again in"), "{error}");
            }
            assert_eq!(errors[0].retry_after(), Some(secs(pause)), "{errcode}");
            let fetches = office.fetches();
            tokio::time::sleep(errors.last().unwrap().retry_after().unwrap()).await;
            keeper.token().await.unwrap_err();
            assert_eq!(office.fetches(), fetches + 1, "and then it is tried");
            tried = office.clock.now();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn w8_the_breaker_closes_when_the_secret_is_accepted() {
    let (office, egress) = (wrong(), Egress::default());
    let keeper = tenant(1, &office, &egress);
    keeper.token().await.unwrap_err();
    office.set(|desk| desk.answer = Answer::Token);
    tokio::time::sleep(secs(58)).await;
    keeper.token().await.unwrap_err();
    assert_eq!(office.fetches(), 1);
    tokio::time::sleep(secs(3)).await;
    let token = keeper.token().await.unwrap();

    office.set(|desk| desk.answer = Answer::Errcode(40001));
    keeper.reject(&token).await;
    keeper.token().await.unwrap_err();
    tokio::time::sleep(secs(62)).await;
    let before = office.fetches();
    keeper.token().await.unwrap_err();
    assert_eq!(
        office.fetches(),
        before + 1,
        "the pause has begun anew at a minute"
    );
}

#[tokio::test(start_paused = true)]
async fn w8_a_token_of_another_process_closes_the_breaker() {
    let (bad, good, store) = (wrong(), Office::new(Mode::OldDies), memory());
    let broken = keeper(&bad, &store);
    broken.token().await.unwrap_err();
    let token = keeper(&good, &store).token().await.unwrap();
    tokio::time::sleep(secs(2)).await;
    assert_eq!(broken.token().await.unwrap(), token);
    assert_eq!(bad.fetches(), 1);

    bad.set(|desk| desk.answer = Answer::Token);
    broken.reject(&token).await;
    broken.token().await.expect("the secret is good: no pause");
    assert_eq!(bad.fetches(), 2);
}

#[tokio::test(start_paused = true)]
async fn w8_a_proven_secret_that_is_refused_is_proven_no_more() {
    let egress = Egress::new(1).unwrap();
    let (office, bad) = (Office::new(Mode::OldDies), wrong());
    let proven = tenant(1, &office, &egress);
    let token = proven.token().await.unwrap();
    tenant(2, &bad, &egress).token().await.unwrap_err();

    office.set(|desk| desk.answer = Answer::Errcode(40001));
    proven.reject(&token).await;
    let error = proven.token().await.unwrap_err();
    assert_eq!(
        error.errcode(),
        Some(Errcode(40001)),
        "it was proven, so it goes on"
    );
    tokio::time::sleep(secs(100)).await;
    let error = proven.token().await.unwrap_err();
    assert!(
        matches!(error.kind(), Kind::NoToken(NoToken::TooMany { .. })),
        "{error}"
    );
    assert_eq!(office.fetches(), 2);
}

#[tokio::test(start_paused = true)]
async fn w8_who_waits_for_room_is_told_when_there_will_be_none() {
    let egress = Egress::new(1).unwrap();
    let bad = wrong();
    let mut tasks = JoinSet::new();
    for corp in 0..50 {
        let keeper = tenant(corp, &bad, &egress);
        tasks.spawn(async move { keeper.token().await });
    }
    let before = bad.clock.now();
    assert!(tasks.join_all().await.iter().all(Result::is_err));
    assert!(
        bad.clock.now() - before < secs(1),
        "as soon as the first is refused"
    );
    assert_eq!(bad.fetches(), 1);
}

#[tokio::test(start_paused = true)]
async fn answers_to_what_was_sent_before_the_ban_do_not_prolong_it() {
    let egress = Egress::default();
    let office = Office::new(Mode::OldLives);
    office.set(|desk| desk.answer = Answer::Errcode(45009));
    let mut tasks = JoinSet::new();
    for corp in 0..50 {
        let keeper = tenant(corp, &office, &egress);
        tasks.spawn(async move { keeper.token().await });
    }
    assert!(tasks.join_all().await.iter().all(Result::is_err));
    assert_eq!(office.fetches(), 50, "all were under way");
    assert_eq!(egress.banned_for(), Some(secs(60)));
}

#[tokio::test(start_paused = true)]
async fn who_may_try_but_gets_no_lease_leaves_it_to_another() {
    let (egress, office, store) = (Egress::default(), Office::new(Mode::OldLives), memory());
    office.set(|desk| desk.answer = Answer::Errcode(45009));
    let of = |corp| keeper_of(corp, &office, &store, Settings::default(), egress.clone());
    of("ww1").token().await.unwrap_err();
    tokio::time::sleep(secs(61)).await;
    office.set(|desk| desk.answer = Answer::Token);
    store.lease(&key("ww2"), secs(1000)).await.unwrap().unwrap();
    let waits = of("ww2");
    let waits = tokio::spawn(async move { waits.token().await });
    tokio::time::sleep(millis(100)).await;
    of("ww3").token().await.expect("the attempt is free again");
    waits.abort();
}

#[tokio::test(start_paused = true)]
async fn w8_a_refused_refresh_keeps_the_token_at_hand() {
    let (office, egress) = (Office::new(Mode::OldLives), Egress::default());
    let keeper = tenant(1, &office, &egress);
    let token = keeper.token().await.unwrap();
    office.set(|desk| desk.answer = Answer::Errcode(40001));
    tokio::time::sleep(secs(6485)).await;
    for _ in 0..700 {
        assert_eq!(keeper.token().await.unwrap(), token);
        tokio::time::sleep(secs(1)).await;
    }
    assert_eq!(office.fetches(), 5, "refreshed at 0, 1, 3 and 7 minutes");
    tokio::time::sleep(secs(20)).await;
    assert_eq!(keeper.token().await.unwrap_err().class(), Class::Tenant);
}

#[tokio::test(start_paused = true)]
async fn w8_thirty_thousand_wrong_secrets_are_refused_six_hundred_times_an_hour() {
    let (bad, good, egress) = (wrong(), Office::new(Mode::OldDies), Egress::default());
    let proven = tenant(0, &good, &egress);
    call(&proven, &good).await.unwrap();
    let mut tasks = JoinSet::new();
    for corp in 1..=30_000 {
        let keeper = tenant(corp, &bad, &egress);
        tasks.spawn(async move {
            for _ in 0..4 {
                let error = keeper.token().await.unwrap_err();
                let wait = error.retry_after().unwrap_or(secs(60));
                assert!(wait <= secs(3600), "{error}");
                tokio::time::sleep(wait.max(secs(1))).await;
            }
        });
    }
    for _ in 0..360 {
        tokio::time::sleep(secs(10)).await;
        good.kill();
        call(&proven, &good).await.expect("a proven tenant goes on");
    }
    let fetches = lock(&bad.desk).fetches.clone();
    assert!(fetches.len() >= 200, "{}", fetches.len());
    for more in fetches.windows(601) {
        assert!(more[600] - more[0] >= secs(3600), "{} in an hour", 601);
    }
}

/// Asks again and again until there is a token, and returns how long it took.
async fn gets_one(tenant: Keeper, office: &Office, every: Duration) -> Duration {
    let before = office.clock.now();
    while tenant.token().await.is_err() {
        tokio::time::sleep(every).await;
    }
    office.clock.now() - before
}

#[tokio::test(start_paused = true)]
async fn w8_a_good_new_tenant_gets_its_token_while_a_thousand_bad_ones_hammer() {
    let (bad, good, egress) = (wrong(), Office::new(Mode::OldDies), Egress::default());
    let mut hammering = JoinSet::new();
    for corp in 1..=1000 {
        let keeper = tenant(corp, &bad, &egress);
        hammering.spawn(async move {
            // All out of step, so that a turn is taken as soon as it is there.
            let every = secs(7) + millis(11 * u64::try_from(corp % 500).unwrap());
            loop {
                keeper.token().await.unwrap_err();
                tokio::time::sleep(every).await;
            }
        });
    }
    tokio::time::sleep(secs(30)).await;
    assert!(
        (202..=203).contains(&bad.fetches()),
        "one in 9 s after the first 200"
    );

    // Among hundreds that nobody has tried either: when each of them had its turn, at the latest.
    let waited = gets_one(tenant(2001, &good, &egress), &good, secs(10)).await;
    let turns = secs(9000);
    assert!(waited <= turns, "{waited:?}");
    tokio::time::sleep(turns - waited).await;
    // All of the others have been refused by now, and ask on.
    for corp in 2002..2012 {
        let waited = gets_one(tenant(corp, &good, &egress), &good, secs(1)).await;
        assert!(waited <= secs(10), "{waited:?}");
        tokio::time::sleep(secs(300)).await;
    }
    hammering.abort_all();
    let fetches = lock(&bad.desk).fetches.clone();
    assert!(fetches.len() >= 1000, "{}", fetches.len());
    for more in fetches.windows(601) {
        assert!(more[600] - more[0] >= secs(3600), "601 in an hour");
    }
}

#[tokio::test(start_paused = true)]
async fn new_tenants_that_are_good_do_not_wait_for_each_other_behind_bad_ones() {
    let (bad, good) = (wrong(), Office::new(Mode::OldLives));
    let egress = Egress::new(1).unwrap();
    tenant(0, &bad, &egress).token().await.unwrap_err();
    tokio::time::sleep(secs(1799)).await;
    let early = tenant(1, &good, &egress).token().await.unwrap_err();
    assert_eq!(early.retry_after(), Some(secs(1)));
    tokio::time::sleep(secs(1)).await;
    let mut tasks = JoinSet::new();
    for corp in 2..102 {
        let keeper = tenant(corp, &good, &egress);
        tasks.spawn(async move { keeper.token().await });
    }
    assert!(tasks.join_all().await.iter().all(Result::is_ok));
    assert_eq!(good.most_under_way(), 1, "one at a time");
}

#[tokio::test(start_paused = true)]
async fn thirty_thousand_good_secrets_are_all_accepted_in_one_start() {
    let egress = Egress::default();
    let office = Office::new(Mode::OldLives);
    let store = memory();
    let mut tasks = JoinSet::new();
    for corp in 0..30_000 {
        let settings = Settings::default();
        let corp = format!("ww{corp}");
        let keeper = keeper_of(&corp, &office, &store, settings, egress.clone());
        tasks.spawn(async move { keeper.token().await });
    }
    assert!(tasks.join_all().await.iter().all(Result::is_ok));
    assert_eq!(office.fetches(), 30_000);
    assert!(
        office.most_under_way() <= 200,
        "those not proven are counted as if refused"
    );
}

#[tokio::test(start_paused = true)]
async fn many_proven_secrets_that_turn_bad_at_once_end_at_the_ceiling() {
    let egress = Egress::new(10).unwrap();
    let office = Office::new(Mode::OldLives);
    let tenants: Vec<Keeper> = (0..500)
        .map(|corp| tenant(corp, &office, &egress))
        .collect();
    for tenant in &tenants {
        let token = tenant.token().await.unwrap();
        tenant.reject(&token).await;
    }
    office.set(|desk| desk.answer = Answer::Errcode(60020));
    let before = office.fetches();
    let mut tasks = JoinSet::new();
    for tenant in tenants {
        tasks.spawn(async move { tenant.token().await });
    }
    assert!(tasks.join_all().await.iter().all(Result::is_err));
    assert_eq!(office.fetches() - before, 40);
    assert_eq!(egress.refused_last_hour(), 40);
}

#[tokio::test(start_paused = true)]
async fn while_the_address_is_banned_one_tries_at_the_end_of_each_pause() {
    let egress = Egress::default();
    let office = Office::new(Mode::OldLives);
    office.set(|desk| desk.answer = Answer::Errcode(45009));
    let tenants: Vec<Keeper> = (0..50).map(|corp| tenant(corp, &office, &egress)).collect();
    tenants[0].token().await.unwrap_err();
    assert_eq!(egress.banned_for(), Some(secs(60)));
    for second in 0..3600 {
        for tenant in &tenants[1..] {
            let error = tenant.token().await.unwrap_err();
            match error.kind() {
                Kind::NoToken(NoToken::TooMany { retry_after }) => {
                    assert!(*retry_after <= secs(960), "{second}: {error}");
                }
                _ => assert_eq!(
                    error.errcode(),
                    Some(Errcode::FREQUENCY),
                    "{second}: {error}"
                ),
            }
        }
        tokio::time::sleep(secs(1)).await;
    }
    let seconds: Vec<u64> = lock(&office.desk)
        .fetches
        .iter()
        .map(Duration::as_secs)
        .collect();
    assert!((6..=7).contains(&seconds.len()), "{seconds:?}");
    assert_eq!(
        egress.refused_last_hour(),
        0,
        "it says nothing of any secret"
    );

    office.set(|desk| desk.answer = Answer::Token);
    tokio::time::sleep(secs(961)).await;
    for tenant in &tenants {
        tenant.token().await.unwrap();
    }
    assert_eq!(egress.banned_for(), None);
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_gets_no_answer_is_followed_by_another_soon() {
    let egress = Egress::default();
    let office = Office::new(Mode::OldLives);
    office.set(|desk| desk.answer = Answer::Errcode(45009));
    let (first, second) = (tenant(1, &office, &egress), tenant(2, &office, &egress));
    first.token().await.unwrap_err();
    tokio::time::sleep(secs(61)).await;
    office.set(|desk| desk.answer = Answer::Never);
    let probe = tokio::spawn(async move { first.token().await });
    tokio::time::sleep(secs(1)).await;
    second.token().await.unwrap_err();
    assert_eq!(office.fetches(), 2, "one at a time");
    probe.await.unwrap().unwrap_err();
    office.set(|desk| desk.answer = Answer::Token);
    tokio::time::sleep(secs(11)).await;
    second.token().await.unwrap();
}

#[test]
fn an_address_may_err_from_once_to_four_hundred_times() {
    assert!(Egress::new(1).is_ok());
    assert!(Egress::new(400).is_ok());
    for wrong in [0, 401] {
        let error = Egress::new(wrong).unwrap_err();
        assert_eq!(error.field(), "refusals_per_hour");
    }
}
