//! Callbacks: bursts, repetitions, both events of one customer, and what no event tells.

use std::collections::HashSet;

use http::Method;
use serde_json::json;
use tokio::time::sleep;
use wecom::{
    Errcode,
    api::{
        AddContactWay, BatchEntry, BatchGetByUser, ExternalUserId, GetExternalContact, Scene, Users,
    },
    callback::{ContactChange, Event},
};
use wecom_sim::{profile::AddEvents, world::NewRelation};

use crate::support::*;

/// A vendor whose callbacks go to this platform.
fn told(change: impl FnOnce(&mut wecom_sim::Profile)) -> (Vendor, Platform) {
    let vendor = Vendor::with(|profile| {
        profile.corps[0].callback = Some(address("http://127.0.0.1:9/callback"));
        change(profile);
    });
    let platform = Platform::default();
    let router = platform.router(vendor.clock);
    vendor.sim.parts().sender().to_service(router);
    (vendor, platform)
}

async fn settled(vendor: &Vendor) {
    vendor.sim.parts().sender().settled(CORP).await;
}

#[tokio::test(start_paused = true)]
async fn c2_a_thousand_customers_in_one_second_are_counted_to_the_last() {
    let (vendor, platform) = told(|profile| profile.callbacks.adds = AddEvents::Full);
    let client = vendor.client(CORP);
    let state = wecom::api::State::new("door").unwrap();
    let add = AddContactWay::multi(Scene::QrCode, members(1..=10)).state(state);
    let code = client.add_contact_way(&add).await.unwrap().config_id;
    let scans = vendor
        .sim
        .parts()
        .scanner()
        .burst(CORP, code.as_str(), 1000);
    assert_eq!(scans.unwrap().len(), 1000);
    settled(&vendor).await;
    let kept = platform.kept();
    assert_eq!((kept.delivered, kept.log.len()), (1000, 1000));
    assert_eq!(kept.customers, [(String::from("door"), 1000)].into());
    assert_eq!(vendor.corp(CORP).relations().len(), 1000);
}

#[tokio::test(start_paused = true)]
async fn c5_a_customer_counts_once_whether_one_or_both_of_the_events_come() {
    for (adds, lost) in [
        (AddEvents::Full, 0.0),
        (AddEvents::Half, 0.0),
        (AddEvents::Both, 0.0),
        (AddEvents::Both, 0.3),
    ] {
        let (vendor, platform) = told(|profile| {
            profile.callbacks.adds = adds;
            profile.callbacks.lost = lost;
            profile.callbacks.duplicates = 0.2;
            profile.callbacks.reordered = 0.2;
        });
        let code = vendor.code(CORP);
        let scanner = vendor.sim.parts().scanner();
        let scans = scanner.burst(CORP, code.as_str(), 200).unwrap();
        settled(&vendor).await;
        let kept = platform.kept();
        let counted: u64 = kept.customers.values().sum();
        // Those of whom at least one event came.
        let told: HashSet<&str> = kept.log.iter().filter_map(customer).collect();
        assert_eq!(
            usize::try_from(counted).unwrap(),
            told.len(),
            "{adds:?} {lost}"
        );
        let counts = vendor.sim.parts().sender().counts(CORP).unwrap();
        assert!(counts.duplicated > 0, "seed {SEED}: {counts:?}");
        if lost == 0.0 {
            assert_eq!(counted, 200, "{adds:?}");
        } else {
            assert!((150..200).contains(&counted), "seed {SEED}: {counted}");
            // What callbacks do not tell, the reads of customers do.
            let client = vendor.client(CORP);
            let mut entries = client.customers(BatchGetByUser::new(Users::one(member(1))));
            let mut read = 0;
            while let Some(entry) = entries.next().await {
                read += usize::from(matches!(entry.unwrap(), BatchEntry::Customer(_)));
            }
            assert_eq!(read, scans.len());
        }
    }
}

fn customer(event: &Event) -> Option<&str> {
    match event {
        Event::Contact(contact) => Some(contact.external_user.as_str()),
        _ => None,
    }
}

