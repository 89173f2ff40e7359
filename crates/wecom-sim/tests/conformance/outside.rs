//! What changes without a call.

use serde_json::json;
use wecom_sim::{
    profile::{Corp, MemberFlag, Profile},
    world::{CodeSeed, World},
};

use crate::vendor::{Vendor, department, member, multi};

#[tokio::test(start_paused = true)]
async fn a_code_deleted_from_outside_is_41044() {
    let vendor = Vendor::new().await;
    let config_id = vendor.added(&multi(&["m1"])).await;
    assert!(vendor.corp().delete_code(&config_id));
    assert!(!vendor.corp().delete_code(&config_id));
    let body = json!({"config_id": config_id, "user": ["m1"]});
    assert_eq!(vendor.code("update_contact_way", &body).await, 41044);
    assert_eq!(vendor.corp().code(&config_id), None);
}

#[tokio::test(start_paused = true)]
async fn a_code_edited_from_outside_is_told_by_get() {
    let vendor = Vendor::new().await;
    let config_id = vendor.added(&multi(&["m1"])).await;
    vendor.corp().set_flag("m3", MemberFlag::NotVerified);
    vendor
        .corp()
        .edit_code(&config_id, &["m2", "m3"], Some(&[2]))
        .unwrap();
    let way = vendor.way(&config_id).await;
    assert_eq!(
        (&way["user"], &way["party"]),
        (&json!(["m2", "m3"]), &json!([2]))
    );
    vendor
        .corp()
        .edit_code(&config_id, &["nobody"], None)
        .unwrap_err();
    vendor.corp().edit_code("none", &["m1"], None).unwrap_err();
    assert_eq!(vendor.corp().code(&config_id).unwrap().users, ["m2", "m3"]);
}

#[tokio::test(start_paused = true)]
async fn codes_can_be_loaded_all_or_none() {
    let vendor = Vendor::new().await;
    let seed = |users| CodeSeed {
        users,
        state: "s",
        ..CodeSeed::default()
    };
    let ids = vendor
        .corp()
        .add_codes(&[seed(&["m1", "m2"]), seed(&["m3"])])
        .unwrap();
    assert_eq!(vendor.way(&ids[0]).await["user"], json!(["m1", "m2"]));
    assert_eq!(vendor.corp().config_ids_from(0, 9).items, ids);
    assert_eq!(vendor.corp().config_ids_from(1, 9).items, ids[1..]);
    vendor
        .corp()
        .add_codes(&[seed(&["m1"]), seed(&["nobody"])])
        .unwrap_err();
    assert_eq!(vendor.corp().code_count(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_member_who_comes_back_is_another() {
    let vendor = Vendor::new().await;
    let config_id = vendor.added(&multi(&["m1"])).await;
    vendor.corp().remove_member("m1");
    vendor.corp().add_member(&member("m1", &[2], &[])).unwrap();
    vendor.corp().rename_member("m1", "again").unwrap();
    assert_eq!(vendor.corp().code(&config_id).unwrap().users, ["m1"]);
    assert_eq!(vendor.corp().member("again").unwrap().departments, [2]);
}

#[tokio::test(start_paused = true)]
async fn mistakes_in_a_profile_are_told_by_name() {
    let corp = |change: fn(&mut Corp)| {
        let mut corp = Corp {
            id: "corp".into(),
            secret: "right".into(),
            ..Corp::default()
        };
        change(&mut corp);
        corp
    };
    for (corps, said) in [
        (vec![corp(|_| {}), corp(|_| {})], "corp: is there already"),
        (vec![corp(|corp| corp.id = "a b".into())], "corpid"),
        (vec![corp(|corp| corp.secret = String::new())], "secret"),
        (
            vec![corp(|corp| corp.members = vec![member("", &[], &[])])],
            "userid",
        ),
        (
            vec![corp(|corp| corp.members = vec![member("a", &[7], &[])])],
            "department 7",
        ),
        (
            vec![corp(|corp| {
                corp.members = vec![member("a", &[], &[]), member("a", &[], &[])]
            })],
            "userid",
        ),
        (
            vec![corp(|corp| corp.departments = vec![department(2, 9)])],
            "parent 9",
        ),
        (
            vec![corp(|corp| corp.departments = vec![department(2, 2)])],
            "parent 2",
        ),
    ] {
        let profile = Profile {
            corps,
            ..Profile::default()
        };
        let wrong = World::new(&profile, wecom::Clock::system()).unwrap_err();
        assert!(wrong.0.contains(said), "{wrong}");
    }
}

#[tokio::test(start_paused = true)]
async fn departments_may_come_before_their_parents() {
    let mut profile = crate::vendor::profile();
    profile.corps[0].departments = vec![department(3, 2), department(2, 0)];
    let world = World::new(&profile, wecom::Clock::system()).unwrap();
    let all = world.corp("corp").unwrap().departments();
    let all: Vec<_> = all.iter().map(|there| (there.id, there.parent)).collect();
    assert_eq!(all, [(1, 0), (2, 1), (3, 2)]);
}
