//! Enterprises and their apps.

use http::Method;
use serde_json::{Value, json};

use crate::setup::Setup;

#[tokio::test(start_paused = true)]
async fn enterprises_are_added_listed_and_inspected() {
    let setup = Setup::new();
    let body = json!({
        "id": "ww2", "secret": "secret2", "more_members": 3,
        "member": [{ "userid": "zhangsan", "flags": ["not-verified"] }],
    });
    let added = setup.good(Method::POST, "/admin/corps", body.clone()).await;
    assert_eq!(added["added"], "ww2");
    let list = setup
        .good(Method::GET, "/admin/corps?limit=1&cursor=ww1", Value::Null)
        .await;
    assert_eq!(
        list,
        json!({ "total": 2, "corps": ["ww2"], "next_cursor": "" })
    );
    let one = setup
        .good(Method::GET, "/admin/corps/ww2", Value::Null)
        .await;
    assert_eq!((&one["members"], &one["codes"]), (&json!(4), &json!(0)));
    assert_eq!(one["callback"], Value::Null);
    let twice = setup.bad(400, Method::POST, "/admin/corps", body).await;
    assert!(twice.contains("ww2"), "{twice}");
    setup
        .bad(404, Method::GET, "/admin/corps/ww3", Value::Null)
        .await;
}

#[tokio::test(start_paused = true)]
async fn tokens_are_killed_and_expired_with_their_own_codes() {
    let setup = Setup::new();
    for (how, errcode) in [("kill", 40014), ("expire", 42001)] {
        let token = setup.token().await;
        let path = format!("/cgi-bin/externalcontact/list_contact_way?access_token={token}");
        assert_eq!(setup.call(&path, json!({})).await, 0);
        let ended = setup
            .good(
                Method::POST,
                &format!("/admin/corps/ww1/tokens/{how}"),
                Value::Null,
            )
            .await;
        assert_eq!(ended["tokens"], 1);
        assert_eq!(setup.call(&path, json!({})).await, errcode, "{how}");
        assert_ne!(setup.token().await, token);
    }
}

#[tokio::test(start_paused = true)]
async fn an_app_can_lose_its_permission_and_its_secret() {
    let setup = Setup::new();
    let token = setup.token().await;
    let path = format!("/cgi-bin/externalcontact/list_contact_way?access_token={token}");
    let corp = "/admin/corps/ww1";
    setup
        .good(Method::PATCH, corp, json!({ "refused_with": 48002 }))
        .await;
    assert_eq!(setup.call(&path, json!({})).await, 48002);
    setup
        .good(Method::PATCH, corp, json!({ "secret": "other" }))
        .await;
    assert_eq!(
        setup.call(&path, json!({})).await,
        48002,
        "the secret alone was changed"
    );
    setup
        .good(Method::PATCH, corp, json!({ "refused_with": null }))
        .await;
    assert_eq!(setup.call(&path, json!({})).await, 0);
    let wrong = "/cgi-bin/gettoken?corpid=ww1&corpsecret=secret1";
    assert_eq!(setup.call_get(wrong).await, 40001);
}