#[tokio::test(start_paused = true)]
async fn c4_a_read_that_lags_behind_a_removal_is_not_the_last_word() {
    let (vendor, platform) = told(|profile| profile.contact_ways.read_lag_s = 60);
    let client = vendor.client(CORP);
    let relation = NewRelation {
        external_userid: "wm1",
        userid: "m1",
        state: "door",
        add_way: 1,
        createtime: START.as_secs(),
    };
    vendor.corp(CORP).add_relation(relation).unwrap();
    let body = json!({"external_userid": "wm1", "userid": "m1", "by": "customer"});
    let path = format!("/admin/corps/{CORP}/customers/remove");
    vendor.admin(Method::POST, &path, &body).await;
    settled(&vendor).await;

    let log = platform.kept().log;
    let [Event::Contact(contact)] = &log[..] else {
        panic!("{log:?}");
    };
    assert_eq!(contact.change, ContactChange::RemovedByCustomer);
    // The event is right, and the read that is made at once is not: it still names the member.
    let call = GetExternalContact::new(ExternalUserId::new("wm1").unwrap());
    let page = client.get_external_contact(&call).await.unwrap();
    assert_eq!(page.follow_user.len(), 1);
    assert_eq!(page.follow_user[0].userid, member(1));
    // Looked at again later it agrees.
    sleep(secs(61)).await;
    let later = client.get_external_contact(&call).await;
    let gone = match &later {
        Ok(page) => page.follow_user.is_empty(),
        Err(error) => error.errcode() == Some(Errcode(84061)),
    };
    assert!(gone, "{later:?}");
}

#[tokio::test(start_paused = true)]
async fn c8_a_member_who_is_disabled_is_told_of_by_nobody_and_found_by_reads() {
    let (vendor, platform) = told(|_| {});
    let client = vendor.client(CORP);
    let code = vendor.code(CORP);
    lead_to(&client, &code, [1, 2]).await.unwrap();
    let path = format!("/admin/corps/{CORP}/members/m2");
    vendor
        .admin(Method::PATCH, &path, &json!({"flag": ["disabled"]}))
        .await;
    settled(&vendor).await;
    assert_eq!(platform.kept().delivered, 0, "no callback");
    // No push is refused for him either, and customers go to nobody.
    lead_to(&client, &code, [1, 2]).await.unwrap();
    let scans = vendor
        .sim
        .parts()
        .scanner()
        .burst(CORP, code.as_str(), 50)
        .unwrap();
    let to_him = scans
        .iter()
        .filter(|scan| scan.userid.as_deref() == Some("m2"));
    let to_him: Vec<_> = to_him.collect();
    assert!(to_him.len() > 10 && to_him.iter().all(|scan| !scan.is_added));

    let list = [member(1), member(2)];
    let unfit = client.find_unfit(&list).await.unwrap();
    let found: Vec<&str> = unfit.iter().map(|one| one.userid.as_str()).collect();
    assert_eq!(found, ["m2"]);
    lead_to(&client, &code, [1]).await.unwrap();
    let scans = vendor
        .sim
        .parts()
        .scanner()
        .burst(CORP, code.as_str(), 50)
        .unwrap();
    assert!(scans.iter().all(|scan| scan.is_added));
}

#[tokio::test(start_paused = true)]
async fn c1_two_changes_of_one_second_are_two_events_and_a_repetition_is_none() {
    let (vendor, platform) = told(|profile| profile.callbacks.duplicates = 1.0);
    let body = json!({"userid": "new1"});
    vendor
        .admin(Method::POST, "/admin/corps/ww1/members", &body)
        .await;
    let moved = json!({"userid": "new2"});
    vendor
        .admin(Method::PATCH, "/admin/corps/ww1/members/new1", &moved)
        .await;
    settled(&vendor).await;
    let kept = platform.kept();
    assert_eq!((kept.delivered, kept.log.len()), (4, 2), "{:?}", kept.log);
    assert!(
        kept.log
            .iter()
            .all(|event| matches!(event, Event::Directory(_)))
    );
}

#[tokio::test(start_paused = true)]
async fn c3_an_event_whose_handler_is_too_slow_comes_again_and_counts_once() {
    let (vendor, platform) = told(|profile| profile.callbacks.adds = AddEvents::Full);
    let code = vendor.code(CORP);
    platform.next_ones(&[Does::After(secs(8))]);
    vendor
        .sim
        .parts()
        .scanner()
        .scan(CORP, code.as_str())
        .unwrap();
    settled(&vendor).await;
    sleep(secs(10)).await;
    let kept = platform.kept();
    let counts = vendor.sim.parts().sender().counts(CORP).unwrap();
    assert_eq!((counts.answered, counts.retried), (1, 1), "{counts:?}");
    assert_eq!((kept.delivered, kept.log.len()), (1, 1));
    assert_eq!(kept.customers.values().sum::<u64>(), 1);
}
