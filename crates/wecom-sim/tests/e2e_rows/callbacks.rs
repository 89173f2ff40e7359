//! Callbacks: bursts, repetitions, both events of one customer, and what no event tells.

use std::collections::{BTreeSet, HashSet};

use http::Method;
use serde_json::json;
use tokio::time::sleep;
use wecom::{
    Client, Errcode,
    api::{
        AddContactWay, BatchEntry, BatchGetByUser, ExternalUserId, GetExternalContact, Scene, Users,
    },
    callback::Event,
};
use wecom_sim::{SimService, profile::AddEvents, scan::Scan, world::NewRelation};

use crate::support::*;

/// A member and one of his customers.
type Pair = (String, String);

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

/// Returns who has these customers, by reads of this moment.
async fn read(client: &Client<SimService>, customers: &BTreeSet<String>) -> BTreeSet<Pair> {
    let mut pairs = BTreeSet::new();
    for customer in customers {
        let id = ExternalUserId::new(customer.clone()).expect("an id");
        match client
            .get_external_contact(&GetExternalContact::new(id))
            .await
        {
            Ok(page) => pairs.extend(page.follow_user.iter().map(|follow| {
                let userid = String::from(follow.userid.as_str());
                (userid, customer.clone())
            })),
            Err(error) => assert_eq!(error.errcode(), Some(Errcode(84061)), "{error}"),
        }
    }
    pairs
}

/// Who really has whom.
fn real(vendor: &Vendor) -> BTreeSet<Pair> {
    let relations = vendor.corp(CORP).relations().into_iter();
    relations
        .map(|relation| (relation.userid, relation.external_userid))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn c4_a_read_that_lags_behind_a_removal_is_not_the_last_word() {
    let (vendor, platform) = told(|profile| {
        profile.contact_ways.read_lag_s = 60;
        profile.callbacks.adds = AddEvents::Full;
    });
    let client = vendor.client(CORP);
    for (customer, userid) in [("wm1", "m1"), ("wm2", "m1"), ("wm2", "m2"), ("wm3", "m3")] {
        let relation = NewRelation {
            external_userid: customer,
            userid,
            state: "door",
            add_way: 1,
            createtime: START.as_secs(),
        };
        vendor.corp(CORP).add_relation(relation).unwrap();
    }
    let mut known = real(&vendor);
    let remove = async |customer: &str, by: &str| {
        let body = json!({"external_userid": customer, "userid": "m1", "by": by});
        let path = format!("/admin/corps/{CORP}/customers/remove");
        vendor.admin(Method::POST, &path, &body).await;
    };
    remove("wm1", "customer").await;
    remove("wm2", "member").await;
    // One comes back within the same second; that he left is told all the same.
    let code = vendor.code(CORP);
    let again = Scan {
        corp: CORP,
        config_id: code.as_str(),
        external_userid: Some("wm1"),
        at_s: None,
    };
    let scanner = vendor.sim.parts().scanner();
    assert_eq!(scanner.scan_as(again).unwrap().userid.unwrap(), "m1");
    remove("wm1", "transfer").await;
    settled(&vendor).await;

    // Each event is told, and of it the platform takes no more than whose state to read again.
    let log = platform.kept().log;
    let marked: BTreeSet<String> = log.iter().filter_map(customer).map(String::from).collect();
    assert_eq!(log.len(), 4, "{log:?}");
    assert_eq!(marked, ["wm1", "wm2"].map(String::from).into());

    // Whoever corrects his state at once puts back those who left.
    let hasty = read(&client, &marked).await;
    assert!(hasty.contains(&(String::from("m1"), String::from("wm1"))));
    assert!(!hasty.is_subset(&real(&vendor)), "{hasty:?}");

    // Whoever looks again later is right; the answers of before are not what he is given.
    sleep(secs(61)).await;
    known.retain(|(_, customer)| !marked.contains(customer));
    known.extend(read(&client, &marked).await);
    assert_eq!(known, real(&vendor));
    let calls = vendor.traffic(CORP, "externalcontact/get").calls;
    assert_eq!(calls, 4, "each read is a call");
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
