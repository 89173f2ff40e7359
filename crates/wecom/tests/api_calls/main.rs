//! The methods of the client: each reaches its place, lists come whole or end with an error, and what is
//! made of several calls keeps its promises.

#[path = "../client_fakes/mod.rs"]
mod client_fakes;
mod each;
mod lists;
mod members;
mod orphans;
mod unfit;

use client_fakes::{Answer, Fake, Seen};
use serde_json::{Value, json};
use wecom::api::{ConfigId, UserId, Users};

fn id(id: &str) -> ConfigId {
    ConfigId::new(id).unwrap_or_else(|invalid| panic!("{invalid}"))
}

fn user(id: &str) -> UserId {
    UserId::new(id).unwrap_or_else(|invalid| panic!("{invalid}"))
}

fn users(ids: &[&str]) -> Users {
    Users::new(ids.iter().map(|id| user(id))).unwrap_or_else(|invalid| panic!("{invalid}"))
}

fn answer(value: &Value) -> Answer {
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

fn page(ids: &[&str], next: &str) -> Answer {
    let ids: Vec<_> = ids.iter().map(|id| json!({"config_id": id})).collect();
    answer(&json!({"errcode": 0, "contact_way": ids, "next_cursor": next}))
}
