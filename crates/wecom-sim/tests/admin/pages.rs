//! Lists that are read in parts.

use http::Method;
use serde_json::{Value, json};
use wecom_sim::world::NewRelation;

use crate::setup::Setup;

/// Reads a list to its end, in parts of `limit`; `between` happens after each part.
async fn all(
    setup: &Setup,
    path: &str,
    key: &str,
    limit: usize,
    mut between: impl AsyncFnMut(usize),
) -> Vec<Value> {
    let (mut found, mut cursor, mut parts) = (Vec::new(), String::new(), 0);
    loop {
        let mark = if path.contains('?') { '&' } else { '?' };
        let part = format!("{path}{mark}limit={limit}&cursor={cursor}");
        let answer = setup.good(Method::GET, &part, Value::Null).await;
        let items = answer[key].as_array().unwrap();
        assert!(items.len() <= limit, "{part}: {} items", items.len());
        found.extend(items.iter().cloned());
        cursor = String::from(answer["next_cursor"].as_str().unwrap());
        parts += 1;
        if cursor.is_empty() {
            return found;
        }
        assert!(!items.is_empty(), "{part}: a part is full but for the last");
        between(parts).await;
    }
}

fn userids(members: &[Value]) -> Vec<&str> {
    let userids = members.iter().map(|member| &member["userid"]);
    userids.map(|userid| userid.as_str().unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn all_parts_together_are_the_list_and_the_last_one_says_so() {
    let setup = Setup::new();
    let corp = setup.sim.world().corp("ww1").unwrap();
    for number in 1..=5 {
        let external_userid = &format!("wm{number}");
        let relation = NewRelation {
            external_userid,
            userid: "m1",
            state: "",
            add_way: 1,
            createtime: 5,
        };
        corp.add_relation(relation).unwrap();
        let id = format!("ww{}", number + 1);
        let one = json!({ "id": id, "secret": "s" });
        setup.good(Method::POST, "/admin/corps", one).await;
        let one = json!({ "id": number + 1, "name": format!("d{number}") });
        setup
            .good(Method::POST, "/admin/corps/ww1/departments", one)
            .await;
    }
    let codes = json!({ "count": 6 });
    setup
        .good(Method::POST, "/admin/corps/ww1/codes", codes)
        .await;
    // An id that looks like a number, and is none.
    let one = json!({ "userid": "77" });
    setup
        .good(Method::POST, "/admin/corps/ww1/members", one)
        .await;
    let there = json!({ "corp": "ww1", "members": ["m1", "m2", "m3", "m4", "m5", "77"] });
    setup.good(Method::PUT, "/admin/eligible", there).await;
    for (path, key, length) in [
        ("/admin/corps", "corps", 6),
        ("/admin/corps/ww1/members", "members", 6),
        ("/admin/corps/ww1/departments", "departments", 6),
        ("/admin/corps/ww1/codes", "config_ids", 6),
        ("/admin/corps/ww1/customers", "customers", 5),
        ("/admin/eligible?corp=ww1", "members", 6),
    ] {
        let whole = setup.good(Method::GET, path, Value::Null).await;
        assert_eq!(whole["total"], length, "{path}");
        assert_eq!(whole["next_cursor"], "", "{path}");
        assert_eq!(whole[key].as_array().unwrap().len(), length, "{path}");
        for limit in [1, 2, 3, length, length + 1] {
            let parts = all(&setup, path, key, limit, async |_| {}).await;
            assert_eq!(json!(parts), whole[key], "{path} by {limit}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_there_all_the_time_is_in_one_part_whatever_comes_and_goes() {
    let setup = Setup::new();
    let members = "/admin/corps/ww1/members";
    let found = all(&setup, members, "members", 2, async |part| {
        if part == 1 {
            // One that was told, one that would have been, and a new one; places do not move.
            for gone in ["m1", "m4"] {
                let path = format!("{members}/{gone}");
                setup.good(Method::DELETE, &path, Value::Null).await;
            }
            let come = json!({ "userid": "a1" });
            setup.good(Method::POST, members, come).await;
        }
    })
    .await;
    assert_eq!(userids(&found), ["m1", "m2", "m3", "m5", "a1"]);

    let codes = "/admin/corps/ww1/codes";
    let added = setup.good(Method::POST, codes, json!({ "count": 5 })).await;
    let ids = added["config_ids"].as_array().unwrap().clone();
    let found = all(&setup, codes, "config_ids", 2, async |part| {
        if part == 1 {
            for gone in [&ids[0], &ids[2]] {
                let path = format!("{codes}/{}", gone.as_str().unwrap());
                setup.good(Method::DELETE, &path, Value::Null).await;
            }
        }
    })
    .await;
    assert_eq!(
        found,
        [&ids[0], &ids[1], &ids[3], &ids[4]].map(Clone::clone)
    );

    let corps = all(&setup, "/admin/corps", "corps", 1, async |_| {}).await;
    assert_eq!(corps, ["ww1"]);
}

#[tokio::test(start_paused = true)]
async fn a_part_is_full_however_many_are_gone_before_it() {
    let setup = Setup::new();
    let corp = setup.sim.world().corp("ww1").unwrap();
    let codes = "/admin/corps/ww1/codes";
    setup
        .good(Method::POST, codes, json!({ "count": 3500 }))
        .await;
    let ids = corp.config_ids_from(0, 3500).items;
    for id in &ids[..3490] {
        assert!(corp.delete_code(id));
    }
    let part = setup
        .good(Method::GET, "/admin/corps/ww1/codes?limit=10", Value::Null)
        .await;
    assert_eq!(part["config_ids"], json!(ids[3490..]));
    assert_eq!(
        (&part["next_cursor"], &part["total"]),
        (&json!(""), &json!(10))
    );
    // The app's own list goes on over them too.
    let token = setup.token().await;
    let path = format!("/cgi-bin/externalcontact/list_contact_way?access_token={token}");
    let listed = setup.answer(&path, json!({ "limit": 9 })).await;
    assert_eq!(listed["contact_way"].as_array().unwrap().len(), 9);
    let body = json!({ "limit": 9, "cursor": listed["next_cursor"] });
    let listed = setup.answer(&path, body).await;
    assert_eq!(listed["contact_way"], json!([{ "config_id": ids[3499] }]));
    assert_eq!(listed["next_cursor"], "");
}

#[tokio::test(start_paused = true)]
async fn a_part_that_cannot_be_is_told_by_its_key() {
    let setup = Setup::new();
    let lists = ["corps", "corps/ww1/members", "corps/ww1/departments"];
    let more = ["corps/ww1/codes", "corps/ww1/customers", "eligible"];
    for list in lists.iter().chain(&more) {
        for (query, part) in [
            ("limit=0", "limit = 0, expected a whole number, 1 to 1000"),
            (
                "limit=1001",
                "limit = 1001, expected a whole number, 1 to 1000",
            ),
            ("limit=x", "limit = x, expected a whole number, 1 to 1000"),
            ("skip=1", "skip: expected one of the keys"),
            ("cursor=1&cursor=1", "cursor: expected once"),
        ] {
            let path = format!("/admin/{list}?corp=ww1&{query}").replace(
                "?corp=ww1&",
                if *list == "eligible" {
                    "?corp=ww1&"
                } else {
                    "?"
                },
            );
            let told = setup.bad(400, Method::GET, &path, Value::Null).await;
            assert!(told.contains(part), "{path}: {told}");
        }
    }
    for wrong in ["x", "-1", "4294967296", "1.5"] {
        let path = format!("/admin/corps/ww1/members?cursor={wrong}");
        let told = setup.bad(400, Method::GET, &path, Value::Null).await;
        let part = format!("cursor = {wrong}, expected a whole number, 0 to 4294967295");
        assert!(told.contains(&part), "{told}");
    }
    let path = format!("/admin/corps?cursor={}", "x".repeat(129));
    let told = setup.bad(400, Method::GET, &path, Value::Null).await;
    assert!(told.contains("cursor: expected"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn a_code_that_reaches_many_shows_the_first_of_them() {
    let setup = Setup::new();
    let one = json!({ "id": "ww2", "secret": "s", "more_members": 3000 });
    setup.good(Method::POST, "/admin/corps", one).await;
    let codes = "/admin/corps/ww2/codes";
    let code = json!({ "codes": [{ "users": ["m7"], "parties": [1] }] });
    let added = setup.good(Method::POST, codes, code).await;
    let path = format!("{codes}/{}", added["config_ids"][0].as_str().unwrap());
    let shown = setup.good(Method::GET, &path, Value::Null).await;
    assert_eq!(shown["scan_targets_total"], 3000);
    let targets = shown["scan_targets"].as_array().unwrap();
    assert_eq!(targets.len(), 1000);
    assert_eq!(targets[..3], ["m7", "m1", "m2"]);
    let users = vec!["m1"; 1001];
    let told = setup
        .bad(400, Method::PATCH, &path, json!({ "users": users }))
        .await;
    assert!(
        told.contains("users: 1001 of them, expected at most 1000"),
        "{told}"
    );
    let told = setup
        .bad(
            400,
            Method::POST,
            codes,
            json!({ "codes": [{ "users": users }] }),
        )
        .await;
    assert!(
        told.contains("users: 1001 of them, expected at most 1000"),
        "{told}"
    );
}
