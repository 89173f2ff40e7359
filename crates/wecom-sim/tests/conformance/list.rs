//! `list_contact_way`.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::advance;
use wecom_sim::world::CodeSeed;

use crate::vendor::{BEGAN_S, Vendor, errcode, multi};

const DAY_S: u64 = 86_400;

/// Codes that were made then.
fn load(vendor: &Vendor, created: &[u64]) -> Vec<String> {
    let seeds: Vec<_> = created
        .iter()
        .map(|created_s| CodeSeed {
            users: &["m1"],
            created_s: Some(*created_s),
            ..CodeSeed::default()
        })
        .collect();
    vendor.corp().add_codes(&seeds).expect("m1 is a member")
}

async fn page(vendor: &Vendor, body: &Value) -> (Vec<String>, String) {
    let answer = vendor.post("list_contact_way", body).await;
    assert_eq!(errcode(&answer), 0, "{answer}");
    let ways = answer["contact_way"].as_array().expect("a list");
    let ids = ways.iter().map(|way| {
        assert_eq!(
            way.as_object().map(serde_json::Map::len),
            Some(1),
            "ids alone: {way}"
        );
        way["config_id"].as_str().expect("an id").to_owned()
    });
    (
        ids.collect(),
        answer["next_cursor"].as_str().expect("a cursor").to_owned(),
    )
}

#[tokio::test(start_paused = true)]
async fn the_default_range_is_90_days() {
    let vendor = Vendor::new().await;
    let ids = load(
        &vendor,
        &[BEGAN_S - 90 * DAY_S - 1, BEGAN_S - 90 * DAY_S, BEGAN_S],
    );
    assert_eq!(
        page(&vendor, &json!({})).await,
        (ids[1..].to_vec(), String::new())
    );
}

#[tokio::test(start_paused = true)]
async fn the_range_includes_both_ends() {
    let vendor = Vendor::new().await;
    let ids = load(
        &vendor,
        &[BEGAN_S - 9, BEGAN_S - 8, BEGAN_S - 7, BEGAN_S - 6],
    );
    let body = json!({"start_time": BEGAN_S - 8, "end_time": BEGAN_S - 7});
    assert_eq!(page(&vendor, &body).await.0, ids[1..3]);
}

#[tokio::test(start_paused = true)]
async fn codes_of_before_2021_07_10_are_hidden_and_still_there() {
    let vendor = Vendor::new().await;
    let old = 1_625_846_400;
    let ids = load(&vendor, &[old - DAY_S, old, old + 1]);
    assert_eq!(page(&vendor, &json!({"start_time": 0})).await.0, ids[2..]);
    vendor.way(&ids[0]).await;
}

#[tokio::test(start_paused = true)]
async fn temporary_and_deleted_codes_are_not_listed() {
    let vendor = Vendor::new().await;
    let ids = load(&vendor, &[BEGAN_S, BEGAN_S]);
    vendor
        .added(&json!({"type": 1, "scene": 2, "user": ["m1"], "is_temp": true}))
        .await;
    assert_eq!(
        vendor
            .code("del_contact_way", &json!({"config_id": ids[0]}))
            .await,
        0
    );
    assert_eq!(page(&vendor, &json!({})).await.0, ids[1..]);
}

#[tokio::test(start_paused = true)]
async fn a_code_that_was_just_added_is_listed() {
    let vendor = Vendor::new().await;
    advance(Duration::from_secs(5)).await;
    let config_id = vendor.added(&multi(&["m1"])).await;
    let body = json!({"start_time": BEGAN_S + 5, "end_time": BEGAN_S + 5});
    assert_eq!(page(&vendor, &body).await.0, [config_id]);
}

#[tokio::test(start_paused = true)]
async fn pages_hold_100_by_default_and_an_empty_cursor_is_the_end() {
    let vendor = Vendor::new().await;
    let ids = load(&vendor, &[BEGAN_S; 200]);
    let (first, cursor) = page(&vendor, &json!({})).await;
    assert_eq!(first, ids[..100]);
    assert_ne!(cursor, "");
    let (second, cursor) = page(&vendor, &json!({"cursor": cursor})).await;
    assert_eq!(
        (second.as_slice(), cursor.as_str()),
        (&ids[100..], ""),
        "full, and the last all the same"
    );
}

#[tokio::test(start_paused = true)]
async fn the_limit_is_1_to_1000() {
    let vendor = Vendor::new().await;
    let ids = load(&vendor, &vec![BEGAN_S; 1001]);
    for limit in [0, 1001, -1] {
        assert_eq!(
            vendor
                .code("list_contact_way", &json!({"limit": limit}))
                .await,
            40058,
            "{limit}"
        );
    }
    assert_eq!(page(&vendor, &json!({"limit": 1})).await.0, ids[..1]);
    let (first, cursor) = page(&vendor, &json!({"limit": 1000})).await;
    assert_eq!(first.len(), 1000);
    let (rest, end) = page(&vendor, &json!({"limit": 1000, "cursor": cursor})).await;
    assert_eq!((rest.as_slice(), end.as_str()), (&ids[1000..], ""));
}

#[tokio::test(start_paused = true)]
async fn what_is_added_or_deleted_between_pages_moves_nothing() {
    let vendor = Vendor::new().await;
    let ids = load(&vendor, &[BEGAN_S; 4]);
    let (first, cursor) = page(&vendor, &json!({"limit": 2})).await;
    assert_eq!(first, ids[..2]);
    assert!(vendor.corp().delete_code(&ids[0]));
    let added = vendor.added(&multi(&["m1"])).await;
    let (rest, _) = page(&vendor, &json!({"limit": 9, "cursor": cursor})).await;
    assert_eq!(rest, [ids[2].clone(), ids[3].clone(), added]);
}

#[tokio::test(start_paused = true)]
async fn a_bad_cursor_or_range_is_40058() {
    let vendor = Vendor::new().await;
    for body in [
        json!({"cursor": "x"}),
        json!({"cursor": "0".repeat(32)}),
        json!({"start_time": 2, "end_time": 1}),
        json!({"start_time": -1}),
        json!({"end_time": 1}),
    ] {
        assert_eq!(
            vendor.code("list_contact_way", &body).await,
            40058,
            "{body}"
        );
    }
}
