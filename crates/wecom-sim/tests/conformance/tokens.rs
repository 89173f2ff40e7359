//! Tokens: given out, replaced, expired, killed; wrong secrets.

use std::time::Duration;

use http::Method;
use serde_json::{Value, json};
use tokio::time::{advance, sleep};
use wecom_sim::profile::{Corp, TokenMode};

use crate::vendor::{Vendor, errcode};

async fn fetch(vendor: &Vendor) -> (String, u64) {
    let given = vendor.get("gettoken?corpid=corp&corpsecret=right").await;
    assert_eq!(errcode(&given), 0, "{given}");
    let token = given["access_token"].as_str().expect("a token").to_owned();
    (token, given["expires_in"].as_u64().expect("a number"))
}

async fn try_out(vendor: &Vendor, token: &str) -> i64 {
    errcode(
        &vendor
            .get(&format!("user/get?userid=m1&access_token={token}"))
            .await,
    )
}

async fn in_mode(mode: TokenMode) -> Vendor {
    Vendor::with(|profile| profile.tokens.mode = mode).await
}

#[tokio::test(start_paused = true)]
async fn gettoken_gives_a_token_for_7200_seconds_within_512_bytes() {
    let vendor = Vendor::new().await;
    let given = vendor.get("gettoken?corpid=corp&corpsecret=right").await;
    assert_eq!(
        (&given["errcode"], &given["errmsg"]),
        (&json!(0), &json!("ok"))
    );
    assert_eq!(given["expires_in"], 7200);
    let token = given["access_token"].as_str().unwrap();
    assert!((16..=512).contains(&token.len()), "{} bytes", token.len());
    assert_eq!(try_out(&vendor, token).await, 0);
}

#[tokio::test(start_paused = true)]
async fn stable_gives_the_same_token_with_what_is_left() {
    let vendor = in_mode(TokenMode::Stable).await;
    let (first, _) = fetch(&vendor).await;
    sleep(Duration::from_secs(7000)).await;
    assert_eq!(fetch(&vendor).await, (first.clone(), 200));
    sleep(Duration::from_secs(200)).await;
    let (second, expires_in) = fetch(&vendor).await;
    assert_ne!(first, second);
    assert_eq!(expires_in, 7200);
    assert_eq!(try_out(&vendor, &second).await, 0);
}

#[tokio::test(start_paused = true)]
async fn rotating_old_valid_keeps_the_old_one_for_the_overlap() {
    let vendor = in_mode(TokenMode::RotatingOldValid).await;
    let (old, _) = fetch(&vendor).await;
    let (new, _) = fetch(&vendor).await;
    assert_ne!(old, new);
    advance(Duration::from_secs(299)).await;
    assert_eq!(try_out(&vendor, &old).await, 0);
    advance(Duration::from_secs(1)).await;
    assert_eq!(try_out(&vendor, &old).await, 40014);
    assert_eq!(try_out(&vendor, &new).await, 0);
}

#[tokio::test(start_paused = true)]
async fn rotating_old_dead_kills_the_old_one_at_once() {
    let vendor = in_mode(TokenMode::RotatingOldDead).await;
    let (old, _) = fetch(&vendor).await;
    assert_eq!(try_out(&vendor, &old).await, 0);
    let (new, _) = fetch(&vendor).await;
    assert_eq!(try_out(&vendor, &old).await, 40014);
    assert_eq!(try_out(&vendor, &new).await, 0);
}

#[tokio::test(start_paused = true)]
async fn early_kill_ends_a_token_before_its_time() {
    let vendor = in_mode(TokenMode::EarlyKill).await;
    let (token, expires_in) = fetch(&vendor).await;
    assert_eq!(expires_in, 7200);
    advance(Duration::from_secs(599)).await;
    assert_eq!(try_out(&vendor, &token).await, 0);
    advance(Duration::from_secs(1)).await;
    assert_eq!(try_out(&vendor, &token).await, 40014);
    assert_ne!(
        fetch(&vendor).await.0,
        token,
        "a dead one is not given again"
    );
}

#[tokio::test(start_paused = true)]
async fn an_expired_token_is_answered_with_the_configured_code() {
    for (configured, code) in [(None, 42001), (Some(40014), 40014)] {
        let vendor = Vendor::with(|profile| {
            profile.tokens.expired_code = configured.unwrap_or(profile.tokens.expired_code);
        })
        .await;
        advance(Duration::from_secs(7199)).await;
        assert_eq!(try_out(&vendor, &vendor.token).await, 0);
        advance(Duration::from_secs(1)).await;
        assert_eq!(try_out(&vendor, &vendor.token).await, code);
    }
}

