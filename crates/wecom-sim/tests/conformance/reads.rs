//! The reads of members, departments and customers.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::advance;
use wecom_sim::{profile::MemberFlag, world::NewRelation};

use crate::vendor::{BEGAN_S, Vendor, department, errcode, member, multi};

fn customer<'a>(external_userid: &'a str, userid: &'a str) -> NewRelation<'a> {
    NewRelation {
        external_userid,
        userid,
        state: "s",
        add_way: 1,
        createtime: BEGAN_S,
    }
}

async fn followers(vendor: &Vendor) -> Vec<Value> {
    let answer = vendor.read("externalcontact/get_follow_user_list?").await;
    assert_eq!(errcode(&answer), 0, "{answer}");
    answer["follow_user"].as_array().expect("a list").clone()
}

#[tokio::test(start_paused = true)]
async fn the_follow_user_list_holds_those_with_permission_and_activated() {
    let vendor = Vendor::new().await;
    assert_eq!(followers(&vendor).await.len(), 153);
    for (flag, listed) in [
        (MemberFlag::NoPermission, false),
        (MemberFlag::NotActivated, false),
        (MemberFlag::NotVerified, true),
        (MemberFlag::OutOfScope, false),
        (MemberFlag::Missing, false),
        (MemberFlag::Left, false),
        (MemberFlag::Disabled, false),
        (MemberFlag::Full, true),
    ] {
        vendor.corp().set_flag("m1", flag);
        assert_eq!(
            followers(&vendor).await.contains(&json!("m1")),
            listed,
            "{flag:?}"
        );
        vendor.corp().clear_flag("m1", flag);
    }
    vendor.corp().remove_member("m1");
    assert!(!followers(&vendor).await.contains(&json!("m1")));
}

#[tokio::test(start_paused = true)]
async fn whether_the_follow_user_list_names_the_unverified_is_a_switch() {
    let vendor = Vendor::new().await;
    vendor.corp().set_flag("m1", MemberFlag::NotVerified);
    for may in [true, false] {
        vendor.set(|settings| settings.contact_ways.unverified_may_follow = may);
        let listed = followers(&vendor).await;
        assert_eq!(listed.contains(&json!("m1")), may);
        assert!(listed.contains(&json!("m2")));
        let user = vendor.read("user/get?userid=m1").await;
        assert_eq!(user["status"], 1, "nor does this tell");
        let config_id = vendor.added(&multi(&["m2"])).await;
        let body = json!({"config_id": config_id, "user": ["m1"]});
        assert_eq!(vendor.code("update_contact_way", &body).await, 40098);
    }
}

