//! That scans of a code that reaches many take their turn among others, and are still of everybody on its list.

use std::{
    collections::BTreeMap,
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use http::Request;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};

use super::{Outcome, Scanned};
use crate::{
    Profile, Sim, admin,
    profile::{Department, Member, MemberFlag},
    world::{CodeSeed, Corp, Drawn, Random, counting},
};

/// Of a large department, many times of what is walked in one turn.
const MANY: u32 = 20_000;

/// The rows that a scan walks in one turn at most: of two holds for its list, two for who is eligible.
const MOST_IN_A_TURN: usize = 4500;

/// A simulation of one enterprise of so many members in its root, and a code of some departments.
fn simulation(members: u32, parties: &[u32]) -> (Sim, String) {
    let text = format!("[[corp]]\nid = \"ww1\"\nsecret = \"secret1\"\nmore_members = {members}\n");
    let sim = Sim::new(&Profile::parse(&text).unwrap()).unwrap();
    let corp = sim.world().corp("ww1").unwrap();
    for id in 2..=3 {
        let (name, parent) = (format!("d{id}"), id - 1);
        corp.add_department(&Department { id, name, parent })
            .unwrap();
    }
    let seed = CodeSeed {
        parties,
        ..CodeSeed::default()
    };
    let id = corp.add_codes(&[seed]).unwrap().remove(0);
    (sim, id)
}

fn request(code: &str, count: u32) -> Request<Bytes> {
    let body = json!({ "corp": "ww1", "config_id": code, "count": count });
    let request = Request::post("/admin/scans").body(Bytes::from(body.to_string()));
    request.unwrap()
}

/// Scans in one request, and returns to whom it went, and how often; checks what was walked in each turn.
async fn scanned(sim: &Sim, request: Request<Bytes>, most_in_all: usize) -> BTreeMap<String, u32> {
    let mut answer = pin!(admin::handle(sim, request));
    let mut context = Context::from_waker(Waker::noop());
    let mut in_all = 0;
    counting::taken();
    let response = loop {
        let polled = answer.as_mut().poll(&mut context);
        let (most, walked) = counting::taken();
        assert!(most <= 1001, "{most} rows under one hold");
        assert!(walked <= MOST_IN_A_TURN, "{walked} rows in one turn");
        in_all += walked;
        if let Poll::Ready(response) = polled {
            break response;
        }
    };
    assert!(in_all <= most_in_all, "{in_all} rows in all");
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let body: Value = serde_json::from_slice(&body).unwrap();
    let mut times = BTreeMap::new();
    for scan in body["scans"].as_array().unwrap() {
        let userid = scan["userid"].as_str().unwrap_or_default();
        *times.entry(String::from(userid)).or_default() += 1;
        assert!(scan["eligible"].as_array().unwrap().len() <= 100);
    }
    times
}

#[tokio::test]
async fn scans_of_a_large_department_walk_little_and_in_turns() {
    let (sim, code) = simulation(MANY, &[1]);
    let times = scanned(&sim, request(&code, 50), 50 * MOST_IN_A_TURN).await;
    assert!(times.len() > 40, "{times:?}");
    let counts = sim.parts().scanner().counts(None);
    assert_eq!((counts.total, counts.routed), (50, 50));
}

#[tokio::test]
async fn the_last_alone_of_a_large_department_is_found_as_fast() {
    let (sim, code) = simulation(MANY, &[1]);
    let corp = sim.world().corp("ww1").unwrap();
    for number in 1..MANY {
        assert!(corp.set_flag(&format!("m{number}"), MemberFlag::OutOfScope));
    }
    let times = scanned(&sim, request(&code, 50), 50 * MOST_IN_A_TURN).await;
    assert_eq!(times, BTreeMap::from([(format!("m{MANY}"), 50)]));
    // A flag that is cleared brings one back, one that is set takes the last away.
    assert!(corp.clear_flag("m7", MemberFlag::OutOfScope));
    assert!(corp.set_flag(&format!("m{MANY}"), MemberFlag::Left));
    let times = scanned(&sim, request(&code, 5), 5 * MOST_IN_A_TURN).await;
    assert_eq!(times, BTreeMap::from([(String::from("m7"), 5)]));
    assert!(corp.remove_member("m7"));
    let times = scanned(&sim, request(&code, 5), 5 * MOST_IN_A_TURN).await;
    assert_eq!(times, BTreeMap::from([(String::new(), 5)]));
}

#[tokio::test]
async fn one_of_a_large_department_without_a_flag_is_right_and_others_are_not() {
    let (sim, code) = simulation(MANY, &[1]);
    let corp = sim.world().corp("ww1").unwrap();
    for number in 1..MANY {
        assert!(corp.set_flag(&format!("m{number}"), MemberFlag::Disabled));
    }
    let scanner = sim.parts().scanner();
    let last = format!("m{MANY}");
    let there = [last.clone(), String::from("m3")].into();
    scanner.set_eligible("ww1", None, Some(there)).unwrap();
    for _ in 0..20 {
        let scanned = scanner.scan("ww1", &code).unwrap();
        assert_eq!(scanned.eligible, [last.as_str()], "m3 is disabled");
        assert!(!scanned.is_eligible_cut);
        let is_right = scanned.userid.as_ref() == Some(&last);
        assert_eq!(scanned.outcome == Outcome::Routed, is_right);
        assert_eq!(scanned.is_added, is_right);
    }
}

