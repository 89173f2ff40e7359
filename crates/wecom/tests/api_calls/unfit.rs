//! A list that is refused.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use serde_json::{Value, json};
use wecom::{
    Class, Errcode,
    api::{Scratch, Unfit, UpdateContactWay, Users},
};

use crate::{
    answer, body,
    client_fakes::{Answer, Fake, Seen, client},
    id, name, names, parameter, user, users,
};

/// An enterprise whose members are fit or not, and that keeps what its codes lead to.
#[derive(Clone, Default)]
struct Enterprise {
    codes: Arc<Mutex<BTreeMap<String, Vec<String>>>>,
    /// Who may have customers.
    able: Vec<&'static str>,
    /// What `user/get` says of a member: a status, or an `errcode` from 1000 on. Default 1, active.
    status: BTreeMap<&'static str, i64>,
    /// Whose presence makes a list refused with 40098, which nothing can be read of.
    unverified: Vec<&'static str>,
}

impl Enterprise {
    fn answer(&self, seen: &Seen) -> Answer {
        match name(seen) {
            "externalcontact/get_follow_user_list" => {
                answer(&json!({"errcode": 0, "follow_user": self.able}))
            }
            "user/get" => {
                let userid = parameter(seen, "userid");
                match self.status.get(userid).copied().unwrap_or(1) {
                    errcode @ 1000.. => Answer::errcode(errcode),
                    status => answer(&json!({"errcode": 0, "userid": userid, "status": status})),
                }
            }
            _ => self.update(&body(seen)),
        }
    }

    fn update(&self, body: &Value) -> Answer {
        let list = body["user"].as_array().cloned().unwrap_or_default();
        let list: Vec<_> = list
            .iter()
            .map(|user| user.as_str().unwrap_or_default().to_owned())
            .collect();
        let fit = |user: &String| {
            let active = self.status.get(&**user).is_none_or(|status| *status == 1);
            active && self.able.contains(&&**user) && !self.unverified.contains(&&**user)
        };
        if !list.iter().all(fit) {
            return Answer::errcode(40098);
        }
        let code = body["config_id"].as_str().unwrap_or_default().to_owned();
        self.codes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(code, list);
        Answer::ok()
    }

    fn led_to(&self, code: &str) -> Vec<String> {
        let codes = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        codes.get(code).cloned().unwrap_or_default()
    }
}

#[tokio::test(start_paused = true)]
async fn w3_the_unfit_are_found_by_reading_and_the_rest_is_pushed() {
    let enterprise = Enterprise {
        able: vec!["ann", "Bob", "cid", "dan", "eve"],
        status: BTreeMap::from([("cid", 2), ("dan", 60111), ("eve", 4)]),
        ..Enterprise::default()
    };
    let fake = Fake::calls({
        let enterprise = enterprise.clone();
        move |seen| enterprise.answer(seen)
    });
    let (client, _) = client(&fake);
    let list = users(&["ann", "cid", "dan", "eve", "fay"]);
    let push = |list: Users| {
        let client = client.clone();
        async move {
            client
                .update_contact_way(&UpdateContactWay::multi(id("live")).user(list))
                .await
        }
    };
    let refused = push(list.clone()).await.unwrap_err();
    assert_eq!(refused.class(), Class::Member);
    let shown = format!("{refused} {refused:?}");
    assert!(
        ["ann", "cid", "dan", "eve", "fay"]
            .iter()
            .all(|name| !shown.contains(name)),
        "{shown}"
    );

    let unfit = client.find_unfit(list.as_slice()).await.unwrap();
    let found: Vec<_> = unfit
        .iter()
        .map(|unfit| (unfit.userid.as_str(), unfit.why))
        .collect();
    let expected = [
        ("cid", Unfit::Disabled),
        ("dan", Unfit::NotFound(Errcode(60111))),
        ("eve", Unfit::NotActivated),
        ("fay", Unfit::NoCustomers),
    ];
    assert_eq!(found, expected);
    assert!(!format!("{unfit:?}").contains("cid"));

    let updates = names(&fake)
        .iter()
        .filter(|name| name.ends_with("update_contact_way"))
        .count();
    assert_eq!(updates, 1, "no half list was shown to anybody");
    let rest = list
        .without(|user| unfit.iter().any(|unfit| unfit.userid == *user))
        .unwrap();
    push(rest).await.unwrap();
    assert_eq!(enterprise.led_to("live"), ["ann"]);
}

