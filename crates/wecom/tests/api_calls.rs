//! The methods of the client: each reaches its place, lists come whole or end with an error, and what is
//! made of several calls keeps its promises.

mod client_fakes;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use client_fakes::{Answer, Fake, Seen, client, secs};
use serde_json::{Value, json};
use wecom::{
    Class, Client, Errcode, Error,
    api::{
        AddContactWay, BatchEntry, BatchGetByUser, ConfigId, ExternalUserId, GetExternalContact,
        ListContactWay, ListDepartments, Members, Parties, PartyId, Scene, Scratch, State, Unfit,
        UpdateContactWay, UserId, Users,
    },
    error::Kind,
};

fn id(id: &str) -> ConfigId {
    ConfigId::new(id).unwrap_or_else(|invalid| panic!("{invalid}"))
}

fn user(id: &str) -> UserId {
    UserId::new(id).unwrap_or_else(|invalid| panic!("{invalid}"))
}

fn users(ids: &[&str]) -> Users {
    Users::new(ids.iter().map(|id| user(id))).unwrap_or_else(|invalid| panic!("{invalid}"))
}

fn json(value: &Value) -> Answer {
    Answer::Json(value.to_string())
}

fn body(seen: &Seen) -> Value {
    serde_json::from_str(&seen.body).unwrap_or_default()
}

fn name(seen: &Seen) -> &str {
    seen.uri.path().trim_start_matches("/cgi-bin/")
}

/// The value of a parameter of the query, as it is sent.
fn parameter<'a>(seen: &'a Seen, wanted: &str) -> &'a str {
    let query = seen.uri.query().unwrap_or_default();
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .find(|(name, _)| *name == wanted)
        .map_or("", |(_, value)| value)
}

/// The names of the calls that arrived.
fn names(fake: &Fake) -> Vec<String> {
    fake.calls_seen()
        .iter()
        .map(|seen| name(seen).to_owned())
        .collect()
}

// === Each call by itself ===

