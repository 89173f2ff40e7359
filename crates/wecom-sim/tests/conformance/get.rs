//! `get_contact_way`.

use serde_json::json;

use crate::vendor::{Vendor, multi};

#[tokio::test(start_paused = true)]
async fn a_missing_config_id_is_41043_and_an_unknown_one_41044() {
    let vendor = Vendor::new().await;
    assert_eq!(vendor.code("get_contact_way", &json!({})).await, 41043);
    assert_eq!(
        vendor
            .code("get_contact_way", &json!({"config_id": ""}))
            .await,
        41043
    );
    assert_eq!(
        vendor
            .code("get_contact_way", &json!({"config_id": "x"}))
            .await,
        41044
    );
}

#[tokio::test(start_paused = true)]
async fn style_is_told_for_scene_1_and_qr_code_for_scene_2() {
    let vendor = Vendor::new().await;
    let qr = vendor.post("add_contact_way", &multi(&["m1"])).await;
    let way = vendor.way(qr["config_id"].as_str().unwrap()).await;
    assert_eq!((way.get("style"), &way["qr_code"]), (None, &qr["qr_code"]));
    let button = vendor
        .added(&json!({"type": 2, "scene": 1, "user": ["m1"], "style": 2}))
        .await;
    let way = vendor.way(&button).await;
    assert_eq!((way.get("qr_code"), &way["style"]), (None, &json!(2)));
}

#[tokio::test(start_paused = true)]
async fn what_temporary_codes_alone_have_is_not_told_of_others() {
    let vendor = Vendor::new().await;
    let way = vendor.way(&vendor.added(&multi(&["m1"])).await).await;
    for field in ["expires_in", "chat_expires_in", "unionid", "conclusions"] {
        assert_eq!(way.get(field), None, "{field}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_renamed_member_is_told_by_its_new_name_and_one_who_left_by_its_old() {
    let vendor = Vendor::new().await;
    let config_id = vendor.added(&multi(&["m1", "m2"])).await;
    vendor.corp().rename_member("m1", "new").unwrap();
    assert!(vendor.corp().remove_member("m2"));
    assert_eq!(vendor.way(&config_id).await["user"], json!(["new", "m2"]));
}
