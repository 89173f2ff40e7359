//! What a request names has to be there: a slip of the hand must not make a test of nothing.

use http::Method;
use serde_json::{Value, json};

use crate::setup::Setup;

/// Says what is wrong with a body; the request must change nothing.
async fn told(setup: &Setup, method: Method, path: &str, body: Value) -> String {
    setup.bad(400, method, path, body).await
}

#[tokio::test(start_paused = true)]
async fn a_fault_befalls_a_call_and_an_enterprise_that_are_there() {
    let setup = Setup::new();
    let put = async |fault: Value| {
        let body = json!({ "fault": [fault] });
        setup.ask(Method::PUT, "/admin/settings", Some(body)).await
    };
    for (fault, part) in [
        (
            json!({ "kind": "busy", "api": "update_contact_wy" }),
            "fault[0].api = \"update_contact_wy\", expected one of gettoken, ",
        ),
        (
            json!({ "kind": "busy", "corp": "nope" }),
            "fault[0].corp = \"nope\", expected the id of an enterprise that is there",
        ),
    ] {
        let (status, answer) = put(fault).await;
        assert_eq!(status, 400, "{answer}");
        assert!(answer["error"].as_str().unwrap().contains(part), "{answer}");
    }
    let settings = setup
        .good(Method::GET, "/admin/settings", Value::Null)
        .await;
    assert_eq!(settings["fault"], json!([]));

    // The path that the vendor's documents have is right, and the fault befalls the call.
    let token = setup.token().await;
    for path in [
        "/cgi-bin/externalcontact/get_contact_way",
        "externalcontact/get_contact_way",
    ] {
        let (status, answer) = put(json!({ "kind": "busy", "api": path, "times": 1 })).await;
        assert_eq!(status, 200, "{answer}");
        assert_eq!(answer["fault"][0]["api"], "get_contact_way");
        let call = format!("/cgi-bin/externalcontact/get_contact_way?access_token={token}");
        assert_eq!(setup.call(&call, json!({})).await, -1);
        let truth = setup.good(Method::GET, "/admin/truth", Value::Null).await;
        assert_eq!(truth["faults"][0]["befell"], 1);
        // Others do not count anew what stays the same.
        put(json!({ "kind": "busy" })).await;
    }

    // An enterprise that comes later can be named then.
    let later = json!({ "kind": "busy", "corp": "ww2" });
    assert_eq!(put(later.clone()).await.0, 400);
    let corp = json!({ "id": "ww2", "secret": "s" });
    setup.good(Method::POST, "/admin/corps", corp).await;
    assert_eq!(put(later).await.0, 200);
}

#[tokio::test(start_paused = true)]
async fn who_is_there_are_members_and_codes_are_codes() {
    let setup = Setup::new();
    let code = setup.code().await;
    let nobody =
        "members = \"x1\", \"x2\", \"x3\" and 1 more, expected members of enterprise \"ww1\"";
    let no_code =
        " = \"nope\", expected codes that are or were in enterprise \"ww1\", by their config_id";
    let eligible = "/admin/eligible";
    let put = Method::PUT;
    let body = json!({ "corp": "ww1", "members": ["x4", "m1", "x3", "x1", "x2"] });
    assert_eq!(told(&setup, put.clone(), eligible, body).await, nobody);
    let body = json!({ "corp": "ww1", "config_id": "nope", "members": ["m1"] });
    let said = told(&setup, put.clone(), eligible, body).await;
    assert_eq!(said, format!("config_id{no_code}"));
    let path = "/admin/eligible?corp=ww1&config_id=nope";
    let said = setup.bad(400, Method::GET, path, Value::Null).await;
    assert_eq!(said, format!("config_id{no_code}"));
    let path = "/admin/eligible?corp=ww1";
    let kept = setup.good(Method::GET, path, Value::Null).await;
    assert_eq!(kept["total"], Value::Null, "nothing was changed");

    let post = Method::POST;
    for (path, body, key) in [
        (
            "/admin/loads",
            json!({ "corp": "ww1", "config_ids": [code, "nope"], "per_second": 1 }),
            "config_ids",
        ),
        (
            "/admin/scans",
            json!({ "corp": "ww1", "config_id": "nope" }),
            "config_id",
        ),
        (
            "/admin/corps/ww1/burst",
            json!({ "config_id": "nope", "count": 2 }),
            "config_id",
        ),
    ] {
        let said = told(&setup, post.clone(), path, body).await;
        assert_eq!(said, format!("{key}{no_code}"), "{path}");
    }
    let loads = setup.good(Method::GET, "/admin/loads", Value::Null).await;
    assert_eq!(loads["loads"], json!([]));
}

#[tokio::test(start_paused = true)]
async fn a_code_that_was_deleted_can_still_be_named() {
    let setup = Setup::new();
    let code = setup.code().await;
    let path = format!("/admin/corps/ww1/codes/{code}");
    setup.good(Method::DELETE, &path, Value::Null).await;
    let scan = json!({ "corp": "ww1", "config_id": code });
    let scans = setup.good(Method::POST, "/admin/scans", scan).await;
    assert_eq!(scans["scans"][0]["outcome"], "nowhere");
    let load = json!({ "corp": "ww1", "config_ids": [code], "per_second": 1 });
    setup.good(Method::POST, "/admin/loads", load).await;
    let there = json!({ "corp": "ww1", "config_id": code, "members": ["m1"] });
    setup.good(Method::PUT, "/admin/eligible", there).await;
}

#[tokio::test(start_paused = true)]
async fn codes_that_are_loaded_or_edited_name_members_and_departments() {
    let setup = Setup::new();
    let codes = "/admin/corps/ww1/codes";
    let post = Method::POST;
    let body = json!({ "codes": [{ "users": ["m1"] }, { "users": ["m1", "x1", "x2"] }] });
    let said = told(&setup, post.clone(), codes, body).await;
    let nobody = "users = \"x1\", \"x2\", expected members of the enterprise";
    assert_eq!(said, format!("codes[1].{nobody}"));
    let body = json!({ "codes": [{ "parties": [1, 9] }] });
    let said = told(&setup, post, codes, body).await;
    assert_eq!(said, "codes[0].parties: department 9: is not there");
    let list = setup.good(Method::GET, codes, Value::Null).await;
    assert_eq!(list["total"], 0);

    let path = format!("{codes}/{}", setup.code().await);
    let body = json!({ "users": ["x1", "x2"] });
    assert_eq!(told(&setup, Method::PATCH, &path, body).await, nobody);
    let code = setup.good(Method::GET, &path, Value::Null).await;
    assert_eq!(code["users"], json!(["m1"]));
}