/// A WeCom that answers each call with its recorded reply.
fn recorded() -> Fake {
    let replies = BTreeMap::from([
        (
            "externalcontact/add_contact_way",
            include_str!("replies/add_contact_way.json"),
        ),
        (
            "externalcontact/get_contact_way",
            include_str!("replies/get_contact_way.qr_code.json"),
        ),
        (
            "externalcontact/list_contact_way",
            include_str!("replies/list_contact_way.json"),
        ),
        (
            "externalcontact/update_contact_way",
            include_str!("replies/update_contact_way.json"),
        ),
        (
            "externalcontact/del_contact_way",
            include_str!("replies/del_contact_way.json"),
        ),
        (
            "externalcontact/close_temp_chat",
            include_str!("replies/close_temp_chat.json"),
        ),
        (
            "externalcontact/get_follow_user_list",
            include_str!("replies/get_follow_user_list.json"),
        ),
        (
            "externalcontact/get",
            include_str!("replies/externalcontact_get.json"),
        ),
        (
            "externalcontact/batch/get_by_user",
            include_str!("replies/batch_get_by_user.json"),
        ),
        ("user/get", include_str!("replies/user_get.json")),
        (
            "department/list",
            include_str!("replies/department_list.json"),
        ),
        ("getcallbackip", include_str!("replies/getcallbackip.json")),
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

// === Lists ===

/// Serves pages of codes: what the rule makes of the cursor, which is empty for the first one.
fn listing(page: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Fake {
    Fake::calls(move |seen| {
        let body = body(seen);
        page(body["cursor"].as_str().unwrap_or_default())
    })
}

fn page(ids: &[&str], next: &str) -> Answer {
    let ids: Vec<_> = ids.iter().map(|id| json!({"config_id": id})).collect();
    json(&json!({"errcode": 0, "contact_way": ids, "next_cursor": next}))
}

/// Takes all of a stream: the entries, and the error that it ended with.
async fn collect(client: &Client<Fake>) -> (Vec<String>, Option<Error>) {
    let mut pages = client.contact_ways(ListContactWay::new());
    let (mut ids, mut failed) = (Vec::new(), None);
    while let Some(entry) = pages.next().await {
        assert!(failed.is_none(), "an entry after the error");
        assert!(ids.len() < 1000, "no end to it");
        match entry {
            Ok(id) => ids.push(id.as_str().to_owned()),
            Err(error) => failed = Some(error),
        }
    }
    assert!(pages.next().await.is_none(), "the end is the end");
    (ids, failed)
}

#[tokio::test(start_paused = true)]
async fn a_list_of_several_pages_comes_whole() {
    let fake = listing(|cursor| match cursor {
        "" => page(&["a", "b"], "1"),
        "1" => page(&[], "2"),
        "2" => page(&["c"], "3"),
        _ => page(&["d"], ""),
    });
    let (client, _) = client(&fake);
    let (ids, failed) = collect(&client).await;
    assert_eq!(ids, ["a", "b", "c", "d"]);
    assert!(failed.is_none(), "{failed:?}");
    let cursors: Vec<_> = fake
        .calls_seen()
        .iter()
        .map(|seen| body(seen)["cursor"].clone())
        .collect();
    assert_eq!(cursors, [Value::Null, json!("1"), json!("2"), json!("3")]);
}

#[tokio::test(start_paused = true)]
async fn w1_errored_read_is_never_an_empty_result() {
    let failures: [(&str, fn() -> Answer); 7] = [
        ("45033", || Answer::errcode(45033)),
        ("-1", || Answer::errcode(-1)),
        ("HTML", || Answer::Status(502, "<html></html>")),
        ("half a body", || {
            Answer::Json(r#"{"errcode":0,"contact_way":[{"config_"#.into())
        }),
        ("no list", || {
            Answer::Json(r#"{"errcode":0,"errmsg":"ok"}"#.into())
        }),
        ("empty object", || Answer::Json("{}".into())),
        ("no answer", || Answer::Never),
    ];
    for (what, failure) in failures {
        for first_fails in [true, false] {
            let fake = listing(move |cursor| match cursor {
                "" if !first_fails => page(&["a", "b"], "1"),
                _ => failure(),
            });
            let (client, _) = client(&fake);
            let (ids, failed) = collect(&client).await;
            assert!(failed.is_some(), "{what} was taken for the end");
            assert_eq!(ids.len(), if first_fails { 0 } else { 2 }, "{what}");
            let calls = fake.calls_seen().len();
            assert_eq!(
                calls,
                if first_fails { 1 } else { 2 },
                "{what}: nothing is read after it"
            );
        }
        let fake = Fake::calls(move |_| failure());
        let (client, _) = client(&fake);
        assert!(client.get_follow_user_list().await.is_err(), "{what}");
        assert!(
            client
                .list_departments(&ListDepartments::all())
                .await
                .is_err(),
            "{what}"
        );
        assert!(client.get_contact_way(&id("c")).await.is_err(), "{what}");
        assert!(
            client
                .find_contact_ways(secs(0)..secs(9), |_| true)
                .await
                .is_err(),
            "{what}"
        );
        assert!(client.find_unfit(&[user("a")]).await.is_err(), "{what}");
    }
}

#[tokio::test(start_paused = true)]
async fn w1_pages_that_go_round_in_circles_are_an_error_and_no_endless_loop() {
    let circles: [(&str, fn(&str) -> Answer); 4] = [
        ("the same cursor for ever", |_| page(&["a"], "1")),
        ("two cursors in turn", |cursor| {
            page(&["a"], if cursor == "1" { "2" } else { "1" })
        }),
        ("the same page for ever", |cursor| {
            page(&["a", "b"], &format!("{cursor}+"))
        }),
        ("empty pages for ever", |cursor| {
            page(&[], &format!("{cursor}+"))
        }),
    ];
    for (what, circle) in circles {
        let fake = listing(circle);
        let (client, _) = client(&fake);
        let (_, failed) = collect(&client).await;
        let failed = failed.unwrap_or_else(|| panic!("{what} was taken for the end"));
        assert!(
            matches!(failed.kind(), Kind::Unreadable(_)),
            "{what}: {failed}"
        );
        assert!(
            fake.calls_seen().len() <= 100,
            "{what}: {} calls",
            fake.calls_seen().len()
        );
    }
}

#[tokio::test(start_paused = true)]
async fn reading_goes_on_where_it_has_failed() {
    let broken = Arc::new(Mutex::new(true));
    let fake = listing({
        let broken = Arc::clone(&broken);
        move |cursor| match cursor {
            "" => page(&["a", "b"], "1"),
            "1" if *broken.lock().unwrap_or_else(PoisonError::into_inner) => Answer::errcode(-1),
            _ => page(&["c"], ""),
        }
    });
    let (client, _) = client(&fake);
    let mut pages = client.contact_ways(ListContactWay::new());
    assert_eq!(pages.cursor(), None);
    while let Some(Ok(_)) = pages.next().await {}
    assert_eq!(pages.cursor(), Some("1"));

    *broken.lock().unwrap() = false;
    let rest = ListContactWay::new()
        .from_cursor(pages.cursor().unwrap())
        .unwrap();
    let mut pages = client.contact_ways(rest);
    assert_eq!(pages.next().await.unwrap().unwrap(), id("c"));
    assert!(pages.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_page_is_read_when_it_is_wanted_and_not_before() {
    let fake = listing(|cursor| match cursor {
        "" => page(&["a", "b"], "1"),
        _ => page(&["c"], ""),
    });
    let (client, _) = client(&fake);
    let mut pages = client.contact_ways(ListContactWay::new());
    assert!(fake.calls_seen().is_empty());
    for calls in [1, 1, 2] {
        pages.next().await.unwrap().unwrap();
        assert_eq!(fake.calls_seen().len(), calls);
    }
}

#[tokio::test(start_paused = true)]
async fn a_dropped_wait_for_an_entry_loses_no_page() {
    let fake = listing(|_| page(&["a"], "").after(secs(2)));
    let (client, _) = client(&fake);
    let mut pages = client.contact_ways(ListContactWay::new());
    assert!(tokio::time::timeout(secs(1), pages.next()).await.is_err());
    assert_eq!(pages.next().await.unwrap().unwrap(), id("a"));
    assert_eq!(fake.calls_seen().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn customers_come_with_those_of_whom_nothing_is_told() {
    let fake = Fake::calls(|seen| {
        let last = body(seen).get("cursor").is_some();
        let customer = json!({
            "external_contact": {"external_userid": if last { "wm2" } else { "wm1" }},
            "follow_info": {"userid": "rocky", "state": "s"},
        });
        json(&json!({
            "errcode": 0,
            "external_contact_list": [customer],
            "next_cursor": if last { "" } else { "1" },
            "fail_info": {"unlicensed_userid_list": ["zhangsan"]},
        }))
    });
    let (client, _) = client(&fake);
    let mut entries = client.customers(BatchGetByUser::new(users(&["rocky", "zhangsan"])));
    let (mut customers, mut unlicensed) = (Vec::new(), 0);
    while let Some(entry) = entries.next().await {
        match entry.unwrap() {
            BatchEntry::Customer(customer) => {
                customers.push(customer.external_contact.external_userid)
            }
            BatchEntry::Unlicensed(userid) => {
                assert_eq!(userid, user("zhangsan"));
                unlicensed += 1;
            }
        }
    }
    let expected = ["wm1", "wm2"].map(|id| ExternalUserId::new(id).unwrap());
    assert_eq!((customers, unlicensed), (expected.to_vec(), 2));
}

#[tokio::test(start_paused = true)]
async fn members_who_have_added_a_customer_come_from_all_pages() {
    let fake = Fake::calls(|seen| {
        let (userid, next) = match parameter(seen, "cursor") {
            "" => ("rocky", "a+b"),
            _ => ("tommy", ""),
        };
        json(&json!({
            "errcode": 0,
            "external_contact": {"external_userid": "wm1"},
            "follow_user": [{"userid": userid}],
            "next_cursor": next,
        }))
    });
    let (client, _) = client(&fake);
    let mut rows = client.follow_users(ExternalUserId::new("wm1").unwrap());
    assert_eq!(rows.next().await.unwrap().unwrap().userid, user("rocky"));
    assert_eq!(rows.next().await.unwrap().unwrap().userid, user("tommy"));
    assert!(rows.next().await.is_none());
    assert_eq!(parameter(&fake.calls_seen()[1], "cursor"), "a%2Bb");
}

// === A list that is refused ===

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
                json(&json!({"errcode": 0, "follow_user": self.able}))
            }
            "user/get" => {
                let userid = parameter(seen, "userid");
                match self.status.get(userid).copied().unwrap_or(1) {
                    errcode @ 1000.. => Answer::errcode(errcode),
                    status => json(&json!({"errcode": 0, "userid": userid, "status": status})),
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
        ("dan", Unfit::Unreadable(Errcode(60111))),
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
                json(&json!({"errcode": 0, "follow_user": ["a", "b"]}))
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

// === Other rules ===

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
async fn w7_a_code_whose_answer_was_lost_is_found_again() {
    let gets = |seen: &Seen| match body(seen)["config_id"].as_str() {
        Some("gone") => Answer::errcode(41044),
        Some(code) => {
            let state = if code == "orphan" { "store-3" } else { "other" };
            json(&json!({"errcode": 0, "contact_way": {"config_id": code, "state": state}}))
        }
        None => Answer::errcode(41043),
    };
    let fake = Fake::calls(move |seen| match name(seen) {
        "externalcontact/add_contact_way" => Answer::Never,
        "externalcontact/list_contact_way" => match body(seen)["cursor"].as_str() {
            None => page(&["other1", "gone"], "1"),
            Some(_) => page(&["orphan", "other2"], ""),
        },
        _ => gets(seen),
    });
    let (client, _) = client(&fake);
    let state = State::new("store-3").unwrap();
    let code = AddContactWay::single(Scene::QrCode, user("ann")).state(state.clone());
    let lost = client.add_contact_way(&code).await.unwrap_err();
    assert!(lost.may_have_been_applied(), "{lost}");

    let time = secs(1_700_000_000)..secs(1_700_000_120);
    let found = client
        .find_contact_ways(time, |code| code.state == state.as_str())
        .await
        .unwrap();
    let found: Vec<_> = found.into_iter().map(|code| code.config_id).collect();
    assert_eq!(found, [id("orphan")]);
    let list = fake
        .calls_seen()
        .into_iter()
        .find(|seen| name(seen).ends_with("list_contact_way"));
    let asked = body(&list.unwrap());
    assert_eq!(
        (&asked["start_time"], &asked["end_time"]),
        (&json!(1_700_000_000), &json!(1_700_000_120))
    );
}

#[tokio::test(start_paused = true)]
async fn w7_a_search_that_failed_finds_an_error_and_not_nothing() {
    let fake = Fake::calls(|seen| match name(seen) {
        "externalcontact/list_contact_way" => page(&["a", "b"], ""),
        _ if body(seen)["config_id"] == "a" => Answer::errcode(41044),
        _ => Answer::errcode(45033),
    });
    let (client, _) = client(&fake);
    let error = client
        .find_contact_ways(secs(0)..secs(9), |_| true)
        .await
        .unwrap_err();
    assert_eq!(error.errcode(), Some(Errcode::CONCURRENCY));
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
