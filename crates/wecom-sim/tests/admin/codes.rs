//! Codes from outside, and from inside.

use http::Method;
use serde_json::{Value, json};

use crate::setup::Setup;

#[tokio::test(start_paused = true)]
async fn codes_are_loaded_looked_at_edited_and_deleted_from_outside() {
    let setup = Setup::new();
    let codes = "/admin/corps/ww1/codes";
    let bulk = json!({ "count": 12_000, "members_each": 2, "state": "s" });
    let added = setup.good(Method::POST, codes, bulk).await;
    assert_eq!(added["added"], 12_000);
    assert_eq!(added["config_ids"].as_array().unwrap().len(), 1000);
    let list = setup
        .good(
            Method::GET,
            &format!("{codes}?cursor=11999&limit=5"),
            Value::Null,
        )
        .await;
    assert_eq!(
        (&list["total"], list["config_ids"].as_array().unwrap().len()),
        (&json!(12_000), 1)
    );
    let path = format!("{codes}/{}", list["config_ids"][0].as_str().unwrap());
    let code = setup.good(Method::GET, &path, Value::Null).await;
    assert_eq!(code["state"], "s12000");
    assert_eq!(code["users"].as_array().unwrap().len(), 2);
    let edited = setup
        .good(Method::PATCH, &path, json!({ "users": ["m5"] }))
        .await;
    assert_eq!(
        (&edited["users"], &edited["scan_targets"]),
        (&json!(["m5"]), &json!(["m5"]))
    );
    setup
        .bad(400, Method::PATCH, &path, json!({ "users": ["nobody"] }))
        .await;
    setup.bad(400, Method::PATCH, &path, json!({})).await;
    setup.good(Method::DELETE, &path, Value::Null).await;
    setup.bad(404, Method::GET, &path, Value::Null).await;
    let token = setup.token().await;
    let gone = format!("/cgi-bin/externalcontact/update_contact_way?access_token={token}");
    let config_id = list["config_ids"][0].clone();
    let body = json!({ "config_id": config_id, "user": ["m1"] });
    assert_eq!(setup.call(&gone, body).await, 41044);
    setup
        .bad(
            400,
            Method::POST,
            codes,
            json!({ "count": 1, "members_each": 50 }),
        )
        .await;
    setup
        .bad(
            400,
            Method::POST,
            codes,
            json!({ "codes": [{ "users": ["nobody"] }] }),
        )
        .await;
    setup.bad(400, Method::POST, codes, json!({})).await;
}

#[tokio::test(start_paused = true)]
async fn what_the_app_changes_itself_is_not_told() {
    let setup = Setup::new();
    let token = setup.token().await;
    let path = |name| format!("/cgi-bin/externalcontact/{name}?access_token={token}");
    let body = json!({ "type": 2, "scene": 2, "user": ["m1"], "state": "s" });
    assert_eq!(setup.call(&path("add_contact_way"), body).await, 0);
    let codes = setup
        .good(Method::GET, "/admin/corps/ww1/codes", Value::Null)
        .await;
    let body = json!({ "config_id": codes["config_ids"][0], "user": ["m2"] });
    assert_eq!(
        setup.call(&path("update_contact_way"), body.clone()).await,
        0
    );
    assert_eq!(setup.call(&path("del_contact_way"), body).await, 0);
    assert!(setup.told().await.is_empty());
    assert_eq!(setup.sim.parts().sender().counts("ww1").unwrap().events, 0);
}