#[tokio::test(start_paused = true)]
async fn a_token_can_be_killed_now_with_the_configured_code() {
    for (configured, code) in [(None, 40014), (Some(42001), 42001)] {
        let vendor = Vendor::with(|profile| {
            profile.tokens.killed_code = configured.unwrap_or(profile.tokens.killed_code);
        })
        .await;
        assert_eq!(vendor.corp().kill_tokens(), 1);
        assert_eq!(try_out(&vendor, &vendor.token).await, code);
        assert_eq!(vendor.corp().kill_tokens(), 0);
        assert_eq!(try_out(&vendor, &fetch(&vendor).await.0).await, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_missing_token_is_41001_and_an_unknown_one_40014() {
    let vendor = Vendor::new().await;
    assert_eq!(errcode(&vendor.get("user/get?userid=m1").await), 41001);
    assert_eq!(
        errcode(&vendor.get("user/get?userid=m1&access_token=").await),
        41001
    );
    let tampered = format!("0{}", &vendor.token[1..]);
    let other = format!("1{}", &vendor.token[1..]);
    let wrong = if tampered == vendor.token {
        other
    } else {
        tampered
    };
    for token in [wrong.as_str(), "x", "张", &vendor.token[1..]] {
        assert_eq!(try_out(&vendor, token).await, 40014, "{token}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_token_of_one_enterprise_is_not_good_for_another_s_codes() {
    let vendor = Vendor::with(|profile| {
        let other = Corp {
            id: "other".into(),
            secret: "right".into(),
            ..Corp::default()
        };
        profile.corps.push(other);
    })
    .await;
    let config_id = vendor.added(&crate::vendor::multi(&["m1"])).await;
    let given = vendor.get("gettoken?corpid=other&corpsecret=right").await;
    let token = given["access_token"].as_str().unwrap().to_owned();
    assert_ne!(token, vendor.token);
    let other = Vendor {
        token,
        ..vendor.clone()
    };
    let body = json!({"config_id": config_id});
    assert_eq!(other.code("get_contact_way", &body).await, 41044);
    assert_eq!(vendor.code("get_contact_way", &body).await, 0);
}

#[tokio::test(start_paused = true)]
async fn gettoken_tells_what_is_missing_or_wrong() {
    let vendor = Vendor::new().await;
    for (query, code) in [
        ("corpid=corp&corpsecret=wrong", 40001),
        ("corpid=none&corpsecret=right", 40013),
        ("corpsecret=right", 41002),
        ("corpid=corp", 41004),
    ] {
        assert_eq!(
            errcode(&vendor.get(&format!("gettoken?{query}")).await),
            code,
            "{query}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn wrong_secrets_ban_the_ip_for_an_hour_whatever_it_asks() {
    let vendor = Vendor::with(|profile| {
        profile.tokens.wrong_secrets_per_hour = 3;
        profile.corps.push(Corp {
            id: "other".into(),
            secret: "right".into(),
            ..Corp::default()
        });
    })
    .await;
    let wrong = "gettoken?corpid=corp&corpsecret=wrong";
    for _ in 0..3 {
        assert_eq!(errcode(&vendor.get(wrong).await), 40001);
    }
    let right = "gettoken?corpid=other&corpsecret=right";
    assert_eq!(
        errcode(&vendor.get(right).await),
        45009,
        "another tenant's right secret"
    );
    assert_eq!(
        errcode(&vendor.from([203, 0, 113, 1]).get(right).await),
        0,
        "another IP"
    );
    assert_eq!(
        try_out(&vendor, &vendor.token).await,
        0,
        "other calls go on"
    );
    advance(Duration::from_secs(3599)).await;
    assert_eq!(errcode(&vendor.get(right).await), 45009);
    advance(Duration::from_secs(1)).await;
    assert_eq!(errcode(&vendor.get(right).await), 0);
}

#[tokio::test(start_paused = true)]
async fn wrong_secrets_are_forgotten_after_an_hour() {
    let vendor = Vendor::with(|profile| profile.tokens.wrong_secrets_per_hour = 3).await;
    for _ in 0..10 {
        let wrong = vendor.get("gettoken?corpid=corp&corpsecret=wrong").await;
        assert_eq!(errcode(&wrong), 40001);
        advance(Duration::from_secs(1800)).await;
    }
}

async fn corp_token(vendor: &Vendor, query: &str, body: &Value) -> Value {
    let path = format!("service/get_corp_token?{query}");
    vendor.json(Method::POST, &path, body.to_string()).await
}

async fn provider() -> Vendor {
    Vendor::with(|profile| {
        profile.tokens.suite_access_token = Some("suite".into());
        profile.corps[0].permanent_code = Some("permanent".into());
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn get_corp_token_has_no_errcode_on_success() {
    let vendor = provider().await;
    let body = json!({"auth_corpid": "corp", "permanent_code": "permanent"});
    let given = corp_token(&vendor, "suite_access_token=suite", &body).await;
    assert_eq!(given.get("errcode"), None);
    assert_eq!(given["expires_in"], 7200);
    assert_eq!(
        try_out(&vendor, given["access_token"].as_str().unwrap()).await,
        0
    );
}

#[tokio::test(start_paused = true)]
async fn get_corp_token_tells_what_is_missing_or_wrong() {
    let vendor = provider().await;
    let whole = json!({"auth_corpid": "corp", "permanent_code": "permanent"});
    for (query, body, code) in [
        ("", whole.clone(), 41021),
        ("suite_access_token=other", whole, 40082),
        (
            "suite_access_token=suite",
            json!({"permanent_code": "permanent"}),
            40063,
        ),
        (
            "suite_access_token=suite",
            json!({"auth_corpid": "corp"}),
            41025,
        ),
        (
            "suite_access_token=suite",
            json!({"auth_corpid": "corp", "permanent_code": "x"}),
            40084,
        ),
        (
            "suite_access_token=suite",
            json!({"auth_corpid": "none", "permanent_code": "x"}),
            40013,
        ),
    ] {
        let answer = corp_token(&vendor, query, &body).await;
        assert_eq!(errcode(&answer), code, "{query} {body}");
    }
}
