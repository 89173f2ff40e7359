//! Calls in flight at once: too many of one (corp, API), two of one code.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;
use wecom::Clock;
use wecom_sim::profile::{ConflictMode, Fault, FaultKind};

use crate::vendor::{BEGAN_S, Vendor, errcode, fault, latency, multi};

/// Sends calls at the same moment.
async fn at_once(vendor: &Vendor, api: &'static str, bodies: Vec<Value>) -> Vec<i64> {
    let calls = bodies.into_iter().map(|body| {
        let vendor = vendor.clone();
        tokio::spawn(async move { vendor.code(api, &body).await })
    });
    let calls: Vec<_> = calls.collect();
    let mut codes = Vec::new();
    for call in calls {
        codes.push(call.await.expect("it does not panic"));
    }
    codes
}

async fn slow(ms: f64, mode: ConflictMode) -> (Vendor, String) {
    let vendor = Vendor::with(|profile| profile.contact_ways.conflict = mode).await;
    let config_id = vendor.added(&multi(&["m1"])).await;
    vendor.set(|settings| settings.faults = vec![fault(None, latency(ms))]);
    (vendor, config_id)
}

#[tokio::test(start_paused = true)]
async fn more_than_five_in_flight_are_45033() {
    let (vendor, _) = slow(100.0, ConflictMode::default()).await;
    let bodies = vec![json!({"config_id": "none"}); 7];
    let codes = at_once(&vendor, "get_contact_way", bodies.clone()).await;
    assert_eq!(codes, [41044, 41044, 41044, 41044, 41044, 45033, 45033]);
    let seen = vendor.traffic("get_contact_way");
    assert_eq!((seen.peak_in_flight, seen.over_concurrency), (5, 2));
    assert_eq!(
        at_once(&vendor, "get_contact_way", bodies[..5].to_vec()).await,
        [41044; 5]
    );
}

#[tokio::test(start_paused = true)]
async fn in_flight_is_counted_for_each_api() {
    let (vendor, config_id) = slow(100.0, ConflictMode::default()).await;
    vendor.set(|settings| settings.windows.concurrency = 1);
    let body = json!({"config_id": config_id});
    let (get, del) = tokio::join!(
        vendor.code("get_contact_way", &body),
        vendor.code("del_contact_way", &body)
    );
    assert_eq!((get, del), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_goes_away_is_in_flight_until_its_call_is_done() {
    let (vendor, config_id) = slow(1000.0, ConflictMode::default()).await;
    vendor.set(|settings| settings.windows.concurrency = 1);
    let body = json!({"config_id": config_id, "state": "new"});
    let hurried = vendor.post("update_contact_way", &body);
    assert!(
        tokio::time::timeout(Duration::from_millis(500), hurried)
            .await
            .is_err()
    );
    assert_eq!(vendor.code("update_contact_way", &body).await, 45033);
    sleep(Duration::from_millis(501)).await;
    assert_eq!(
        vendor.corp().code(&config_id).unwrap().state,
        "new",
        "it was done all the same"
    );
    assert_eq!(vendor.code("update_contact_way", &body).await, 0);
}

#[tokio::test(start_paused = true)]
async fn the_second_of_two_updates_of_one_code_is_45035_or_6000() {
    for (mode, code) in [
        (ConflictMode::Conflict45035, 45035),
        (ConflictMode::Conflict6000, 6000),
    ] {
        let (vendor, config_id) = slow(100.0, mode).await;
        let bodies = vec![
            json!({"config_id": config_id, "user": ["m2"]}),
            json!({"config_id": config_id, "user": ["m3"]}),
        ];
        assert_eq!(
            at_once(&vendor, "update_contact_way", bodies).await,
            [0, code]
        );
        assert_eq!(vendor.way(&config_id).await["user"], json!(["m2"]));
        assert_eq!(vendor.traffic("update_contact_way").conflicts, 1);
        let again = json!({"config_id": config_id, "user": ["m3"]});
        assert_eq!(
            vendor.code("update_contact_way", &again).await,
            0,
            "one after the other"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn updates_of_two_codes_are_no_conflict() {
    let (vendor, first) = slow(100.0, ConflictMode::Conflict45035).await;
    let second = vendor.added(&multi(&["m1"])).await;
    let bodies = [first, second].map(|id| json!({"config_id": id, "user": ["m2"]}));
    assert_eq!(
        at_once(&vendor, "update_contact_way", bodies.to_vec()).await,
        [0, 0]
    );
}

#[tokio::test(start_paused = true)]
async fn a_quick_update_during_a_slow_one_is_the_second() {
    let (vendor, config_id) = slow(100.0, ConflictMode::Conflict45035).await;
    let body = json!({"config_id": config_id, "user": ["m2"]});
    let slow = tokio::spawn({
        let (vendor, body) = (vendor.clone(), body.clone());
        async move { vendor.code("update_contact_way", &body).await }
    });
    sleep(Duration::from_millis(50)).await;
    vendor.set(|settings| settings.faults = vec![]);
    assert_eq!(vendor.code("update_contact_way", &body).await, 45035);
    assert_eq!(slow.await.unwrap(), 0);
}

#[tokio::test(start_paused = true)]
async fn with_last_to_end_the_one_that_ends_last_stays() {
    let (vendor, config_id) = slow(100.0, ConflictMode::LastToEnd).await;
    let first_only = |ms| Fault {
        times: Some(1),
        ..fault(Some("update_contact_way"), latency(ms))
    };
    vendor.set(|settings| settings.faults = vec![first_only(500.0), fault(None, latency(10.0))]);
    let bodies = vec![
        json!({"config_id": config_id, "user": ["m2"]}),
        json!({"config_id": config_id, "user": ["m3"]}),
    ];
    assert_eq!(at_once(&vendor, "update_contact_way", bodies).await, [0, 0]);
    assert_eq!(
        vendor.way(&config_id).await["user"],
        json!(["m2"]),
        "the older list came last"
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_is_done_at_the_end_of_its_time() {
    let (vendor, config_id) = slow(100.0, ConflictMode::default()).await;
    let clock = Clock::system();
    let answer = vendor
        .post("get_contact_way", &json!({"config_id": config_id}))
        .await;
    assert_eq!(errcode(&answer), 0);
    assert_eq!(clock.now(), Duration::from_millis(100));
    let body = json!({"config_id": config_id, "state": "late"});
    let update = tokio::spawn({
        let vendor = vendor.clone();
        async move { vendor.code("update_contact_way", &body).await }
    });
    sleep(Duration::from_millis(99)).await;
    assert_eq!(vendor.corp().code(&config_id).unwrap().state, "");
    assert_eq!(update.await.unwrap(), 0);
    assert_eq!(vendor.corp().code(&config_id).unwrap().state, "late");
    assert_eq!(vendor.corp().code(&config_id).unwrap().created_s, BEGAN_S);
}

#[tokio::test(start_paused = true)]
async fn a_call_without_an_answer_is_no_longer_in_flight() {
    let (vendor, config_id) = slow(1.0, ConflictMode::default()).await;
    vendor.set(|settings| {
        settings.windows.concurrency = 1;
        settings.faults = vec![Fault {
            times: Some(1),
            ..fault(Some("update_contact_way"), FaultKind::TimeoutAfter)
        }];
    });
    let body = json!({"config_id": config_id, "state": "new"});
    let lost = tokio::spawn({
        let (vendor, body) = (vendor.clone(), body.clone());
        async move { vendor.code("update_contact_way", &body).await }
    });
    sleep(Duration::from_secs(1)).await;
    assert_eq!(vendor.code("update_contact_way", &body).await, 0);
    lost.abort();
}
