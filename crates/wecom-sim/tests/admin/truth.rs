//! Settings, scans, and what really happened.

use http::Method;
use serde_json::{Value, json};

use crate::setup::Setup;

#[tokio::test(start_paused = true)]
async fn settings_change_as_far_as_they_are_given_or_not_at_all() {
    let setup = Setup::new();
    let path = "/admin/settings";
    let before = setup.good(Method::GET, path, Value::Null).await;
    assert_eq!(before["windows"]["corp_per_minute"], 10_000);
    let change = json!({
        "windows": { "divide_counts": 1000 },
        "callbacks": { "lost": 0.5 },
        "fault": [{ "kind": "busy", "times": 2 }],
    });
    let after = setup.good(Method::PUT, path, change).await;
    assert_eq!(after["windows"]["divide_counts"], 1000);
    assert_eq!(after["windows"]["corp_per_minute"], 10_000);
    assert_eq!(after["callbacks"]["lost"], 0.5);
    assert_eq!(
        after["fault"][0],
        json!({ "kind": "busy", "share": 1.0, "times": 2 })
    );
    let wrong = json!({ "windows": { "divide_counts": 5, "divide_time": 0 }, "seed": 3 });
    let told = setup.bad(400, Method::PUT, path, wrong).await;
    assert!(told.contains("windows.divide_time = 0, expected a whole number, 1 to 60000"));
    assert!(told.contains("seed"));
    assert_eq!(setup.good(Method::GET, path, Value::Null).await, after);
    // What is read can be written.
    let mut all = after.clone();
    all["tokens"]
        .as_object_mut()
        .unwrap()
        .remove("suite_access_token");
    assert_eq!(setup.good(Method::PUT, path, all).await, after);
    // The faults befall calls.
    let wrong = "/cgi-bin/gettoken?corpid=ww1&corpsecret=secret1";
    for expected in [-1, -1, 0] {
        assert_eq!(setup.call_get(wrong).await, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn scans_loads_and_who_is_there() {
    let setup = Setup::new();
    let code = setup.code().await;
    let there = json!({ "corp": "ww1", "members": ["m2"] });
    setup.good(Method::PUT, "/admin/eligible", there).await;
    let now = setup
        .good(Method::GET, "/admin/eligible?corp=ww1", Value::Null)
        .await;
    assert_eq!(now["members"], json!(["m2"]));
    let scan = json!({ "corp": "ww1", "config_id": code, "count": 3 });
    let scans = setup.good(Method::POST, "/admin/scans", scan).await;
    assert_eq!(
        (&scans["total"], &scans["scans"][2]["outcome"]),
        (&json!(3), &json!("mis-routed"))
    );
    let all = json!({ "corp": "ww1", "members": null });
    setup.good(Method::PUT, "/admin/eligible", all).await;
    let load = json!({ "corp": "ww1", "per_second": 10.0, "scans": 20 });
    let begun = setup.good(Method::POST, "/admin/loads", load).await;
    tokio::time::sleep(std::time::Duration::from_secs(20)).await;
    let loads = setup.good(Method::GET, "/admin/loads", Value::Null).await;
    assert_eq!(
        (&loads["loads"][0]["scanned"], &loads["loads"][0]["running"]),
        (&json!(20), &json!(false))
    );
    let path = format!("/admin/loads/{}", begun["id"]);
    setup.good(Method::DELETE, &path, Value::Null).await;
    setup.bad(404, Method::DELETE, &path, Value::Null).await;
    let truth = setup
        .good(Method::GET, "/admin/truth?corp=ww1", Value::Null)
        .await;
    let expected = json!({
        "total": 23, "routed": 20, "mis_routed": 3, "nowhere": 0, "added": 23,
    });
    assert_eq!(truth["scans"], expected);
    assert_eq!(truth["mis_routed"].as_array().unwrap().len(), 3);
    for (body, part) in [
        (json!({ "corp": "ww1" }), "config_id"),
        (
            json!({ "corp": "ww1", "config_id": code, "count": 0 }),
            "count = 0",
        ),
        (json!({ "corp": "ww9", "config_id": code }), "ww9"),
    ] {
        let told = setup.bad(400, Method::POST, "/admin/scans", body).await;
        assert!(told.contains(part), "{told}");
    }
    let fast = json!({ "corp": "ww1", "per_second": 1e9 });
    setup.bad(400, Method::POST, "/admin/loads", fast).await;
}

#[tokio::test(start_paused = true)]
async fn the_truth_has_calls_blocks_tokens_and_callbacks_and_begins_anew() {
    let setup = Setup::new();
    let windows = json!({ "windows": { "corp_per_minute": 3 } });
    setup.good(Method::PUT, "/admin/settings", windows).await;
    let token = setup.token().await;
    let path = format!("/cgi-bin/externalcontact/list_contact_way?access_token={token}");
    let mut answers = Vec::new();
    for _ in 0..6 {
        answers.push(setup.call(&path, json!({})).await);
    }
    assert_eq!(answers, [0, 0, 0, 45009, 45009, 45009]);
    let code = setup.code().await;
    let scan = json!({ "corp": "ww1", "config_id": code });
    setup.good(Method::POST, "/admin/scans", scan).await;
    setup.told().await;
    let truth = setup.good(Method::GET, "/admin/truth", Value::Null).await;
    let calls = &truth["calls"];
    assert_eq!(
        (&calls["calls"], &calls["token_fetches"]),
        (&json!(7), &json!(1))
    );
    assert_eq!(
        (&calls["over_window"], &calls["blocked"]),
        (&json!(1), &json!(2))
    );
    let by_api = truth["by_api"].as_array().unwrap();
    let list = by_api
        .iter()
        .find(|one| one["api"] == "list_contact_way")
        .unwrap();
    assert_eq!(list["by_errcode"], json!({ "0": 3, "45009": 3 }));
    assert_eq!(
        (&list["peak_minute"], &list["corp"]),
        (&json!(3), &json!("ww1"))
    );
    let per_api = &truth["per_api"]["list_contact_way"];
    assert_eq!(
        (&per_api["calls"], &per_api["blocked"]),
        (&json!(6), &json!(2))
    );
    assert_eq!(truth["per_api"]["gettoken"]["token_fetches"], 1);
    assert_eq!(truth["by_ip_left_out"], 0);
    assert_eq!(truth["by_ip"][0]["provider"], false);
    assert_eq!(truth["callbacks"]["answered"], 2);
    setup.good(Method::POST, "/admin/reset", Value::Null).await;
    let truth = setup.good(Method::GET, "/admin/truth", Value::Null).await;
    assert_eq!(
        (&truth["calls"]["calls"], &truth["scans"]["total"]),
        (&json!(0), &json!(0))
    );
    assert_eq!(truth["callbacks"]["answered"], 0);
    // What is counted is forgotten, not what is enforced.
    assert_eq!(setup.call(&path, json!({})).await, 45009);
}

#[tokio::test(start_paused = true)]
async fn the_truth_has_the_ips_that_were_banned_for_wrong_secrets() {
    let setup = Setup::new();
    let few = json!({ "tokens": { "wrong_secrets_per_hour": 3 } });
    setup.good(Method::PUT, "/admin/settings", few).await;
    let wrong = "/cgi-bin/gettoken?corpid=ww1&corpsecret=wrong";
    let mut answers = Vec::new();
    for _ in 0..5 {
        answers.push(setup.call_get(wrong).await);
    }
    assert_eq!(answers, [40001, 40001, 40001, 45009, 45009]);
    let truth = setup.good(Method::GET, "/admin/truth", Value::Null).await;
    assert_eq!(truth["ip_bans"], 1);
    let served = &truth["by_api"][0]["by_errcode"];
    assert_eq!(served, &json!({ "40001": 3, "45009": 2 }));
    setup.good(Method::POST, "/admin/reset", Value::Null).await;
    let truth = setup.good(Method::GET, "/admin/truth", Value::Null).await;
    assert_eq!(truth["ip_bans"], 0);
    // Counted anew, not lifted.
    assert_eq!(setup.call_get(wrong).await, 45009);
}

#[tokio::test(start_paused = true)]
async fn the_truth_names_who_would_have_been_right_when_the_list_is_stale() {
    let setup = Setup::new();
    let code = setup.code().await;
    let path = format!("/admin/corps/ww1/codes/{code}");
    let stale = json!({ "users": ["m3"] });
    setup.good(Method::PATCH, &path, stale).await;
    let scan = json!({ "corp": "ww1", "config_id": code });
    for (members, flagged, eligible) in [
        (json!(["m1"]), None, json!(["m1"])),
        // Those on the list come first, and who has a flag is not right.
        (
            json!(["m5", "m3", "m2", "m1"]),
            Some("m2"),
            json!(["m3", "m1", "m5"]),
        ),
        (json!([]), None, json!([])),
        (json!(null), Some("m3"), json!(["m1", "m4", "m5"])),
    ] {
        if let Some(userid) = flagged {
            let path = format!("/admin/corps/ww1/members/{userid}");
            let flags = json!({ "flags": ["disabled"] });
            setup.good(Method::PATCH, &path, flags).await;
        }
        let there = json!({ "corp": "ww1", "members": members });
        setup.good(Method::PUT, "/admin/eligible", there).await;
        let scans = setup.good(Method::POST, "/admin/scans", scan.clone()).await;
        let scanned = &scans["scans"][0];
        assert_eq!(scanned["eligible"], eligible, "{members}");
        assert_eq!(scanned["eligible_cut"], false, "{members}");
        let is_right = eligible.as_array().unwrap().contains(&json!("m3"));
        let outcome = if is_right { "routed" } else { "mis-routed" };
        assert_eq!(scanned["outcome"], outcome, "{members}");
    }
    let truth = setup.good(Method::GET, "/admin/truth", Value::Null).await;
    assert_eq!(truth["mis_routed"][2]["eligible"], json!(["m1"]));
}
