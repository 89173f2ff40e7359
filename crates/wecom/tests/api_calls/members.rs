//! Whom a code leads to: never to nobody by mistake, never to too many.

use serde_json::json;
use wecom::api::{Members, Parties, PartyId, UpdateContactWay};

use crate::{
    body,
    client_fakes::{Answer, Fake, client},
    id, user, users,
};

#[tokio::test(start_paused = true)]
async fn w5_an_empty_list_of_users_never_leaves() {
    let fake = Fake::calls(|_| Answer::ok());
    let (client, _) = client(&fake);
    let parties = Members::parties(Parties::one(PartyId::new(2).unwrap()));
    assert!(UpdateContactWay::multi(id("c")).members(&parties).is_err());
    let changes = [
        UpdateContactWay::multi(id("c")).user(users(&["a"])),
        UpdateContactWay::multi(id("c"))
            .members(&Members::users(users(&["a"])))
            .unwrap(),
        UpdateContactWay::multi(id("c")).party(Parties::one(PartyId::ROOT)),
        UpdateContactWay::multi(id("c")).skip_verify(false),
    ];
    for change in &changes {
        client.update_contact_way(change).await.unwrap();
    }
    for seen in fake.calls_seen() {
        let user = &body(&seen)["user"];
        assert!(
            user.is_null() || !user.as_array().unwrap().is_empty(),
            "{}",
            seen.body
        );
    }
}

#[tokio::test(start_paused = true)]
async fn w9_a_list_too_long_after_expansion_is_pushed_as_a_hundred_users() {
    let fake = Fake::calls(|_| Answer::ok());
    let (client, _) = client(&fake);
    let members =
        Members::users(users(&["zoe"])).and_parties(Parties::one(PartyId::new(2).unwrap()));
    let expansion = members
        .expand(|_| Some((0..150).map(|n| user(&format!("m{n:03}")))))
        .unwrap();
    assert_eq!(expansion.excess(), 51);
    let change = UpdateContactWay::multi(id("c"))
        .members(&expansion.fitting())
        .unwrap();
    client.update_contact_way(&change).await.unwrap();

    let sent = body(&fake.calls_seen()[0]);
    let list = sent["user"].as_array().unwrap();
    assert_eq!(
        (list.len(), &list[0], &list[99]),
        (100, &json!("zoe"), &json!("m098"))
    );
    assert_eq!(
        sent["party"],
        json!([]),
        "or the department would still count"
    );
}
