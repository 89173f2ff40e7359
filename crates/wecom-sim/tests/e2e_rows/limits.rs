//! Limits and what goes wrong within them: reads that fail, codes that are lost, secrets that turn wrong.

use std::{convert::Infallible, sync::Arc};

use tokio::{task::JoinSet, time::sleep};
use wecom::{
    Action, Client, Credential,
    api::{AddContactWay, BatchGetByUser, ListContactWay, Scene, Users},
    limit::Limits,
};
use wecom_sim::profile::{Fault, FaultKind};

use crate::support::*;

#[tokio::test(start_paused = true)]
async fn w1_a_read_that_fails_is_never_an_empty_or_a_shorter_list() {
    let kinds = [
        FaultKind::Busy,
        FaultKind::Reset,
        FaultKind::Html502,
        FaultKind::TimeoutAfter,
        FaultKind::Errcode { errcode: 45033 },
        FaultKind::Errcode { errcode: 45009 },
        FaultKind::Errcode { errcode: 40058 },
    ];
    for what in kinds {
        let vendor = Vendor::new();
        let client = vendor.client(CORP);
        vendor.codes(CORP, 25);
        let call = || ListContactWay::new().limit(10).unwrap();
        let mut ids = client.contact_ways(call());
        for _ in 0..10 {
            ids.next().await.unwrap().unwrap();
        }
        // The second page, and every list that members are held against.
        vendor.faults([
            fault("list_contact_way", 1, what.clone()),
            fault("get_follow_user_list", 1, what.clone()),
            fault("batch/get_by_user", 1, what.clone()),
        ]);
        let failed = ids.next().await.unwrap();
        assert!(failed.is_err(), "{what:?}: {failed:?}");
        assert!(client.find_unfit(&[member(1)]).await.is_err(), "{what:?}");
        let mut customers = client.customers(BatchGetByUser::new(Users::one(member(1))));
        assert!(customers.next().await.unwrap().is_err(), "{what:?}");

        // Where it stopped it goes on, and nothing is missing then.
        sleep(secs(3700)).await;
        vendor.faults([]);
        let cursor = String::from(ids.cursor().unwrap());
        let mut rest = client.contact_ways(call().from_cursor(cursor).unwrap());
        let mut count = 0;
        while let Some(id) = rest.next().await {
            id.unwrap();
            count += 1;
        }
        assert_eq!(count, 15, "{what:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn w7_what_is_lost_can_be_found_among_all_codes_and_put_to_use_again() {
    let vendor = Vendor::new();
    let client = vendor.client(CORP);
    vendor.codes(CORP, 2500);
    // A process that dies between the answer and its store: the ids are gone, the codes are not.
    let begun = vendor.clock.calendar();
    for number in 0..3 {
        let state = wecom::api::State::new(format!("lost-{number}")).unwrap();
        let add = AddContactWay::multi(Scene::QrCode, members([1])).state(state);
        client.add_contact_way(&add).await.unwrap();
    }
    let times = begun..vendor.clock.calendar() + secs(60);
    let patient = client.with_patience(secs(3600));
    let found = patient
        .find_contact_ways(times, |code| code.state.starts_with("lost-"))
        .await
        .unwrap();
    assert_eq!(found.len(), 3);
    for orphan in &found {
        client.del_contact_way(&orphan.config_id).await.unwrap();
    }
    assert_eq!(vendor.corp(CORP).code_count(), 2500);
}

#[tokio::test(start_paused = true)]
async fn w8_a_secret_that_turns_wrong_and_is_mended_costs_a_few_fetches() {
    let vendor = Vendor::new();
    let client = vendor.client(CORP);
    let code = vendor.code(CORP);
    client.get_contact_way(&code).await.unwrap();
    // The administrator makes a new secret: the old one and its tokens are worth nothing.
    vendor.corp(CORP).set_secret("new");
    vendor.corp(CORP).kill_tokens();
    let until = vendor.clock.now() + secs(3600);
    while vendor.clock.now() < until {
        let error = client.get_contact_way(&code).await.unwrap_err();
        assert_eq!(error.action(), Action::PauseTenant, "{error}");
        sleep(secs(1)).await;
    }
    let tried = vendor.answered(CORP, GET_TOKEN, 40001);
    assert!((2..=8).contains(&tried), "{tried}");
    // A client with the new secret does not wait for what the old one has earned.
    let credential = Credential::app(CORP, "new").unwrap();
    let mended = vendor.on(Client::builder(credential).clock(vendor.clock));
    mended.get_contact_way(&code).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn w2_what_one_tenant_has_learnt_is_not_held_against_another() {
    let vendor = Vendor::with(|profile| profile.corps.push(enterprise("ww2")));
    let limiter = local(Limits::default());
    let first = vendor.on(vendor.builder(CORP).limiter(Arc::clone(&limiter)));
    let second = vendor.on(vendor.builder("ww2").limiter(limiter));
    let (code, theirs) = (vendor.code(CORP), vendor.code("ww2"));
    let over = Fault {
        corp: Some(String::from(CORP)),
        ..fault(UPDATE, 1, FaultKind::Errcode { errcode: 45009 })
    };
    vendor.faults([over]);
    assert!(lead_to(&first, &code, [2]).await.is_err());
    let impatient = first.with_patience(secs(1));
    assert!(lead_to(&impatient, &code, [2]).await.is_err(), "blocked");
    // Neither another tenant nor another API of the same one waits.
    let begun = vendor.clock.now();
    for _ in 0..20 {
        lead_to(&second, &theirs, [2]).await.unwrap();
        first.get_contact_way(&code).await.unwrap();
    }
    assert_eq!(vendor.clock.now(), begun);
    assert_eq!(
        vendor.traffic(CORP, UPDATE).calls,
        1,
        "nothing is sent into a block"
    );
}

#[tokio::test(start_paused = true)]
async fn w1_many_readers_and_writers_at_once_lose_nothing() {
    let vendor = Vendor::with(|profile| {
        profile.faults = vec![
            latencies(30.0, 300.0),
            Fault {
                share: 0.05,
                ..Fault::always(FaultKind::Busy)
            },
        ];
    });
    let client = vendor.client(CORP).with_patience(secs(600));
    let codes = vendor.codes(CORP, 300);
    let mut work = JoinSet::new();
    for code in codes.clone() {
        let client = client.clone();
        work.spawn(async move {
            let list = loop {
                match client.get_contact_way(&code).await {
                    Ok(way) => break way.user,
                    Err(error) => assert_eq!(error.action(), Action::Repeat, "{error}"),
                }
            };
            assert_eq!(list, [member(1)], "an errored read is no empty list");
            while let Err(error) = lead_to(&client, &code, [1, 2]).await {
                assert_eq!(error.action(), Action::Repeat, "{error}");
            }
            Ok::<_, Infallible>(())
        });
    }
    for done in work.join_all().await {
        done.unwrap();
    }
    assert!(
        codes
            .iter()
            .all(|code| vendor.users(CORP, code) == ["m1", "m2"])
    );
    for api in [GET, UPDATE] {
        assert_eq!(vendor.traffic(CORP, api).over_concurrency, 0, "{api}");
    }
}
