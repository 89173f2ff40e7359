//! Lists of several pages.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use wecom::{
    Client, Error,
    api::{BatchEntry, BatchGetByUser, ExternalUserId, ListContactWay, ListDepartments},
    error::Kind,
};

use crate::{
    answer, body,
    client_fakes::{Answer, Fake, client, secs},
    id, page, parameter, user, users,
};

/// Serves pages of codes: what the rule makes of the cursor, which is empty for the first one.
fn listing(page: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Fake {
    Fake::calls(move |seen| {
        let body = body(seen);
        page(body["cursor"].as_str().unwrap_or_default())
    })
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
        answer(&json!({
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
        answer(&json!({
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
