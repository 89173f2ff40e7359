//! `update_contact_way`: whole lists, absent fields, empty lists.

use serde_json::{Value, json};
use wecom_sim::profile::EmptyUser;

use crate::vendor::{Vendor, multi};

async fn with_code(mode: EmptyUser) -> (Vendor, String) {
    let vendor = Vendor::with(|profile| profile.contact_ways.empty_user = mode).await;
    let body = json!({"type": 2, "scene": 2, "user": ["m1", "m2"], "party": [2], "state": "s", "remark": "r",
        "skip_verify": false, "mark_source": false});
    let config_id = vendor.added(&body).await;
    (vendor, config_id)
}

async fn update(vendor: &Vendor, config_id: &str, fields: &Value) -> i64 {
    let mut body = fields.clone();
    body["config_id"] = json!(config_id);
    vendor.code("update_contact_way", &body).await
}

#[tokio::test(start_paused = true)]
async fn a_missing_config_id_is_41043_and_an_unknown_one_41044() {
    let (vendor, config_id) = with_code(EmptyUser::Refuse).await;
    for body in [
        json!({}),
        json!({"config_id": ""}),
        json!({"config_id": null}),
    ] {
        assert_eq!(
            vendor.code("update_contact_way", &body).await,
            41043,
            "{body}"
        );
    }
    for unknown in ["x", &config_id[1..], &config_id.to_uppercase(), "张"] {
        assert_eq!(
            update(&vendor, unknown, &json!({})).await,
            41044,
            "{unknown}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn absent_and_null_fields_stay() {
    let (vendor, config_id) = with_code(EmptyUser::Refuse).await;
    let before = vendor.way(&config_id).await;
    for fields in [
        json!({}),
        json!({"user": null, "party": null, "state": null, "remark": null, "skip_verify": null,
            "mark_source": null, "style": null, "conclusions": null}),
    ] {
        assert_eq!(update(&vendor, &config_id, &fields).await, 0);
        assert_eq!(vendor.way(&config_id).await, before);
    }
}

#[tokio::test(start_paused = true)]
async fn user_and_party_replace_the_whole_list() {
    let (vendor, config_id) = with_code(EmptyUser::Refuse).await;
    assert_eq!(
        update(&vendor, &config_id, &json!({"user": ["m3"]})).await,
        0
    );
    let way = vendor.way(&config_id).await;
    assert_eq!((&way["user"], &way["party"]), (&json!(["m3"]), &json!([2])));
    assert_eq!(update(&vendor, &config_id, &json!({"party": [3]})).await, 0);
    let way = vendor.way(&config_id).await;
    assert_eq!((&way["user"], &way["party"]), (&json!(["m3"]), &json!([3])));
    assert_eq!(update(&vendor, &config_id, &json!({"party": []})).await, 0);
    assert_eq!(vendor.way(&config_id).await["party"], json!([]));
}

#[tokio::test(start_paused = true)]
async fn an_update_is_idempotent() {
    let (vendor, config_id) = with_code(EmptyUser::Refuse).await;
    let fields = json!({"user": ["m5", "m4"], "state": "t"});
    assert_eq!(update(&vendor, &config_id, &fields).await, 0);
    let once = vendor.way(&config_id).await;
    assert_eq!(update(&vendor, &config_id, &fields).await, 0);
    assert_eq!(vendor.way(&config_id).await, once);
}

#[tokio::test(start_paused = true)]
async fn every_field_can_be_changed_and_cleared() {
    let (vendor, config_id) = with_code(EmptyUser::Refuse).await;
    let fields = json!({"state": "", "remark": "", "skip_verify": true, "mark_source": true});
    assert_eq!(update(&vendor, &config_id, &fields).await, 0);
    let way = vendor.way(&config_id).await;
    for (field, value) in fields.as_object().unwrap() {
        assert_eq!(&way[field], value, "{field}");
    }
}

#[tokio::test(start_paused = true)]
async fn type_and_scene_cannot_be_changed() {
    let (vendor, config_id) = with_code(EmptyUser::Refuse).await;
    assert_eq!(
        update(&vendor, &config_id, &json!({"type": 1, "scene": 1})).await,
        0
    );
    let way = vendor.way(&config_id).await;
    assert_eq!((&way["type"], &way["scene"]), (&json!(2), &json!(2)));
}

#[tokio::test(start_paused = true)]
async fn an_empty_user_list_is_refused_with_40058() {
    let (vendor, config_id) = with_code(EmptyUser::Refuse).await;
    let before = vendor.way(&config_id).await;
    assert_eq!(
        update(&vendor, &config_id, &json!({"user": [], "state": "t"})).await,
        40058
    );
    assert_eq!(vendor.way(&config_id).await, before);
}

#[tokio::test(start_paused = true)]
async fn an_empty_user_list_keeps_the_old_one() {
    let (vendor, config_id) = with_code(EmptyUser::Keep).await;
    assert_eq!(
        update(&vendor, &config_id, &json!({"user": [], "state": "t"})).await,
        0
    );
    let way = vendor.way(&config_id).await;
    assert_eq!(
        (&way["user"], &way["state"]),
        (&json!(["m1", "m2"]), &json!("t"))
    );
}

#[tokio::test(start_paused = true)]
async fn an_empty_user_list_clears_and_scans_go_nowhere() {
    let (vendor, config_id) = with_code(EmptyUser::Clear).await;
    assert_eq!(
        update(&vendor, &config_id, &json!({"user": [], "party": []})).await,
        0
    );
    assert_eq!(vendor.way(&config_id).await["user"], json!([]));
    assert_eq!(vendor.corp().scan_targets(&config_id), Some(vec![]));
}

#[tokio::test(start_paused = true)]
async fn an_empty_party_that_leaves_nobody_is_refused() {
    for (mode, code) in [
        (EmptyUser::Refuse, 40058),
        (EmptyUser::Keep, 40058),
        (EmptyUser::Clear, 0),
    ] {
        let vendor = Vendor::with(|profile| profile.contact_ways.empty_user = mode).await;
        let config_id = vendor
            .added(&json!({"type": 2, "scene": 2, "party": [2]}))
            .await;
        assert_eq!(
            update(&vendor, &config_id, &json!({"party": []})).await,
            code,
            "{mode:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_code_for_one_stays_with_one_and_takes_no_party() {
    let vendor = Vendor::new().await;
    let config_id = vendor
        .added(&json!({"type": 1, "scene": 2, "user": ["m1"]}))
        .await;
    assert_eq!(
        update(&vendor, &config_id, &json!({"user": ["m2"]})).await,
        0
    );
    assert_eq!(
        update(&vendor, &config_id, &json!({"user": ["m2", "m3"]})).await,
        40058
    );
    assert_eq!(
        update(&vendor, &config_id, &json!({"party": [2]})).await,
        40058
    );
    assert_eq!(vendor.way(&config_id).await["user"], json!(["m2"]));
}

#[tokio::test(start_paused = true)]
async fn limits_are_those_of_add() {
    let (vendor, config_id) = with_code(EmptyUser::Refuse).await;
    for (fields, code) in [
        (json!({"remark": "x".repeat(31)}), 40058),
        (json!({"state": "x".repeat(31)}), 40058),
        (json!({"style": 1}), 41042),
        (json!({"party": [0]}), 40066),
        (json!({"party": [9]}), 60123),
    ] {
        assert_eq!(update(&vendor, &config_id, &fields).await, code, "{fields}");
    }
    let button = vendor
        .added(&json!({"type": 2, "scene": 1, "user": ["m1"]}))
        .await;
    assert_eq!(update(&vendor, &button, &json!({"style": 2})).await, 0);
    assert_eq!(vendor.way(&button).await["style"], 2);
    assert_eq!(update(&vendor, &button, &json!({"style": 3})).await, 41042);
}

#[tokio::test(start_paused = true)]
async fn users_named_twice_are_there_once() {
    let vendor = Vendor::new().await;
    let config_id = vendor.added(&multi(&["m1", "m2", "m1"])).await;
    assert_eq!(vendor.way(&config_id).await["user"], json!(["m1", "m2"]));
}
