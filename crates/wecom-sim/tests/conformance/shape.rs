//! The shape of every call.

use http::Method;
use serde_json::json;

use crate::vendor::{BEGAN_S, Vendor, errcode, multi};

#[tokio::test(start_paused = true)]
async fn success_has_errcode_0_and_errmsg_ok() {
    let vendor = Vendor::new().await;
    let config_id = vendor.added(&multi(&["m1"])).await;
    let answer = vendor
        .post("del_contact_way", &json!({"config_id": config_id}))
        .await;
    assert_eq!(answer, json!({"errcode": 0, "errmsg": "ok"}));
}

#[tokio::test(start_paused = true)]
async fn an_error_is_http_200_and_its_text_has_hint_ip_and_link() {
    let vendor = Vendor::new().await.from([203, 0, 113, 9]);
    let path = format!(
        "externalcontact/get_contact_way?access_token={}",
        vendor.token
    );
    let response = vendor
        .send(Method::POST, &path, r#"{"config_id":"none"}"#)
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(
        response.headers()["content-type"],
        "application/json; charset=UTF-8"
    );

    let answer = vendor
        .post("get_contact_way", &json!({"config_id": "none"}))
        .await;
    assert_eq!(errcode(&answer), 41044);
    let text = answer["errmsg"].as_str().unwrap();
    let (words, rest) = text.split_once(", hint: [").unwrap();
    assert!(!words.is_empty());
    let (hint, rest) = rest.split_once("], ").unwrap();
    let parts: Vec<&str> = hint.split('_').collect();
    assert_eq!(parts[0], BEGAN_S.to_string());
    assert!(parts[1].parse::<u32>().is_ok(), "{hint}");
    assert!(
        u128::from_str_radix(parts[2], 16).is_ok() && parts[2].len() == 32,
        "{hint}"
    );
    let link = "https://open.work.weixin.qq.com/devtool/query?e=41044";
    assert_eq!(rest, format!("from ip: 203.0.113.9, more info at {link}"));
}

#[tokio::test(start_paused = true)]
async fn malformed_json_is_40058() {
    let vendor = Vendor::new().await;
    for body in [
        "",
        "{",
        "[]",
        "null",
        r#"{"config_id": 5}"#,
        "{\"config_id\":\"\u{1}\"}",
    ] {
        assert_eq!(
            errcode(&vendor.raw("get_contact_way", body).await),
            40058,
            "{body}"
        );
    }
    let no_utf8: &[u8] = b"{\"config_id\":\"\xff\"}";
    assert_eq!(
        errcode(&vendor.raw("get_contact_way", no_utf8).await),
        40058
    );
}

#[tokio::test(start_paused = true)]
async fn escapes_of_chinese_are_40033_and_raw_utf8_is_taken() {
    let vendor = Vendor::new().await;
    let escaped = r#"{"type":2,"scene":2,"user":["m1"],"remark":"\u5f20"}"#;
    assert_eq!(
        errcode(&vendor.raw("add_contact_way", escaped).await),
        40033
    );
    let raw = r#"{"type":2,"scene":2,"user":["m1"],"remark":"张\n"}"#;
    let answer = vendor.raw("add_contact_way", raw).await;
    assert_eq!(errcode(&answer), 0);
    let way = vendor.way(answer["config_id"].as_str().unwrap()).await;
    assert_eq!(way["remark"], "张\n");
}

#[tokio::test(start_paused = true)]
async fn get_where_post_is_due_is_40058_and_the_reverse() {
    let vendor = Vendor::new().await;
    let token = &vendor.token;
    for api in ["add", "get", "list", "update", "del"] {
        let path = format!("externalcontact/{api}_contact_way?access_token={token}");
        assert_eq!(errcode(&vendor.get(&path).await), 40058, "{api}");
    }
    for path in [
        "user/get?userid=m1",
        "department/list?id=1",
        "getcallbackip?a=b",
    ] {
        let path = format!("{path}&access_token={token}");
        assert_eq!(
            errcode(&vendor.json(Method::POST, &path, "{}").await),
            40058,
            "{path}"
        );
    }
    let path = "gettoken?corpid=corp&corpsecret=right";
    assert_eq!(errcode(&vendor.json(Method::POST, path, "{}").await), 40058);
}

#[tokio::test(start_paused = true)]
async fn a_body_above_a_megabyte_is_40206() {
    let vendor = Vendor::new().await;
    let fits = format!("{{\"config_id\":\"{}\"}}", "x".repeat((1 << 20) - 16));
    assert_eq!(
        errcode(&vendor.raw("get_contact_way", fits.clone()).await),
        41044
    );
    assert_eq!(
        errcode(&vendor.raw("get_contact_way", fits + " ").await),
        40206
    );
}

#[tokio::test(start_paused = true)]
async fn an_unknown_path_is_http_404() {
    let vendor = Vendor::new().await;
    let response = vendor
        .send(Method::GET, "externalcontact/no_such", "")
        .await
        .unwrap();
    assert_eq!(response.status(), 404);
}

#[tokio::test(start_paused = true)]
async fn unknown_fields_are_ignored() {
    let vendor = Vendor::new().await;
    let body = json!({"type": 2, "scene": 2, "user": ["m1"], "of_2030": {"x": [1]}});
    vendor.added(&body).await;
}

#[tokio::test(start_paused = true)]
async fn an_app_without_permission_gets_its_errcode_for_every_call_but_tokens() {
    let vendor = Vendor::new().await;
    for refused in [48002, 50003, 60020] {
        vendor.corp().refuse_with(Some(refused));
        assert_eq!(
            vendor.code("add_contact_way", &multi(&["m1"])).await,
            refused
        );
        assert_eq!(errcode(&vendor.read("user/get?userid=m1").await), refused);
        assert_eq!(errcode(&vendor.read("getcallbackip?").await), refused);
        let given = vendor.get("gettoken?corpid=corp&corpsecret=right").await;
        assert_eq!(errcode(&given), 0);
    }
    vendor.corp().refuse_with(None);
    vendor.added(&multi(&["m1"])).await;
}

#[tokio::test(start_paused = true)]
async fn two_runs_of_one_seed_answer_alike() {
    async fn run(seed: u64) -> Vec<String> {
        let vendor = Vendor::with(|profile| profile.seed = seed).await;
        let mut said = vec![vendor.token.clone()];
        for _ in 0..3 {
            said.push(
                vendor
                    .post("add_contact_way", &multi(&["m1", "m2"]))
                    .await
                    .to_string(),
            );
            said.push(vendor.post("add_contact_way", &json!({})).await.to_string());
        }
        said
    }
    assert_eq!(run(7).await, run(7).await);
    assert_ne!(run(7).await, run(8).await);
}
