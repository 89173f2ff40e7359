//! Requests that are wrong.

use bytes::Bytes;
use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    common::{KEY, SEED},
    setup::Setup,
};

/// Returns requests that are right.
fn good(code: &str) -> [(Method, &'static str, Value); 7] {
    [
        (
            Method::POST,
            "/admin/corps",
            json!({ "id": "ww7", "secret": "s", "more_members": 2,
            "member": [{ "userid": "x", "departments": [1], "flags": ["full"] }],
            "department": [{ "id": 2, "name": "n", "parent": 1 }] }),
        ),
        (
            Method::PATCH,
            "/admin/corps/ww1/members/m1",
            json!({ "userid": "n1", "departments": [1],
            "flags": ["left"], "customers_per_day": 3, "silent": true }),
        ),
        (
            Method::POST,
            "/admin/corps/ww1/codes",
            json!({ "codes": [{ "users": ["m2"], "parties": [1],
            "created_s": 12 }] }),
        ),
        (
            Method::POST,
            "/admin/corps/ww1/events",
            json!({ "name": "e", "change_type": "c",
            "created_s": 1, "fields": { "A": "b" } }),
        ),
        (
            Method::PUT,
            "/admin/eligible",
            json!({ "corp": "ww1", "config_id": code, "members": ["m2"] }),
        ),
        (
            Method::POST,
            "/admin/scans",
            json!({ "corp": "ww1", "config_id": code, "count": 2 }),
        ),
        (
            Method::PUT,
            "/admin/settings",
            json!({ "windows": { "divide_time": 2 },
            "fault": [{ "kind": "latency", "median_ms": 1.0, "p99_ms": 2.0 }] }),
        ),
    ]
}

/// Returns a body with a few bytes changed.
fn mutated(body: &Value, state: &mut u64) -> Vec<u8> {
    let odd = [
        b'"', b'{', b'}', b'[', b']', b',', b':', b'-', b'9', b'e', b'.', 0, 0xff, b'\\', b'u',
    ];
    let mut bytes = body.to_string().into_bytes();
    for _ in 0..1 + next(state) % 4 {
        let at = next(state) % bytes.len().max(1);
        match next(state) % 3 {
            0 => bytes.insert(at, odd[next(state) % odd.len()]),
            1 if !bytes.is_empty() => bytes[at] = odd[next(state) % odd.len()],
            _ if bytes.len() > 1 => drop(bytes.remove(at)),
            _ => {}
        }
    }
    bytes
}

/// Returns the next of a row of numbers that looks like chance.
fn next(state: &mut u64) -> usize {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*state >> 40).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_wrong_is_told_every_mistake_by_its_key() {
    let setup = Setup::new();
    let body = json!({
        "id": "a b", "secrt": "hush", "more_members": -1,
        "member": [{ "userid": "x", "flags": ["fulll"] }],
        "callback": { "url": "http://10.0.0.1/", "token": "to-ken", "encoding_aes_key": KEY },
    });
    let (status, answer) = setup.ask(Method::POST, "/admin/corps", Some(body)).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let told = answer["mistakes"].to_string();
    for part in [
        "id = \\\"a b\\\", expected 1 to 64 letters",
        "secret: expected 1 to 256 characters of ASCII that can be seen; it is missing",
        "secrt: expected a known key, did you mean \\\"secret\\\"?",
        "more_members = -1, expected a whole number, 0 to 1000000",
        "member[0].flags[0] = \\\"fulll\\\"",
        "did you mean \\\"full\\\"?",
        "callback.url = \\\"http://10.0.0.1/\\\", expected an http address of this machine",
        "callback.token = (6 characters)",
    ] {
        assert!(told.contains(part), "{part} in {told}");
    }
    assert!(!told.contains("hush") && !told.contains("to-ken"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn what_is_no_json_no_table_or_no_path_is_refused() {
    let setup = Setup::new();
    for (body, part) in [
        ("{", "the body is no JSON: line 1"),
        ("[]", "expected a table of keys"),
        ("3", "expected a table of keys"),
        ("\u{0}", "the body is no JSON"),
    ] {
        let (status, answer) = setup
            .raw(Method::POST, "/admin/corps", Bytes::from(body))
            .await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{body:?}");
        assert!(answer["error"].as_str().unwrap().contains(part), "{answer}");
    }
    for path in [
        "/admin/corp",
        "/admin/corps/ww1/x",
        "/admin/loads/7",
        "/admin/corps/ww1/tokens/x",
    ] {
        setup.bad(404, Method::DELETE, path, Value::Null).await;
    }
    for path in [
        "/admin/corps?x=1",
        "/admin/truth?crop=1",
        "/admin/settings?a",
        "/admin/%zz",
    ] {
        setup.bad(400, Method::GET, path, Value::Null).await;
    }
    setup
        .bad(404, Method::GET, "/admin/truth?corp=ww9", Value::Null)
        .await;
    let told = setup
        .bad(400, Method::POST, "/admin/reset", json!({ "now": true }))
        .await;
    assert!(told.contains("now"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn every_path_of_the_list_is_there_and_other_methods_are_refused() {
    let setup = Setup::new();
    let code = setup.code().await;
    let list = setup.good(Method::GET, "/admin", Value::Null).await;
    let requests = list["requests"].as_array().unwrap();
    assert!(requests.len() > 30);
    for request in requests {
        let (method, path) = request.as_str().unwrap().split_once(' ').unwrap();
        let path = path.split('?').next().unwrap_or_default();
        let path = path
            .replace("{id}", "ww1")
            .replace("{userid}", "m1")
            .replace("{config_id}", &code)
            .replace("{number}", "99");
        let (status, answer) = setup
            .ask(Method::PUT, &path, Some(json!({ "x_y_z": 1 })))
            .await;
        let is_put = [
            "/admin/corps/ww1/callback",
            "/admin/eligible",
            "/admin/settings",
        ];
        let expected = match is_put.contains(&path.as_str()) {
            true => 400,
            false => 405,
        };
        assert_eq!(status.as_u16(), expected, "{path}: {answer}");
        if method == "GET" {
            // Only who is said to be there cannot be told without an enterprise.
            let path = path.replace("/admin/eligible", "/admin/eligible?corp=ww1");
            setup.good(Method::GET, &path, Value::Null).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn no_body_and_no_path_makes_it_panic() {
    let setup = Setup::new();
    let code = setup.code().await;
    let good = good(&code);
    let mut state = SEED;
    for round in 0..4000 {
        let (method, path, body) = &good[next(&mut state) % good.len()];
        let bytes = mutated(body, &mut state);
        let (status, answer) = setup.raw(method.clone(), path, Bytes::from(bytes)).await;
        let is_answered = [200, 400, 404, 409].contains(&status.as_u16());
        assert!(
            is_answered,
            "seed {SEED}, round {round}: {method} {path}: {status} {answer}"
        );
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for body in [deep, format!("{{\"a\":{}", "{\"a\":".repeat(100_000))] {
        let (status, _) = setup
            .raw(Method::POST, "/admin/corps", Bytes::from(body))
            .await;
        assert_eq!(status, StatusCode::BAD_REQUEST);
    }
}