#[tokio::test]
async fn a_member_below_many_empty_departments_is_found_in_turns() {
    let (sim, code) = simulation(MANY, &[2]);
    let corp = sim.world().corp("ww1").unwrap();
    for id in 4..6000 {
        let (name, parent) = (format!("d{id}"), 2);
        corp.add_department(&Department { id, name, parent })
            .unwrap();
    }
    corp.move_member("m9", &[5999]).unwrap();
    let times = scanned(&sim, request(&code, 3), 3 * 20_000).await;
    assert_eq!(times, BTreeMap::from([(String::from("m9"), 3)]));
}

#[tokio::test]
async fn scans_end_with_the_request() {
    let (sim, code) = simulation(MANY, &[1]);
    {
        let mut answer = pin!(admin::handle(&sim, request(&code, 1000)));
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..20 {
            assert!(answer.as_mut().poll(&mut context).is_pending());
        }
    }
    let total = sim.parts().scanner().counts(None).total;
    assert!((1..=20).contains(&total), "{total} scans");
}

#[tokio::test]
async fn a_code_that_reaches_many_is_shown_in_turns() {
    let (sim, code) = simulation(MANY, &[1]);
    let path = format!("/admin/corps/ww1/codes/{code}");
    let request = Request::get(path).body(Bytes::new()).unwrap();
    let mut answer = pin!(admin::handle(&sim, request));
    let mut context = Context::from_waker(Waker::noop());
    counting::taken();
    loop {
        let polled = answer.as_mut().poll(&mut context);
        let (_, walked) = counting::taken();
        assert!(walked <= MOST_IN_A_TURN, "{walked} rows in one turn");
        if polled.is_ready() {
            break;
        }
    }
}

/// Draws once from a code's list.
fn drawn(corp: &Corp, code: &str, random: &Random) -> String {
    let mut targets = corp.targets(code).unwrap();
    loop {
        match targets.draw(corp, random) {
            Drawn::Later => {}
            Drawn::Nobody => return String::new(),
            Drawn::Member(userid) => return userid.as_ref().into(),
        }
    }
}

#[test]
fn each_of_a_long_list_is_as_likely() {
    let (sim, _) = simulation(0, &[]);
    let corp = sim.world().corp("ww1").unwrap();
    // A hundred each of: in a department, in one below it, in both; of others, and of those it does not reach.
    for group in 0..36_u32 {
        let (departments, flags) = match group % 6 {
            0 => (vec![2], vec![]),
            1 => (vec![3], vec![MemberFlag::Full]),
            2 | 3 => (vec![1, 2, 3], vec![]),
            4 => (vec![1], vec![]),
            _ => (vec![2], vec![MemberFlag::NotActivated]),
        };
        for number in 0..100 {
            let member = Member {
                userid: format!("{group:02}-{number}"),
                departments: departments.clone(),
                flags: flags.clone(),
                ..Member::default()
            };
            corp.add_member(&member).unwrap();
        }
    }
    let seed = CodeSeed {
        parties: &[2, 3],
        // In a department too, and one who is reached by name alone.
        users: &["00-1", "04-1"],
        ..CodeSeed::default()
    };
    let code = corp.add_codes(&[seed]).unwrap().remove(0);
    let all = corp.scan_targets(&code).unwrap();
    assert_eq!(all.len(), 2401);
    let mut times = BTreeMap::<String, u32>::new();
    let random = Random::new(11, "draws");
    for _ in 0..4802 {
        let userid = drawn(&corp, &code, &random);
        assert!(all.contains(&userid), "{userid} is not on the list");
        let group = String::from(&userid[..2]);
        *times.entry(group).or_default() += 1;
    }
    let alone = times.remove("04").unwrap_or_default();
    assert!(alone < 12, "{alone} times one alone, seed 11");
    assert_eq!(times.len(), 24, "{times:?}, seed 11");
    // 200 of each are expected, with a deviation of 14.
    let is_even = times.values().all(|times| (140..=260).contains(times));
    assert!(is_even, "{times:?}, seed 11");
}

#[test]
fn each_of_a_small_department_gets_scans_and_they_are_the_seed_s() {
    let scans = || -> Vec<Scanned> {
        let (sim, code) = simulation(3000, &[3]);
        let corp = sim.world().corp("ww1").unwrap();
        for number in (100..3000).step_by(100) {
            corp.move_member(&format!("m{number}"), &[1, 3]).unwrap();
        }
        assert!(corp.set_flag("m100", MemberFlag::NoPermission));
        let scanner = sim.parts().scanner();
        scanner.burst("ww1", &code, 600).unwrap()
    };
    let userids = |scans: Vec<Scanned>| scans.into_iter().filter_map(|scan| scan.userid);
    let first: Vec<String> = userids(scans()).collect();
    let mut times = BTreeMap::<&String, u32>::new();
    for userid in &first {
        *times.entry(userid).or_default() += 1;
    }
    assert_eq!(times.len(), 28, "{times:?}");
    assert!(times.values().all(|times| *times >= 6), "{times:?}");
    let second: Vec<String> = userids(scans()).collect();
    assert_eq!(first, second);
}
