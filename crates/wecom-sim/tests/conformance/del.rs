//! `del_contact_way`.

use serde_json::json;

use crate::vendor::{Vendor, multi};

#[tokio::test(start_paused = true)]
async fn a_deleted_code_is_41044_for_ever() {
    let vendor = Vendor::new().await;
    let body = json!({"config_id": vendor.added(&multi(&["m1"])).await});
    assert_eq!(vendor.code("del_contact_way", &body).await, 0);
    for _ in 0..3 {
        vendor.added(&multi(&["m1"])).await;
    }
    for api in ["get_contact_way", "update_contact_way", "del_contact_way"] {
        assert_eq!(vendor.code(api, &body).await, 41044, "{api}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_missing_config_id_is_41043() {
    let vendor = Vendor::new().await;
    assert_eq!(vendor.code("del_contact_way", &json!({})).await, 41043);
}
