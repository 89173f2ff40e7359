//! Where callbacks go, and events by hand.

use http::Method;
use serde_json::{Value, json};

use crate::{
    common::{Does, KEY, TOKEN},
    setup::Setup,
};

#[tokio::test(start_paused = true)]
async fn an_address_is_set_once_it_is_verified() {
    let setup = Setup::new();
    let path = "/admin/corps/ww1/callback";
    let to = json!({
        "url": "http://127.0.0.1:9/other", "token": TOKEN, "encoding_aes_key": KEY,
    });
    setup.receiver.next_ones(&[Does::Refuse, Does::Hang]);
    let told = setup.bad(409, Method::PUT, path, to.clone()).await;
    assert!(told.contains("status 503, expected 200"), "{told}");
    let told = setup.bad(409, Method::PUT, path, to.clone()).await;
    assert!(told.contains("no answer within 1 s"), "{told}");
    let now = setup.good(Method::GET, path, Value::Null).await;
    assert_eq!(now["url"], "http://127.0.0.1:9/callback");
    let mut unverified = to;
    unverified["verify"] = json!(false);
    let now = setup.good(Method::PUT, path, unverified).await;
    assert_eq!(now["url"], "http://127.0.0.1:9/other");
    let now = setup.good(Method::DELETE, path, Value::Null).await;
    assert_eq!(now["url"], Value::Null);
    let verify = "/admin/corps/ww1/callback/verify";
    let told = setup.bad(409, Method::POST, verify, Value::Null).await;
    assert!(told.contains("there is no callback address"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn events_bursts_and_partings_are_told() {
    let setup = Setup::new();
    let code = setup.code().await;
    let event = json!({
        "name": "change_external_contact", "change_type": "edit_external_contact",
        "created_s": 1234, "fields": { "UserID": "m1", "ExternalUserID": "wm1" },
    });
    setup
        .good(Method::POST, "/admin/corps/ww1/events", event)
        .await;
    assert_eq!(setup.told().await, ["edit_external_contact"]);
    assert_eq!(setup.receiver.all("CreateTime"), ["1234"]);
    let wrong = json!({ "name": "x", "fields": { "User ID": "m1", "B": 3 } });
    let told = setup
        .bad(400, Method::POST, "/admin/corps/ww1/events", wrong)
        .await;
    assert!(
        told.contains("fields.User ID") && told.contains("fields.B = 3"),
        "{told}"
    );
    let burst = json!({ "config_id": code, "count": 50 });
    let scans = setup
        .good(Method::POST, "/admin/corps/ww1/burst", burst)
        .await;
    assert_eq!(scans["total"], 50);
    setup.told().await;
    let seconds = setup.receiver.all("CreateTime").split_off(1);
    assert_eq!(seconds.len(), 100);
    assert!(seconds.iter().all(|second| *second == seconds[0]));
    let customers = setup
        .good(
            Method::GET,
            "/admin/corps/ww1/customers?limit=3",
            Value::Null,
        )
        .await;
    assert_eq!(customers["total"], 50);
    let first = &customers["customers"][0]["external_userid"];
    for (by, change) in [
        ("customer", "del_follow_user"),
        ("transfer", "del_external_contact"),
    ] {
        let body = json!({ "external_userid": first, "userid": "m1", "by": by });
        let remove = "/admin/corps/ww1/customers/remove";
        setup.good(Method::POST, remove, body.clone()).await;
        assert_eq!(setup.told().await.last().unwrap(), change);
        setup.bad(404, Method::POST, remove, body).await;
        let scan = json!({ "corp": "ww1", "config_id": code, "external_userid": first });
        setup.good(Method::POST, "/admin/scans", scan).await;
    }
    assert_eq!(setup.receiver.all("Source"), ["DELETE_BY_TRANSFER"]);
}
