//! Codes whose id was lost with an answer.

use serde_json::json;
use wecom::{
    Errcode,
    api::{AddContactWay, Scene, State},
};

use crate::{
    answer, body,
    client_fakes::{Answer, Fake, Seen, client, secs},
    id, name, page, user,
};

#[tokio::test(start_paused = true)]
async fn w7_a_code_whose_answer_was_lost_is_found_again() {
    let gets = |seen: &Seen| match body(seen)["config_id"].as_str() {
        Some("gone") => Answer::errcode(41044),
        Some(code) => {
            let state = if code == "orphan" { "store-3" } else { "other" };
            answer(&json!({"errcode": 0, "contact_way": {"config_id": code, "state": state}}))
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
