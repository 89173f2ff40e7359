//! Temporary codes.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::advance;

use crate::vendor::{Vendor, multi};

const DAY_S: u64 = 86_400;

fn temp(fields: &Value) -> Value {
    let mut body = json!({"type": 1, "scene": 2, "user": ["m1"], "is_temp": true});
    for (key, value) in fields.as_object().expect("fields") {
        body[key] = value.clone();
    }
    body
}

#[tokio::test(start_paused = true)]
async fn a_temporary_code_lasts_7_days_and_its_chat_24_hours() {
    let vendor = Vendor::new().await;
    let way = vendor.way(&vendor.added(&temp(&json!({}))).await).await;
    assert_eq!(
        (&way["is_temp"], &way["expires_in"]),
        (&json!(true), &json!(7 * DAY_S))
    );
    assert_eq!(way["chat_expires_in"], DAY_S);
}

#[tokio::test(start_paused = true)]
async fn lives_are_1_second_to_14_days() {
    let vendor = Vendor::new().await;
    for field in ["expires_in", "chat_expires_in"] {
        for (seconds, code) in [
            (1, 0),
            (14 * 86_400, 0),
            (14 * 86_400 + 1, 40058),
            (0, 40058),
            (-1, 40058),
        ] {
            let body = temp(&json!({field: seconds}));
            assert_eq!(vendor.code("add_contact_way", &body).await, code, "{body}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn only_a_code_for_one_can_be_temporary() {
    let vendor = Vendor::new().await;
    assert_eq!(
        vendor
            .code("add_contact_way", &temp(&json!({"type": 2})))
            .await,
        40058
    );
}

#[tokio::test(start_paused = true)]
async fn what_temporary_codes_alone_have_is_40058_on_others() {
    let vendor = Vendor::new().await;
    let config_id = vendor.added(&multi(&["m1"])).await;
    for fields in [
        json!({"expires_in": 60}),
        json!({"chat_expires_in": 60}),
        json!({"unionid": "u"}),
        json!({"conclusions": {"text": {"content": "bye"}}}),
    ] {
        let body = temp(&fields);
        assert_eq!(vendor.code("add_contact_way", &body).await, 0, "{body}");
        let mut lasting = body;
        lasting["is_temp"] = json!(false);
        assert_eq!(
            vendor.code("add_contact_way", &lasting).await,
            40058,
            "{lasting}"
        );
        let mut update = fields;
        update["config_id"] = json!(config_id);
        assert_eq!(
            vendor.code("update_contact_way", &update).await,
            40058,
            "{update}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_enterprise_that_may_make_none_gets_48002() {
    let vendor = Vendor::with(|profile| profile.corps[0].no_temp_codes = true).await;
    assert_eq!(
        vendor.code("add_contact_way", &temp(&json!({}))).await,
        48002
    );
    vendor.added(&multi(&["m1"])).await;
}

#[tokio::test(start_paused = true)]
async fn conclusions_have_limits_in_bytes() {
    let vendor = Vendor::new().await;
    let link = |title: usize, desc: usize| json!({"link": {"title": "x".repeat(title), "desc": "x".repeat(desc), "url": "https://x"}});
    let mini = |title: usize| json!({"miniprogram": {"title": "x".repeat(title), "pic_media_id": "p", "appid": "a", "page": "/"}});
    for (conclusions, code) in [
        (json!({"text": {"content": "张".repeat(1333)}}), 0),
        (json!({"text": {"content": "张".repeat(1334)}}), 40058),
        (json!({"text": {}}), 40063),
        (link(128, 512), 0),
        (link(129, 1), 40058),
        (link(1, 513), 40058),
        (json!({"link": {"title": "x"}}), 40063),
        (mini(64), 0),
        (mini(65), 40058),
        (json!({"image": {}}), 40063),
    ] {
        let body = temp(&json!({"conclusions": conclusions}));
        assert_eq!(vendor.code("add_contact_way", &body).await, code, "{body}");
    }
}

#[tokio::test(start_paused = true)]
async fn text_goes_with_one_of_the_rest_image_before_link_before_miniprogram() {
    let vendor = Vendor::new().await;
    let (image, link) = (
        json!({"media_id": "m"}),
        json!({"title": "t", "url": "https://x"}),
    );
    let mini = json!({"title": "t", "pic_media_id": "p", "appid": "a", "page": "/"});
    let all =
        json!({"text": {"content": "bye"}, "image": image, "link": link, "miniprogram": mini});
    let mut rest = all.clone();
    for kept in ["image", "link", "miniprogram"] {
        let body = temp(&json!({"conclusions": rest}));
        let way = vendor.way(&vendor.added(&body).await).await;
        let keys: Vec<&String> = way["conclusions"].as_object().unwrap().keys().collect();
        assert!(
            keys.len() == 2 && way["conclusions"]["text"]["content"] == "bye",
            "{way}"
        );
        assert!(way["conclusions"].get(kept).is_some(), "{way}");
        rest.as_object_mut().unwrap().remove(kept);
    }
}

#[tokio::test(start_paused = true)]
async fn an_image_comes_back_by_its_address_and_not_by_its_media_id() {
    let vendor = Vendor::new().await;
    let body = temp(&json!({"conclusions": {"image": {"media_id": "m"}}}));
    let way = vendor.way(&vendor.added(&body).await).await;
    let image = &way["conclusions"]["image"];
    assert!(
        image["pic_url"].as_str().unwrap().starts_with("https://"),
        "{image}"
    );
    assert_eq!(image.get("media_id"), None);
}

#[tokio::test(start_paused = true)]
async fn one_that_ended_cannot_be_changed() {
    let vendor = Vendor::new().await;
    let config_id = vendor.added(&temp(&json!({"expires_in": 60}))).await;
    let update = json!({"config_id": config_id, "remark": "x", "expires_in": 120, "unionid": "u"});
    advance(Duration::from_secs(59)).await;
    assert_eq!(vendor.code("update_contact_way", &update).await, 0);
    advance(Duration::from_secs(60)).await;
    assert_eq!(
        vendor.code("update_contact_way", &update).await,
        0,
        "it lasts 120 s now"
    );
    advance(Duration::from_secs(1)).await;
    assert_eq!(vendor.code("update_contact_way", &update).await, 41044);
    assert_eq!(vendor.corp().scan_targets(&config_id), None);
}

#[tokio::test(start_paused = true)]
async fn they_count_by_the_day_and_not_against_the_cap() {
    let vendor = Vendor::with(|profile| {
        profile.contact_ways.codes_per_corp = 1;
        profile.contact_ways.temp_codes_per_day = 2;
    })
    .await;
    let body = temp(&json!({}));
    vendor.added(&body).await;
    vendor.added(&body).await;
    assert_eq!(vendor.code("add_contact_way", &body).await, 41045);
    vendor.added(&multi(&["m1"])).await;
    // The tests begin at 16:53:20 in UTC+8.
    advance(Duration::from_secs(7 * 3600 + 399)).await;
    let vendor = fresh(vendor).await;
    assert_eq!(vendor.code("add_contact_way", &body).await, 41045);
    advance(Duration::from_secs(1)).await;
    vendor.added(&body).await;
}

async fn fresh(mut vendor: Vendor) -> Vendor {
    let given = vendor.get("gettoken?corpid=corp&corpsecret=right").await;
    vendor.token = given["access_token"].as_str().expect("a token").into();
    vendor
}
