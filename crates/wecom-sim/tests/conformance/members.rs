//! Who may be on a code: one who may not rejects the whole list, and nobody is named.

use serde_json::{Value, json};
use wecom_sim::profile::MemberFlag;

use crate::vendor::{Vendor, errcode, multi};

/// What a code that names such a member is answered with.
const FLAGS: [(MemberFlag, i64); 10] = [
    (MemberFlag::Missing, 60111),
    (MemberFlag::MissingAsInvalid, 40003),
    (MemberFlag::Left, 40003),
    (MemberFlag::NotVerified, 40098),
    (MemberFlag::NotActivated, 41054),
    (MemberFlag::Full, 40099),
    (MemberFlag::NoPermission, 84074),
    (MemberFlag::OutOfScope, 50002),
    (MemberFlag::NoPrivilege, 60011),
    (MemberFlag::Disabled, 0),
];

async fn push(vendor: &Vendor, config_id: &str, users: &[String]) -> Value {
    let body = json!({"config_id": config_id, "user": users, "state": "new"});
    vendor.post("update_contact_way", &body).await
}

fn numbered(range: std::ops::RangeInclusive<usize>) -> Vec<String> {
    range.map(|number| format!("m{number}")).collect()
}

#[tokio::test(start_paused = true)]
async fn each_flag_has_its_code_and_rejects_the_whole_update_with_nobody_named() {
    for (flag, code) in FLAGS {
        let vendor = Vendor::new().await;
        let config_id = vendor.added(&multi(&["m1"])).await;
        assert!(vendor.corp().set_flag("m77", flag));
        let answer = push(&vendor, &config_id, &numbered(51..=100)).await;
        assert_eq!(errcode(&answer), code, "{flag:?}");
        assert!(
            !answer["errmsg"].as_str().unwrap().contains("m77"),
            "{answer}"
        );
        let way = vendor.way(&config_id).await;
        if code != 0 {
            assert_eq!(
                (&way["user"], &way["state"]),
                (&json!(["m1"]), &json!("")),
                "{flag:?}"
            );
        }
        let mut body = multi(&["m77"]);
        body["state"] = json!("s");
        assert_eq!(
            vendor.code("add_contact_way", &body).await,
            code,
            "{flag:?}"
        );
        assert!(vendor.corp().clear_flag("m77", flag));
        assert_eq!(
            errcode(&push(&vendor, &config_id, &numbered(51..=100)).await),
            0
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_member_who_is_not_there_is_60111() {
    let vendor = Vendor::new().await;
    assert_eq!(
        vendor
            .code("add_contact_way", &multi(&["m1", "nobody"]))
            .await,
        60111
    );
    assert!(vendor.corp().remove_member("m2"));
    assert_eq!(
        vendor.code("add_contact_way", &multi(&["m1", "m2"])).await,
        60111
    );
}

#[tokio::test(start_paused = true)]
async fn of_several_the_first_in_the_list_decides() {
    let vendor = Vendor::new().await;
    vendor.corp().set_flag("m1", MemberFlag::NotVerified);
    vendor.corp().set_flag("m2", MemberFlag::NoPermission);
    assert_eq!(
        vendor
            .code("add_contact_way", &multi(&["m3", "m2", "m1"]))
            .await,
        84074
    );
    assert_eq!(
        vendor.code("add_contact_way", &multi(&["m1", "m2"])).await,
        40098
    );
}

#[tokio::test(start_paused = true)]
async fn a_list_that_is_not_given_is_not_checked_again() {
    let vendor = Vendor::new().await;
    let config_id = vendor.added(&multi(&["m1"])).await;
    vendor.corp().set_flag("m1", MemberFlag::NotVerified);
    let body = json!({"config_id": config_id, "state": "t"});
    assert_eq!(vendor.code("update_contact_way", &body).await, 0);
}

#[tokio::test(start_paused = true)]
async fn more_than_100_members_are_41041() {
    let vendor = Vendor::new().await;
    let config_id = vendor
        .added(&json!({"type": 2, "scene": 2, "user": numbered(1..=100)}))
        .await;
    let body = json!({"type": 2, "scene": 2, "user": numbered(1..=101)});
    assert_eq!(vendor.code("add_contact_way", &body).await, 41041);
    assert_eq!(
        errcode(&push(&vendor, &config_id, &numbered(1..=101)).await),
        41041
    );
}

#[tokio::test(start_paused = true)]
async fn the_members_of_departments_and_those_below_count_each_once() {
    let vendor = Vendor::new().await;
    // Department 2 holds d1 and d2 and, in 3 below it, d3.
    for (users, party, code) in [
        (numbered(1..=97), json!([2]), 0),
        (numbered(1..=98), json!([2]), 41041),
        (numbered(1..=99), json!([3]), 0),
        (numbered(1..=100), json!([3]), 41041),
        (numbered(1..=97), json!([2, 3]), 0),
        (
            [numbered(1..=97), vec!["d1".into()]].concat(),
            json!([2]),
            0,
        ),
        (numbered(1..=1), json!([1]), 41041),
    ] {
        let body = json!({"type": 2, "scene": 2, "user": users, "party": party});
        assert_eq!(
            vendor.code("add_contact_way", &body).await,
            code,
            "{} {party}",
            users.len()
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_update_of_one_list_counts_the_other_that_stays() {
    let vendor = Vendor::new().await;
    let body = json!({"type": 2, "scene": 2, "user": ["m1"], "party": [2]});
    let config_id = vendor.added(&body).await;
    assert_eq!(
        errcode(&push(&vendor, &config_id, &numbered(1..=98)).await),
        41041
    );
    assert_eq!(
        errcode(&push(&vendor, &config_id, &numbered(1..=97)).await),
        0
    );
    let body = json!({"config_id": config_id, "party": [1]});
    assert_eq!(vendor.code("update_contact_way", &body).await, 41041);
}

#[tokio::test(start_paused = true)]
async fn scans_reach_the_list_as_set_and_the_fit_of_its_departments() {
    let vendor = Vendor::new().await;
    let body = json!({"type": 2, "scene": 2, "user": ["m1", "d1"], "party": [2]});
    let config_id = vendor.added(&body).await;
    let targets = || vendor.corp().scan_targets(&config_id).expect("it is there");
    assert_eq!(targets(), ["m1", "d1", "d2", "d3"]);
    vendor.corp().set_flag("m1", MemberFlag::NotVerified);
    vendor.corp().set_flag("d2", MemberFlag::NotVerified);
    vendor.corp().set_flag("d3", MemberFlag::Disabled);
    assert_eq!(targets(), ["m1", "d1", "d3"]);
    vendor.corp().move_member("d3", &[1]).unwrap();
    assert_eq!(targets(), ["m1", "d1"]);
}
