//! `add_contact_way`: its fields, their defaults and limits.

use serde_json::{Value, json};

use crate::vendor::{Vendor, errcode, multi};

/// A code for many with these fields besides or instead; null removes one.
fn but(fields: &Value) -> Value {
    let mut body = multi(&["m1"]);
    for (key, value) in fields.as_object().expect("fields") {
        body[key] = value.clone();
    }
    body.as_object_mut()
        .expect("fields")
        .retain(|_, value| !value.is_null());
    body
}

async fn check(cases: &[(Value, i64)]) {
    let vendor = Vendor::new().await;
    for (fields, code) in cases {
        let body = but(fields);
        assert_eq!(vendor.code("add_contact_way", &body).await, *code, "{body}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_missing_type_is_41037_and_a_missing_scene_41038() {
    check(&[
        (json!({"type": null}), 41037),
        (json!({"scene": null}), 41038),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_bad_type_is_41039_a_bad_scene_41040() {
    check(&[
        (json!({"type": 0}), 41039),
        (json!({"type": 3}), 41039),
        (json!({"type": -1}), 41039),
        (json!({"scene": 0}), 41040),
        (json!({"scene": 300}), 41040),
        (json!({"type": "2"}), 40058),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn style_is_for_scene_1_and_goes_to_3_or_2() {
    check(&[
        (json!({"scene": 1, "style": 2}), 0),
        (json!({"scene": 1, "style": 3}), 41042),
        (json!({"scene": 1, "style": 0}), 41042),
        (json!({"scene": 1, "type": 1, "style": 3}), 0),
        (json!({"scene": 1, "type": 1, "style": 4}), 41042),
        (json!({"scene": 2, "style": 1}), 41042),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn remark_and_state_have_at_most_30_characters() {
    for field in ["remark", "state"] {
        check(&[
            (json!({field: "张".repeat(30)}), 0),
            (json!({field: "张".repeat(31)}), 40058),
            (json!({field: ""}), 0),
        ])
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn type_1_takes_exactly_one_user_and_no_party() {
    check(&[
        (json!({"type": 1}), 0),
        (json!({"type": 1, "user": null}), 40063),
        (json!({"type": 1, "user": []}), 40058),
        (json!({"type": 1, "user": ["m1", "m2"]}), 40058),
        (json!({"type": 1, "party": [2]}), 40058),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn type_2_takes_users_or_parties_or_both() {
    check(&[
        (json!({"user": null, "party": [2]}), 0),
        (json!({"user": ["m1"], "party": [2]}), 0),
        (json!({"user": null}), 40063),
        (json!({"user": []}), 40058),
        (json!({"user": [], "party": [2]}), 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_bad_department_id_is_40066_and_one_that_is_not_there_60123() {
    check(&[
        (json!({"party": [0]}), 40066),
        (json!({"party": [-1]}), 40066),
        (json!({"party": [4_294_967_296_u64]}), 40066),
        (json!({"party": [9]}), 60123),
        (json!({"party": ["2"]}), 40058),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_qr_code_has_an_address_and_a_button_none() {
    let vendor = Vendor::new().await;
    let qr = vendor.post("add_contact_way", &multi(&["m1"])).await;
    assert!(
        qr["qr_code"].as_str().unwrap().starts_with("https://"),
        "{qr}"
    );
    assert_eq!(qr["config_id"].as_str().unwrap().len(), 32);
    let button = vendor
        .post("add_contact_way", &but(&json!({"scene": 1})))
        .await;
    assert_eq!((errcode(&button), button.get("qr_code")), (0, None));
}

#[tokio::test(start_paused = true)]
async fn what_is_not_given_has_the_documented_default() {
    let vendor = Vendor::new().await;
    let config_id = vendor.added(&multi(&["m1"])).await;
    let way = vendor.way(&config_id).await;
    assert_eq!(way["skip_verify"], true);
    assert_eq!(way["is_temp"], false);
    assert_eq!(way["is_exclusive"], false);
    assert_eq!(way["mark_source"], true);
    assert_eq!(way["party"], json!([]));
    assert_eq!((&way["state"], &way["remark"]), (&json!(""), &json!("")));
}

#[tokio::test(start_paused = true)]
async fn every_field_comes_back_from_get() {
    let vendor = Vendor::new().await;
    let given = json!({"type": 2, "scene": 1, "style": 2, "remark": "张三", "skip_verify": false,
        "state": "s 1", "user": ["m2", "m1"], "party": [3, 2], "is_exclusive": true, "mark_source": false});
    let config_id = vendor.added(&given).await;
    let way = vendor.way(&config_id).await;
    for (field, value) in given.as_object().unwrap() {
        assert_eq!(&way[field], value, "{field}");
    }
    assert_eq!(way["config_id"], config_id);
}

#[tokio::test(start_paused = true)]
async fn the_cap_of_codes_is_41045_and_a_deleted_one_makes_room() {
    let vendor = Vendor::with(|profile| profile.contact_ways.codes_per_corp = 2).await;
    let first = vendor.added(&multi(&["m1"])).await;
    vendor.added(&multi(&["m1"])).await;
    assert_eq!(vendor.code("add_contact_way", &multi(&["m1"])).await, 41045);
    assert_eq!(
        vendor
            .code("del_contact_way", &json!({"config_id": first}))
            .await,
        0
    );
    vendor.added(&multi(&["m1"])).await;
}

#[tokio::test(start_paused = true)]
async fn adding_twice_makes_two_codes() {
    let vendor = Vendor::new().await;
    let body = multi(&["m1"]);
    assert_ne!(vendor.added(&body).await, vendor.added(&body).await);
    assert_eq!(vendor.corp().code_count(), 2);
}
