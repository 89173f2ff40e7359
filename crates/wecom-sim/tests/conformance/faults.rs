//! What goes wrong on purpose.

use std::time::Duration;

use http::Method;
use http_body_util::BodyExt;
use serde_json::json;
use tokio::time::timeout;
use wecom::Clock;
use wecom_sim::{
    Api, Profile, Reset,
    profile::{Fault, FaultKind},
};

use crate::vendor::{Vendor, errcode, fault, multi};

/// A code, and a fault that befalls the next update.
async fn broken(what: FaultKind) -> (Vendor, String) {
    let vendor = Vendor::new().await;
    let config_id = vendor.added(&multi(&["m1"])).await;
    vendor.set(|settings| {
        settings.faults = vec![Fault {
            times: Some(1),
            ..fault(Some("update_contact_way"), what)
        }];
    });
    (vendor, config_id)
}

async fn state(vendor: &Vendor, config_id: &str) -> String {
    vendor.way(config_id).await["state"]
        .as_str()
        .expect("a state")
        .into()
}

#[tokio::test(start_paused = true)]
async fn a_timeout_before_does_nothing_and_never_answers() {
    let (vendor, config_id) = broken(FaultKind::TimeoutBefore).await;
    let body = json!({"config_id": config_id, "state": "new"});
    let call = vendor.post("update_contact_way", &body);
    assert!(timeout(Duration::from_secs(600), call).await.is_err());
    assert_eq!(state(&vendor, &config_id).await, "");
    assert_eq!(
        vendor.code("update_contact_way", &body).await,
        0,
        "it befell one call"
    );
    let seen = vendor.traffic("update_contact_way");
    assert_eq!((seen.calls, seen.by_errcode), (2, vec![(0, 1)]));
}

#[tokio::test(start_paused = true)]
async fn a_timeout_after_does_it_and_never_answers() {
    let (vendor, config_id) = broken(FaultKind::TimeoutAfter).await;
    let body = json!({"config_id": config_id, "state": "new"});
    let call = vendor.post("update_contact_way", &body);
    assert!(timeout(Duration::from_secs(600), call).await.is_err());
    assert_eq!(state(&vendor, &config_id).await, "new");
}

#[tokio::test(start_paused = true)]
async fn a_reset_does_nothing_and_is_an_error() {
    let (vendor, config_id) = broken(FaultKind::Reset).await;
    let body = json!({"config_id": config_id, "state": "new"}).to_string();
    let path = format!(
        "externalcontact/update_contact_way?access_token={}",
        vendor.token
    );
    assert_eq!(
        vendor.send(Method::POST, &path, body).await.unwrap_err(),
        Reset
    );
    assert_eq!(state(&vendor, &config_id).await, "");
}

#[tokio::test(start_paused = true)]
async fn a_502_does_nothing_and_is_a_page() {
    let (vendor, config_id) = broken(FaultKind::Html502).await;
    let body = json!({"config_id": config_id, "state": "new"}).to_string();
    let path = format!(
        "externalcontact/update_contact_way?access_token={}",
        vendor.token
    );
    let response = vendor.send(Method::POST, &path, body).await.unwrap();
    assert_eq!(response.status(), 502);
    assert_eq!(response.headers()["content-type"], "text/html");
    let page = response.into_body().collect().await.unwrap().to_bytes();
    assert!(page.starts_with(b"<html>"));
    assert_eq!(state(&vendor, &config_id).await, "");
}

#[tokio::test(start_paused = true)]
async fn busy_is_minus_one_and_any_errcode_can_be_had() {
    for (what, code) in [
        (FaultKind::Busy, -1),
        (FaultKind::Errcode { errcode: 45036 }, 45036),
    ] {
        let (vendor, config_id) = broken(what).await;
        let body = json!({"config_id": config_id, "state": "new"});
        assert_eq!(vendor.code("update_contact_way", &body).await, code);
        assert_eq!(state(&vendor, &config_id).await, "");
        assert_eq!(vendor.traffic("update_contact_way").by_errcode, [(code, 1)]);
    }
}

#[tokio::test(start_paused = true)]
async fn wrong_json_warns_with_errcode_0_and_leaves_out_the_lists() {
    let (vendor, config_id) = broken(FaultKind::WrongJson).await;
    let body = json!({"config_id": config_id, "state": "new", "user": ["m2"]});
    let answer = vendor.post("update_contact_way", &body).await;
    assert_eq!(errcode(&answer), 0);
    assert!(
        answer["errmsg"]
            .as_str()
            .unwrap()
            .contains("Warning: wrong json format."),
        "{answer}"
    );
    let way = vendor.way(&config_id).await;
    assert_eq!(
        (&way["state"], &way["user"]),
        (&json!("new"), &json!(["m1"]))
    );
}

