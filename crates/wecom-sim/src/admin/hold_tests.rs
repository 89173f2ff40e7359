//! That no request holds a lock for longer than a bounded number of rows, however long the lists are.

use std::collections::HashSet;

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt as _, Full};
use serde_json::{Value, json};
use tower_service::Service as _;

use super::{handle, routes::REQUESTS};
use crate::{
    Profile, Sim,
    profile::Department,
    world::{CodeSeed, NewRelation, counting},
};

/// More than several times of what is walked under one hold.
const MANY: u32 = 7000;

/// A piece of a list, and as much again around it.
const MOST_ROWS: usize = 2100;

/// A simulation of one enterprise with so many of everything, and a code that reaches all members.
fn large() -> (Sim, String) {
    let text = format!("[[corp]]\nid = \"ww1\"\nsecret = \"secret1\"\nmore_members = {MANY}\n");
    let sim = Sim::new(&Profile::parse(&text).unwrap()).unwrap();
    let corp = sim.world().corp("ww1").unwrap();
    for id in 2..=MANY {
        // A chain as deep as it is long is the worst for whoever looks for those below.
        let (name, parent) = (format!("d{id}"), if id % 2 == 0 { id - 1 } else { 1 });
        corp.add_department(&Department { id, name, parent })
            .unwrap();
    }
    let seed = CodeSeed {
        users: &["m1"],
        parties: &[1],
        ..CodeSeed::default()
    };
    let ids = corp
        .add_codes(&vec![seed; usize::try_from(MANY).unwrap()])
        .unwrap();
    for number in 1..=MANY {
        let external_userid = &format!("wm{number}");
        let relation = NewRelation {
            external_userid,
            userid: &format!("m{number}"),
            state: "",
            add_way: 1,
            createtime: 5,
        };
        corp.add_relation(relation).unwrap();
    }
    for number in 2..=MANY {
        let more = format!("[[corp]]\nid = \"xx{number}\"\nsecret = \"s\"\n");
        sim.world()
            .add_corp(&Profile::parse(&more).unwrap().corps[0])
            .unwrap();
    }
    let scanner = sim.parts().scanner();
    let all: HashSet<String> = (1..=MANY).map(|number| format!("m{number}")).collect();
    scanner.set_eligible("ww1", None, Some(all)).unwrap();
    (sim, ids[0].clone())
}

async fn ask(sim: &Sim, method: Method, path: &str, body: &Value) -> Value {
    let body = match body {
        Value::Null => Bytes::new(),
        body => Bytes::from(body.to_string()),
    };
    let request = Request::builder().method(method).uri(path);
    let response = handle(sim, request.body(body).unwrap()).await;
    let body = response.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&body).unwrap()
}

/// Returns the length of the longest list in an answer.
fn longest(answer: &Value) -> usize {
    match answer {
        Value::Array(items) => items
            .len()
            .max(items.iter().map(longest).max().unwrap_or(0)),
        Value::Object(fields) => fields.values().map(longest).max().unwrap_or(0),
        _ => 0,
    }
}

