//! Each call by itself.

use std::{collections::BTreeMap, time::Duration};

use wecom::{
    api::{
        AddContactWay, BatchGetByUser, ExternalUserId, GetExternalContact, ListContactWay,
        ListDepartments, Scene, UpdateContactWay,
    },
    error::Kind,
};

use crate::{
    client_fakes::{Answer, Fake, client, secs},
    id, name, names, user, users,
};

/// A WeCom that answers each call with its recorded reply.
fn recorded() -> Fake {
    let replies = BTreeMap::from([
        (
            "externalcontact/add_contact_way",
            include_str!("../replies/add_contact_way.json"),
        ),
        (
            "externalcontact/get_contact_way",
            include_str!("../replies/get_contact_way.qr_code.json"),
        ),
        (
            "externalcontact/list_contact_way",
            include_str!("../replies/list_contact_way.json"),
        ),
        (
            "externalcontact/update_contact_way",
            include_str!("../replies/update_contact_way.json"),
        ),
        (
            "externalcontact/del_contact_way",
            include_str!("../replies/del_contact_way.json"),
        ),
        (
            "externalcontact/close_temp_chat",
            include_str!("../replies/close_temp_chat.json"),
        ),
        (
            "externalcontact/get_follow_user_list",
            include_str!("../replies/get_follow_user_list.json"),
        ),
        (
            "externalcontact/get",
            include_str!("../replies/externalcontact_get.json"),
        ),
        (
            "externalcontact/batch/get_by_user",
            include_str!("../replies/batch_get_by_user.json"),
        ),
        ("user/get", include_str!("../replies/user_get.json")),
        (
            "department/list",
            include_str!("../replies/department_list.json"),
        ),
        (
            "getcallbackip",
            include_str!("../replies/getcallbackip.json"),
        ),
    ]);
    Fake::calls(move |seen| match replies.get(name(seen)) {
        Some(reply) => Answer::Json((*reply).to_owned()),
        None => Answer::Status(404, ""),
    })
}

#[tokio::test(start_paused = true)]
async fn each_method_about_codes_reaches_its_place_and_reads_its_reply() {
    let fake = recorded();
    let (client, _) = client(&fake);
    let code = AddContactWay::single(Scene::QrCode, user("zhangsan"));
    assert!(
        client
            .add_contact_way(&code)
            .await
            .unwrap()
            .qr_code
            .is_some()
    );
    assert_eq!(
        client.get_contact_way(&id("c")).await.unwrap().user.len(),
        3
    );
    let page = client
        .list_contact_way(&ListContactWay::new())
        .await
        .unwrap();
    assert_eq!(page.contact_way.len(), 2);
    let change = UpdateContactWay::new(id("c")).skip_verify(true);
    client.update_contact_way(&change).await.unwrap();
    client.del_contact_way(&id("c")).await.unwrap();

    let expected = [
        "externalcontact/add_contact_way",
        "externalcontact/get_contact_way",
        "externalcontact/list_contact_way",
        "externalcontact/update_contact_way",
        "externalcontact/del_contact_way",
    ];
    assert_eq!(names(&fake), expected);
    assert!(
        fake.calls_seen()
            .iter()
            .all(|seen| seen.method == http::Method::POST)
    );
}

#[tokio::test(start_paused = true)]
async fn each_method_about_people_reaches_its_place_and_reads_its_reply() {
    let fake = recorded();
    let (client, _) = client(&fake);
    let customer = || ExternalUserId::new("wm1").unwrap();
    client
        .close_temp_chat(&user("zhangsan"), &customer())
        .await
        .unwrap();
    assert_eq!(client.get_follow_user_list().await.unwrap().len(), 3);
    let page = client
        .get_external_contact(&GetExternalContact::new(customer()))
        .await
        .unwrap();
    assert_eq!(page.follow_user.len(), 2);
    let batch = BatchGetByUser::new(users(&["rocky"]));
    let batch = client.batch_get_by_user(&batch).await.unwrap();
    assert_eq!(batch.external_contact_list.len(), 2);
    assert_eq!(
        client
            .get_user(&user("zhangsan"))
            .await
            .unwrap()
            .department
            .len(),
        2
    );
    let all = client
        .list_departments(&ListDepartments::all())
        .await
        .unwrap();
    assert_eq!(all.len(), 3);
    assert_eq!(client.get_callback_ips().await.unwrap().len(), 2);

    let expected = [
        ("externalcontact/close_temp_chat", "POST"),
        ("externalcontact/get_follow_user_list", "GET"),
        ("externalcontact/get", "GET"),
        ("externalcontact/batch/get_by_user", "POST"),
        ("user/get", "GET"),
        ("department/list", "GET"),
        ("getcallbackip", "GET"),
    ];
    let seen = fake.calls_seen();
    let seen: Vec<_> = seen
        .iter()
        .map(|seen| (name(seen), seen.method.as_str()))
        .collect();
    assert_eq!(seen, expected);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_fit_to_be_sent_costs_no_call_and_no_token() {
    let fake = Fake::calls(|_| Answer::ok());
    let (client, gate) = client(&fake);
    let error = client
        .update_contact_way(&UpdateContactWay::new(id("c")))
        .await
        .unwrap_err();
    assert!(matches!(error.kind(), Kind::Invalid(invalid) if invalid.field() == "fields"));
    let error = client
        .find_contact_ways(secs(5)..secs(5), |_| true)
        .await
        .unwrap_err();
    assert!(matches!(error.kind(), Kind::Invalid(invalid) if invalid.field() == "start_time"));
    assert_eq!((fake.seen().len(), gate.taken()), (0, 0));
}

/// Streams and futures can be handed to another task.
#[test]
fn what_the_client_returns_is_send() {
    fn send<T: Send>(_: &T) {}
    let fake = Fake::calls(|_| Answer::ok());
    let (client, _) = client(&fake);
    send(&client.contact_ways(ListContactWay::new()));
    send(&client.customers(BatchGetByUser::new(users(&["a"]))));
    send(&client.find_contact_ways(Duration::ZERO..secs(1), |_| true));
    send(&client.find_unfit(&[]));
}