#[tokio::test(start_paused = true)]
async fn w3_who_may_have_no_customers_is_told_from_who_is_not_there_or_not_active() {
    let cases = [
        ("active", 1, Some(Unfit::NoCustomers)),
        ("disabled", 2, Some(Unfit::Disabled)),
        ("new", 4, Some(Unfit::NotActivated)),
        ("left", 5, Some(Unfit::Left)),
        ("odd", 9, Some(Unfit::NoCustomers)),
        ("missing", 60111, Some(Unfit::NotFound(Errcode(60111)))),
        ("invalid", 40003, Some(Unfit::NotFound(Errcode(40003)))),
        ("unknown", 46004, Some(Unfit::NotFound(Errcode(46004)))),
        ("nowhere", 301_021, Some(Unfit::NotFound(Errcode(301_021)))),
        ("unseen", 50002, Some(Unfit::Unreadable(Errcode(50002)))),
        ("outside", 60021, Some(Unfit::Unreadable(Errcode(60021)))),
        // All that is known is what the list says.
        ("unread", 60011, Some(Unfit::NoCustomers)),
        ("able", 1, None),
    ];
    let enterprise = Enterprise {
        able: vec!["able"],
        status: cases.iter().map(|(name, read, _)| (*name, *read)).collect(),
        ..Enterprise::default()
    };
    let fake = Fake::calls(move |seen| enterprise.answer(seen));
    let (client, _) = client(&fake);
    let list = users(&cases.map(|(name, ..)| name));
    let found = client.find_unfit(list.as_slice()).await.unwrap();
    let found = found
        .iter()
        .map(|unfit| (unfit.userid.as_str(), unfit.why))
        .collect::<Vec<_>>();
    let expected = cases
        .iter()
        .filter_map(|(name, _, why)| Some((*name, (*why)?)));
    assert_eq!(found, expected.collect::<Vec<_>>());
    assert_eq!(fake.calls_seen().len(), 1 + cases.len(), "a read of each");
}

#[tokio::test(start_paused = true)]
async fn w3_an_app_that_may_read_nobody_still_knows_who_may_have_no_customers() {
    let enterprise = Enterprise {
        status: BTreeMap::from([("a", 60011), ("b", 60011)]),
        ..Enterprise::default()
    };
    let fake = Fake::calls(move |seen| enterprise.answer(seen));
    let (client, _) = client(&fake);
    let found = client.find_unfit(&[user("a"), user("b")]).await.unwrap();
    assert!(
        found.len() == 2 && found.iter().all(|unfit| unfit.why == Unfit::NoCustomers),
        "{found:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn w3_what_cannot_be_read_is_found_on_a_code_that_nobody_sees() {
    let all: Vec<&'static str> = vec!["a", "b", "c", "d", "e", "f", "g", "h", "i"];
    for unverified in [
        vec![],
        vec!["a"],
        vec!["i"],
        vec!["c", "d"],
        vec!["b", "e", "h"],
        all.clone(),
    ] {
        let enterprise = Enterprise {
            able: all.clone(),
            unverified: unverified.clone(),
            ..Enterprise::default()
        };
        let fake = Fake::calls({
            let enterprise = enterprise.clone();
            move |seen| enterprise.answer(seen)
        });
        let (client, _) = client(&fake);
        let list = users(&all);
        assert!(client.find_unfit(list.as_slice()).await.unwrap().is_empty());

        let read = fake.calls_seen().len();
        let scratch = Scratch::shown_nowhere(id("scratch"));
        let unfit = client.find_unfit_by_trial(&scratch, &list).await.unwrap();
        let found: Vec<_> = unfit.iter().map(|unfit| unfit.userid.as_str()).collect();
        assert_eq!(found, unverified);
        assert!(
            unfit
                .iter()
                .all(|unfit| unfit.why == Unfit::Refused(Errcode(40098)))
        );

        let tried = fake.calls_seen().split_off(read);
        assert!(
            tried
                .iter()
                .all(|seen| body(seen)["config_id"] == "scratch"),
            "never the live code"
        );
        assert!(tried.len() < 2 * all.len(), "{} trials", tried.len());
    }
}

#[tokio::test(start_paused = true)]
async fn w3_an_error_that_is_about_no_member_makes_nobody_unfit() {
    for errcode in [-1, 45009, 48002, 41044] {
        let fake = Fake::calls(move |seen| match name(seen) {
            "externalcontact/get_follow_user_list" => {
                answer(&json!({"errcode": 0, "follow_user": ["a", "b"]}))
            }
            _ => Answer::errcode(errcode),
        });
        let (client, _) = client(&fake);
        let error = client
            .find_unfit(&[user("a"), user("b")])
            .await
            .unwrap_err();
        assert_eq!(error.errcode(), Some(Errcode(errcode)));
        let scratch = Scratch::shown_nowhere(id("scratch"));
        let error = client
            .find_unfit_by_trial(&scratch, &users(&["a", "b"]))
            .await
            .unwrap_err();
        assert_eq!(error.errcode(), Some(Errcode(errcode)));
    }
}

#[tokio::test(start_paused = true)]
async fn w3_an_app_that_may_read_no_member_makes_nobody_unfit() {
    let enterprise = |status: BTreeMap<&'static str, i64>| Enterprise {
        able: vec!["a", "b"],
        status,
        ..Enterprise::default()
    };
    let ask = async |enterprise: Enterprise| {
        let fake = Fake::calls(move |seen| enterprise.answer(seen));
        let (client, _) = client(&fake);
        client
            .find_unfit(&[user("A"), user("b")])
            .await
            .map(|unfit| unfit.len())
    };
    // The reads ask for the id as it was given.
    let nobody = ask(enterprise(BTreeMap::from([("A", 60011), ("b", 60011)]))).await;
    assert_eq!(nobody.unwrap_err().errcode(), Some(Errcode(60011)));
    assert_eq!(
        ask(enterprise(BTreeMap::from([("b", 60011)])))
            .await
            .unwrap(),
        1
    );
    assert_eq!(
        ask(enterprise(BTreeMap::new())).await.unwrap(),
        0,
        "upper and lower case are the same"
    );
}
