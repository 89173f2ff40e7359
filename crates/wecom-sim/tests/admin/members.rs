//! Members, departments, and what the app is told of them.

use http::Method;
use serde_json::{Value, json};
use wecom_sim::{Profile, profile::Callbacks};

use crate::setup::Setup;

#[tokio::test(start_paused = true)]
async fn members_come_change_and_go_and_the_app_is_told_what_wecom_tells() {
    let setup = Setup::new();
    let members = "/admin/corps/ww1/members";
    let department = json!({ "id": 2, "name": "sales" });
    setup
        .good(Method::POST, "/admin/corps/ww1/departments", department)
        .await;
    let added = setup
        .good(
            Method::POST,
            members,
            json!({ "userid": "zhangsan", "departments": [2] }),
        )
        .await;
    assert_eq!(
        added,
        json!({ "userid": "zhangsan", "departments": [2], "flags": [] })
    );
    // Disabled: nobody is told.
    let path = "/admin/corps/ww1/members/zhangsan";
    let flagged = setup
        .good(Method::PATCH, path, json!({ "flag": ["disabled"] }))
        .await;
    assert_eq!(flagged["flags"], json!(["disabled"]));
    let moved = json!({ "departments": [1, 2], "userid": "lisi", "unflag": ["disabled"] });
    let moved = setup.good(Method::PATCH, path, moved).await;
    assert_eq!(
        moved,
        json!({ "userid": "lisi", "departments": [1, 2], "flags": [] })
    );
    setup.bad(404, Method::GET, path, Value::Null).await;
    let path = "/admin/corps/ww1/members/lisi";
    let quiet = json!({ "departments": [1], "silent": true });
    setup.good(Method::PATCH, path, quiet).await;
    setup.good(Method::DELETE, path, Value::Null).await;
    setup
        .good(
            Method::DELETE,
            "/admin/corps/ww1/departments/2",
            Value::Null,
        )
        .await;
    let told = setup.told().await;
    let expected = [
        "create_party",
        "create_user",
        "update_user",
        "delete_user",
        "delete_party",
    ];
    assert_eq!(told, expected);
    assert_eq!(setup.receiver.all("NewUserID"), ["lisi"]);
    assert_eq!(setup.receiver.all("Status"), Vec::<String>::new());
    assert_eq!(setup.receiver.all("Id"), ["2", "2"]);
}

#[tokio::test(start_paused = true)]
async fn a_change_that_cannot_be_changes_nothing() {
    let setup = Setup::new();
    let path = "/admin/corps/ww1/members/m1";
    for (body, part) in [
        (
            json!({ "userid": "m2", "departments": [1] }),
            "no other member has",
        ),
        (json!({ "departments": [9] }), "9"),
        (json!({ "departments": [] }), "at least one department"),
        (json!({ "flag": ["nothing"] }), "expected one of"),
        (json!({ "userid": "-x" }), "letter or digit"),
    ] {
        let told = setup.bad(400, Method::PATCH, path, body).await;
        assert!(told.contains(part), "{told}");
        let after = setup.good(Method::GET, path, Value::Null).await;
        assert_eq!(
            after,
            json!({ "userid": "m1", "departments": [1], "flags": [] })
        );
    }
    assert!(setup.told().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_old_directory_mode_tells_of_status() {
    let setup = Setup::with(Profile {
        callbacks: Callbacks {
            directory_after_2022: false,
            ..Callbacks::default()
        },
        ..Profile::default()
    });
    let path = "/admin/corps/ww1/members/m1";
    setup
        .good(Method::PATCH, path, json!({ "flags": ["disabled"] }))
        .await;
    assert_eq!(setup.told().await, ["update_user"]);
    assert_eq!(setup.receiver.all("Status"), ["2"]);
}

#[tokio::test(start_paused = true)]
async fn a_new_day_empties_what_was_full() {
    let setup = Setup::new();
    let code = setup.code().await;
    let path = "/admin/corps/ww1/members/m1";
    setup
        .good(Method::PATCH, path, json!({ "customers_per_day": 2 }))
        .await;
    let scan = json!({ "corp": "ww1", "config_id": code, "count": 3 });
    setup.good(Method::POST, "/admin/scans", scan).await;
    let member = setup.good(Method::GET, path, Value::Null).await;
    assert_eq!(member["flags"], json!(["full"]));
    let day = setup
        .good(Method::POST, "/admin/corps/ww1/new-day", Value::Null)
        .await;
    assert_eq!(day["no_longer_full"], 1);
}