#[tokio::test]
async fn no_admin_request_walks_more_than_a_piece_under_one_lock() {
    let (sim, code) = large();
    let path = |request: &str| {
        let path = request.replace("{id}", "ww1").replace("{userid}", "m1");
        let path = path.replace("{config_id}", &code);
        // The longest part of a list from its begin on.
        let path = path.replace("cursor=&limit=", "limit=1000");
        let path = path.replace("corp=&config_id=", "corp=ww1");
        path.replace("truth?corp=", "truth?corp=ww1")
    };
    let reads = REQUESTS.iter().filter_map(|one| one.strip_prefix("GET "));
    let mut asked: Vec<(Method, String, Value)> = reads
        .map(|one| (Method::GET, path(one), Value::Null))
        .collect();
    for list in ["members", "departments", "codes", "customers"] {
        let last = format!("/admin/corps/ww1/{list}?cursor={}", MANY - 1);
        asked.push((Method::GET, last, Value::Null));
    }
    let truth = String::from("/admin/truth");
    asked.push((Method::GET, truth, Value::Null));
    let scan = json!({ "corp": "ww1", "config_id": code, "count": 2 });
    asked.push((Method::POST, String::from("/admin/scans"), scan));
    let load = json!({ "corp": "ww1", "per_second": 0.001 });
    asked.push((Method::POST, String::from("/admin/loads"), load));
    let all: Vec<String> = (1..=MANY).map(|number| format!("m{number}")).collect();
    let there = json!({ "corp": "ww1", "members": all });
    asked.push((Method::PUT, String::from("/admin/eligible"), there));
    let many = json!({ "count": MANY, "members_each": 3 });
    asked.push((Method::POST, String::from("/admin/corps/ww1/codes"), many));
    let each: Vec<Value> = (0..MANY).map(|_| json!({ "users": ["m1"] })).collect();
    let each = json!({ "codes": each });
    asked.push((Method::POST, String::from("/admin/corps/ww1/codes"), each));
    let last = String::from("/admin/corps/ww1/departments/7000");
    asked.push((Method::DELETE, last, Value::Null));
    asked.push((
        Method::POST,
        String::from("/admin/corps/ww1/new-day"),
        Value::Null,
    ));
    asked.push((Method::POST, String::from("/admin/reset"), Value::Null));
    counting::taken();
    let mut walked = 0;
    for (method, path, body) in asked {
        let answer = ask(&sim, method.clone(), &path, &body).await;
        let (most, all) = counting::taken();
        walked += all;
        let told = answer["error"].as_str().unwrap_or_default();
        assert!(told.is_empty(), "{path}: {told}");
        assert!(most <= MOST_ROWS, "{method} {path}: {most} rows at once");
        assert!(longest(&answer) <= 1000, "{method} {path}: a long list");
    }
    assert!(walked > 10_000, "the lists were walked: {walked} rows");
}

#[tokio::test]
async fn no_call_of_the_app_walks_more_than_a_piece_under_one_lock() {
    let (sim, code) = large();
    let token = sim.world().corp("ww1").unwrap().token().0;
    let everybody: Vec<String> = (1..=100).map(|number| format!("m{number}")).collect();
    let many = usize::try_from(MANY).unwrap();
    for (path, body, list, length) in [
        (
            "externalcontact/get_follow_user_list?",
            Value::Null,
            "follow_user",
            many,
        ),
        ("department/list?", Value::Null, "department", many),
        ("department/list?id=2&", Value::Null, "department", 1),
        (
            "externalcontact/list_contact_way?",
            json!({ "limit": 1000 }),
            "contact_way",
            1000,
        ),
        (
            "externalcontact/list_contact_way?",
            json!({ "start_time": 1, "end_time": 2 }),
            "contact_way",
            0,
        ),
        (
            "externalcontact/batch/get_by_user?",
            json!({ "userid_list": everybody, "limit": 100 }),
            "external_contact_list",
            100,
        ),
        (
            "externalcontact/get?external_userid=wm1&",
            Value::Null,
            "follow_user",
            1,
        ),
        (
            "externalcontact/update_contact_way?",
            json!({ "config_id": code, "party": [1] }),
            "",
            0,
        ),
    ] {
        counting::taken();
        let url = format!("/cgi-bin/{path}access_token={token}");
        let request = match &body {
            Value::Null => Request::get(url).body(Full::default()),
            body => Request::post(url).body(Full::new(Bytes::from(body.to_string()))),
        };
        let response = sim.service().call(request.unwrap()).await.unwrap();
        let answer = response.into_body().collect().await.unwrap().to_bytes();
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        let (most, _) = counting::taken();
        assert!(most <= MOST_ROWS, "{path}: {most} rows at once");
        let errcode = if list.is_empty() { 41041 } else { 0 };
        assert_eq!(answer["errcode"], errcode, "{path}: {answer}");
        let found = answer[list].as_array().map_or(0, Vec::len);
        assert_eq!(found, length, "{path}");
    }
}
