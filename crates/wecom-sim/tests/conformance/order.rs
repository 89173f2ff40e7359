//! The order in which a call is checked.

use serde_json::json;
use wecom_sim::profile::{
    Check::{self, ConfigId, Members, Params, Permission, Token},
    MemberFlag,
};

use crate::vendor::Vendor;

/// A call with everything wrong that can be at once, in this order.
async fn first_complaint(order: &[Check]) -> i64 {
    let vendor = Vendor::with(|profile| profile.contact_ways.order = order.to_vec()).await;
    vendor.corp().kill_tokens();
    vendor.corp().refuse_with(Some(48002));
    vendor.corp().set_flag("m1", MemberFlag::NotVerified);
    let body = json!({"config_id": "none", "user": ["m1"], "remark": "x".repeat(31)});
    vendor.code("update_contact_way", &body).await
}

#[tokio::test(start_paused = true)]
async fn by_default_token_permission_params_config_id_members() {
    let vendor = Vendor::new().await;
    assert_eq!(
        vendor.sim.world().settings().contact_ways.order,
        [Token, Permission, Params, ConfigId, Members]
    );
    vendor.corp().set_flag("m1", MemberFlag::NotVerified);
    let body = |config_id: &str, remark: usize| json!({"config_id": config_id, "user": ["m1"], "remark": "x".repeat(remark)});
    assert_eq!(
        vendor.code("update_contact_way", &body("none", 31)).await,
        40058
    );
    assert_eq!(
        vendor.code("update_contact_way", &body("none", 30)).await,
        41044
    );
    let there = vendor.added(&crate::vendor::multi(&["m2"])).await;
    assert_eq!(
        vendor.code("update_contact_way", &body(&there, 30)).await,
        40098
    );
}

#[tokio::test(start_paused = true)]
async fn every_order_complains_of_its_first_step_first() {
    let rest = [Token, Permission, Params, ConfigId, Members];
    for (first, code) in [
        (Token, 40014),
        (Permission, 48002),
        (Params, 40058),
        (ConfigId, 41044),
        (Members, 40098),
    ] {
        let mut order = vec![first];
        order.extend(rest.into_iter().filter(|step| *step != first));
        assert_eq!(first_complaint(&order).await, code, "{order:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_order_without_a_step_or_with_one_twice_is_a_mistake() {
    let vendor = Vendor::new().await;
    for order in [vec![Token, Permission, Params, ConfigId], vec![Token; 5]] {
        let mut settings = (*vendor.sim.world().settings()).clone();
        settings.contact_ways.order = order;
        let wrong = vendor.sim.world().set_settings(settings).unwrap_err();
        assert!(wrong.0.starts_with("contact_ways.order: "), "{wrong}");
    }
}