#[tokio::test(start_paused = true)]
async fn wrong_json_makes_a_code_without_members() {
    let vendor = Vendor::new().await;
    vendor.set(|settings| {
        settings.faults = vec![fault(Some("add_contact_way"), FaultKind::WrongJson)]
    });
    let config_id = vendor.added(&multi(&["m1"])).await;
    assert_eq!(vendor.way(&config_id).await["user"], json!([]));
}

#[tokio::test(start_paused = true)]
async fn every_call_can_be_broken_by_its_name() {
    for api in Api::ALL {
        let text = format!("[[fault]]\nkind = \"busy\"\napi = \"{}\"", api.name());
        let faults = Profile::parse(&text).expect("it is a name").faults;
        let vendor = Vendor::new().await;
        vendor.set(|settings| settings.faults = faults);
        let path = format!(
            "{}?access_token={}&corpid=corp&corpsecret=right",
            api.path(),
            vendor.token
        );
        let method = if api.is_post() {
            Method::POST
        } else {
            Method::GET
        };
        assert_eq!(
            errcode(&vendor.json(method, &path, "{}").await),
            -1,
            "{}",
            api.name()
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_body_comes_at_its_pace() {
    let (vendor, config_id) = broken(FaultKind::SlowBody { bytes_per_s: 10 }).await;
    let clock = Clock::system();
    let body = json!({"config_id": config_id, "state": "new"});
    let answer = vendor.post("update_contact_way", &body).await;
    assert_eq!(answer, json!({"errcode": 0, "errmsg": "ok"}));
    // 27 bytes, a tenth of a second each.
    assert_eq!(clock.now().as_millis() / 100, 27);
}

#[tokio::test(start_paused = true)]
async fn no_fault_befalls_a_call_that_is_blocked() {
    let (vendor, config_id) = broken(FaultKind::Reset).await;
    vendor.set(|settings| settings.windows.corp_per_minute = 1);
    let body = json!({"config_id": config_id});
    vendor.set(|settings| settings.faults[0].times = Some(0));
    assert_eq!(vendor.code("update_contact_way", &body).await, 0);
    vendor.set(|settings| settings.faults[0].times = Some(1));
    assert_eq!(vendor.code("update_contact_way", &body).await, 45009);
}

/// Every `errcode` that the list of 90313 has for these calls, with those that have no rule here that makes them.
const DOCUMENTED: [i64; 53] = [
    -1, 6000, 40001, 40003, 40013, 40014, 40031, 40032, 40033, 40058, 40063, 40066, 40098, 40099,
    40206, 41001, 41035, 41037, 41038, 41039, 41040, 41041, 41042, 41043, 41044, 41045, 41051,
    41054, 42001, 45009, 45024, 45033, 45035, 45036, 46004, 48002, 48006, 50001, 50002, 50003,
    60003, 60011, 60020, 60021, 60111, 60123, 60136, 84061, 84074, 92000, 301_002, 301_007,
    301_021,
];

#[tokio::test(start_paused = true)]
async fn every_errcode_can_be_had_by_a_fault_and_does_nothing() {
    let vendor = Vendor::new().await;
    let config_id = vendor.added(&multi(&["m1"])).await;
    let others = [99_999, 999_999_999];
    for wanted in DOCUMENTED.into_iter().chain(others) {
        let text = format!("[[fault]]\nkind = \"errcode\"\nerrcode = {wanted}\ntimes = 1");
        let faults = Profile::parse(&text).expect("it is a number").faults;
        vendor.set(|settings| settings.faults = faults);
        let body = json!({"config_id": config_id, "state": "new"});
        let answer = vendor.post("update_contact_way", &body).await;
        assert_eq!(errcode(&answer), wanted);
        let said = answer["errmsg"].as_str().unwrap();
        let form = format!("devtool/query?e={wanted}");
        assert!(
            said.contains(", hint: [") && said.ends_with(&form),
            "{said}"
        );
        let is_nameless = said.starts_with("error, ");
        assert_eq!(is_nameless, others.contains(&wanted), "{said}");
        assert_eq!(state(&vendor, &config_id).await, "");
    }
}

#[tokio::test(start_paused = true)]
async fn what_befalls_a_whole_app_is_the_answer_to_all_its_calls_until_it_is_lifted() {
    let vendor = Vendor::new().await;
    let config_id = vendor.added(&multi(&["m1"])).await;
    let body = json!({"config_id": config_id});
    for code in [48002, 48006, 50003, 60020, 301_002, 301_007] {
        vendor.corp().refuse_with(Some(code));
        for api in ["get_contact_way", "update_contact_way"] {
            assert_eq!(vendor.code(api, &body).await, code, "{api}");
        }
        vendor.corp().refuse_with(None);
        assert_eq!(vendor.code("update_contact_way", &body).await, 0);
    }
}