#[tokio::test(start_paused = true)]
async fn user_get_tells_status_and_departments() {
    let vendor = Vendor::new().await;
    for (flag, status) in [
        (None, 1),
        (Some(MemberFlag::Disabled), 2),
        (Some(MemberFlag::NotActivated), 4),
        (Some(MemberFlag::Left), 5),
        (Some(MemberFlag::NotVerified), 1),
    ] {
        let flags: Vec<_> = flag.into_iter().collect();
        vendor.corp().remove_member("x");
        vendor
            .corp()
            .add_member(&member("x", &[3, 2], &flags))
            .unwrap();
        let user = vendor.read("user/get?userid=x").await;
        assert_eq!(
            (errcode(&user), &user["status"]),
            (0, &json!(status)),
            "{flag:?}"
        );
        assert_eq!(
            (&user["userid"], &user["department"]),
            (&json!("x"), &json!([3, 2]))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn user_get_of_one_who_is_not_to_be_seen_is_an_error() {
    let vendor = Vendor::new().await;
    assert_eq!(errcode(&vendor.read("user/get?userid=nobody").await), 60111);
    assert_eq!(errcode(&vendor.read("user/get?").await), 40063);
    for (flag, code) in [
        (MemberFlag::Missing, 60111),
        (MemberFlag::MissingAsInvalid, 40003),
        (MemberFlag::OutOfScope, 50002),
        (MemberFlag::NoPrivilege, 60011),
    ] {
        vendor.corp().set_flag("m1", flag);
        assert_eq!(
            errcode(&vendor.read("user/get?userid=m1").await),
            code,
            "{flag:?}"
        );
        vendor.corp().clear_flag("m1", flag);
    }
}

#[tokio::test(start_paused = true)]
async fn department_list_tells_of_one_and_all_below() {
    let vendor = Vendor::new().await;
    vendor.corp().add_department(&department(9, 1)).unwrap();
    let ids = async |query: &str| {
        let answer = vendor.read(&format!("department/list?{query}")).await;
        let all = answer["department"].as_array().cloned().unwrap_or_default();
        let pairs = all
            .iter()
            .map(|there| (there["id"].clone(), there["parentid"].clone()));
        (errcode(&answer), pairs.collect::<Vec<_>>())
    };
    let pair = |id: u32, parent: u32| (json!(id), json!(parent));
    let all = vec![pair(1, 0), pair(2, 1), pair(3, 2), pair(9, 1)];
    assert_eq!(ids("").await, (0, all));
    assert_eq!(ids("id=2").await, (0, vec![pair(2, 1), pair(3, 2)]));
    assert_eq!(ids("id=7").await.0, 60003);
    assert_eq!(ids("id=x").await.0, 40058);
}

#[tokio::test(start_paused = true)]
async fn getcallbackip_tells_this_machine() {
    let answer = Vendor::new().await.read("getcallbackip?").await;
    assert_eq!(
        (errcode(&answer), &answer["ip_list"]),
        (0, &json!(["127.0.0.1"]))
    );
}

#[tokio::test(start_paused = true)]
async fn a_customer_s_rows_tell_member_time_state_and_way() {
    let vendor = Vendor::new().await;
    vendor.corp().add_relation(customer("wm1", "m1")).unwrap();
    vendor
        .corp()
        .add_relation(NewRelation {
            state: "",
            add_way: 202,
            ..customer("wm1", "m2")
        })
        .unwrap();
    let answer = vendor.read("externalcontact/get?external_userid=wm1").await;
    assert_eq!(answer["external_contact"]["external_userid"], "wm1");
    let rows = answer["follow_user"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    for (field, value) in [
        ("userid", json!("m1")),
        ("createtime", json!(BEGAN_S)),
        ("state", json!("s")),
        ("add_way", json!(1)),
    ] {
        assert_eq!(rows[0][field], value, "{field}");
    }
    assert_eq!(
        (rows[1].get("state"), &rows[1]["add_way"]),
        (None, &json!(202))
    );
    assert_eq!(answer["next_cursor"], "");
}

#[tokio::test(start_paused = true)]
async fn a_customer_nobody_has_is_84061_and_a_missing_id_41035() {
    let vendor = Vendor::new().await;
    let none = vendor.read("externalcontact/get?external_userid=wm9").await;
    assert_eq!(errcode(&none), 84061);
    assert_eq!(errcode(&vendor.read("externalcontact/get?").await), 41035);
    vendor.corp().add_relation(customer("wm9", "m1")).unwrap();
    let bad = vendor
        .read("externalcontact/get?external_userid=wm9&cursor=x")
        .await;
    assert_eq!(errcode(&bad), 40058);
}

#[tokio::test(start_paused = true)]
async fn a_customer_s_rows_come_500_at_a_time() {
    let vendor = Vendor::with(|profile| profile.corps[0].more_members = 700).await;
    for number in 1..=501 {
        vendor
            .corp()
            .add_relation(customer("wm1", &format!("m{number}")))
            .unwrap();
    }
    let first = vendor.read("externalcontact/get?external_userid=wm1").await;
    assert_eq!(first["follow_user"].as_array().unwrap().len(), 500);
    let cursor = first["next_cursor"].as_str().unwrap();
    let path = format!("externalcontact/get?external_userid=wm1&cursor={cursor}");
    let second = vendor.read(&path).await;
    assert_eq!(second["follow_user"][0]["userid"], "m501");
    assert_eq!(second["next_cursor"], "");
}

async fn batch(vendor: &Vendor, body: &Value) -> Value {
    vendor.post("batch/get_by_user", body).await
}

fn pairs(answer: &Value) -> Vec<(String, String)> {
    let rows = answer["external_contact_list"].as_array().expect("a list");
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    rows.iter()
        .map(|row| {
            let customer = &row["external_contact"]["external_userid"];
            (text(&row["follow_info"]["userid"]), text(customer))
        })
        .collect()
}

#[tokio::test(start_paused = true)]
async fn batch_get_by_user_goes_through_the_members_page_by_page() {
    let vendor = Vendor::new().await;
    let mut wanted = Vec::new();
    for member in ["m1", "m2", "m3"] {
        for number in 0..3 {
            let external = format!("wm-{member}-{number}");
            vendor
                .corp()
                .add_relation(customer(&external, member))
                .unwrap();
            wanted.push((member.to_owned(), external));
        }
    }
    vendor
        .corp()
        .add_relation(customer("wm-other", "m4"))
        .unwrap();
    for limit in [1, 2, 4, 9, 100] {
        let (mut got, mut cursor) = (Vec::new(), String::new());
        loop {
            let body = json!({"userid_list": ["m1", "m2", "m3"], "limit": limit, "cursor": cursor});
            let answer = batch(&vendor, &body).await;
            assert_eq!(errcode(&answer), 0, "{answer}");
            got.extend(pairs(&answer));
            cursor = answer["next_cursor"].as_str().unwrap().into();
            if cursor.is_empty() {
                break;
            }
        }
        assert_eq!(got, wanted, "limit {limit}");
    }
}

#[tokio::test(start_paused = true)]
async fn batch_get_by_user_takes_1_to_100_members_and_gives_1_to_100_rows() {
    let vendor = Vendor::new().await;
    let members = |count: usize| -> Vec<String> { (1..=count).map(|n| format!("m{n}")).collect() };
    for (body, code) in [
        (json!({"userid_list": members(100)}), 0),
        (json!({"userid_list": members(101)}), 40032),
        (json!({"userid_list": []}), 40032),
        (json!({}), 40063),
        (json!({"userid_list": ["nobody"]}), 40031),
        (json!({"userid_list": ["m1"], "limit": 101}), 40058),
        (json!({"userid_list": ["m1"], "limit": 0}), 40058),
        (json!({"userid_list": ["m1"], "cursor": "x"}), 40058),
    ] {
        assert_eq!(errcode(&batch(&vendor, &body).await), code, "{body}");
    }
}

#[tokio::test(start_paused = true)]
async fn c4_a_removed_customer_is_read_for_the_lag() {
    let vendor = Vendor::with(|profile| profile.contact_ways.read_lag_s = 30).await;
    vendor.corp().add_relation(customer("wm1", "m1")).unwrap();
    assert!(vendor.corp().remove_relation("wm1", "m1"));
    assert!(!vendor.corp().remove_relation("wm1", "m1"));
    assert_eq!(vendor.corp().relations(), []);
    let read = "externalcontact/get?external_userid=wm1";
    let list = json!({"userid_list": ["m1"]});
    advance(Duration::from_secs(29)).await;
    assert_eq!(errcode(&vendor.read(read).await), 0);
    assert_eq!(pairs(&batch(&vendor, &list).await).len(), 1);
    advance(Duration::from_secs(1)).await;
    assert_eq!(errcode(&vendor.read(read).await), 84061);
    assert_eq!(pairs(&batch(&vendor, &list).await), []);
}

#[tokio::test(start_paused = true)]
async fn without_lag_a_removed_customer_is_gone_at_once() {
    let vendor = Vendor::new().await;
    vendor.corp().add_relation(customer("wm1", "m1")).unwrap();
    assert!(vendor.corp().remove_relation("wm1", "m1"));
    assert_eq!(
        errcode(&vendor.read("externalcontact/get?external_userid=wm1").await),
        84061
    );
}

#[tokio::test(start_paused = true)]
async fn a_customer_added_again_has_one_row() {
    let vendor = Vendor::new().await;
    vendor.corp().add_relation(customer("wm1", "m1")).unwrap();
    vendor
        .corp()
        .add_relation(NewRelation {
            state: "t",
            ..customer("wm1", "m1")
        })
        .unwrap();
    let all = vendor.corp().relations();
    assert_eq!((all.len(), all[0].state.as_str()), (1, "t"));
}

#[tokio::test(start_paused = true)]
async fn close_temp_chat_wants_both_ids_and_a_relation() {
    let vendor = Vendor::new().await;
    vendor.corp().add_relation(customer("wm1", "m1")).unwrap();
    for (body, code) in [
        (json!({"userid": "m1", "external_userid": "wm1"}), 0),
        (json!({"external_userid": "wm1"}), 40063),
        (json!({"userid": "m1"}), 41035),
        (json!({"userid": "nobody", "external_userid": "wm1"}), 60111),
        (json!({"userid": "m2", "external_userid": "wm1"}), 84061),
    ] {
        assert_eq!(vendor.code("close_temp_chat", &body).await, code, "{body}");
    }
}
