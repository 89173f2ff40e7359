//! Codes: looked at, loaded, and changed from outside.

use http::Method;
use serde_json::{Value, json};

use super::{
    answer::{Answer, Fault, not_there, told},
    asked::{Asked, MOST_LISTED, next_cursor},
};
use crate::{
    given::{Section, Wanted},
    profile::names::USERID,
    world::{CodeSeed, CodeView, Corp, Mistake, Targets},
};

/// A code to be loaded.
#[derive(Clone, Debug, Default)]
struct Given {
    state: String,
    users: Vec<String>,
    parties: Vec<u32>,
    created_s: Option<u64>,
}

/// Codes to be loaded.
#[derive(Debug)]
enum Bulk {
    Each(Vec<Given>),
    /// So many, each of so many members in turn, with a state of this and their number.
    Many {
        count: usize,
        members_each: usize,
        state: String,
    },
}

/// `/admin/corps/{id}/codes`
pub(super) async fn all(corp: &Corp, asked: &Asked) -> Answer {
    match asked.method {
        Method::GET => {
            let part = asked.part()?;
            let page = corp.config_ids_from(part.from, part.limit);
            Ok(json!({
                "total": corp.code_count(),
                "config_ids": page.items,
                "next_cursor": next_cursor(page.next),
            }))
        }
        Method::POST => {
            asked.no_query()?;
            let ids = match asked.body(read)? {
                Bulk::Each(codes) => add(corp, &codes)?,
                Bulk::Many {
                    count,
                    members_each,
                    state,
                } => many(corp, count, members_each, &state).await?,
            };
            let added = ids.len();
            let first: Vec<String> = ids.into_iter().take(MOST_LISTED).collect();
            Ok(json!({ "added": added, "config_ids": first }))
        }
        _ => Err(Fault::Method("GET, POST")),
    }
}

/// `/admin/corps/{id}/codes/{config_id}`
pub(super) async fn one(corp: &Corp, config_id: &str, asked: &Asked) -> Answer {
    asked.no_query()?;
    if corp.code(config_id).is_none() {
        return not_there("code", config_id);
    }
    match asked.method {
        Method::GET => {}
        Method::PATCH => {
            let (users, parties) = asked.body(|mut table| {
                let (mut users, mut parties) = (Vec::new(), Vec::new());
                if !table.has("users") {
                    table.missing("users", "a list of userids, which may be empty");
                }
                let has_parties = table.has("parties");
                table.texts("users", USERID, &mut users);
                table.wholes("parties", 1..=u32::MAX, &mut parties);
                table.end();
                (users, has_parties.then_some(parties))
            })?;
            let users: Vec<&str> = users.iter().map(String::as_str).collect();
            corp.edit_code(config_id, &users, parties.as_deref())?;
        }
        Method::DELETE => {
            asked.no_body()?;
            corp.delete_code(config_id);
            return Ok(json!({ "deleted": config_id }));
        }
        _ => return Err(Fault::Method("GET, PATCH, DELETE")),
    }
    match corp.code(config_id) {
        Some(code) => told(shown(&code, corp).await),
        None => not_there("code", config_id),
    }
}

fn read(mut table: Section<'_>) -> Bulk {
    if let Some(tables) = table.sections("codes") {
        table.end();
        return Bulk::Each(tables.into_iter().map(given).collect());
    }
    let mut members_each = 1;
    let mut state = String::new();
    let count = table.needed_whole("count", 1..=MOST_LOADED);
    table.whole("members_each", 1..=100, &mut members_each);
    table.text("state", STATE, &mut state);
    table.end();
    Bulk::Many {
        count: count.unwrap_or_default(),
        members_each,
        state,
    }
}

fn given(mut table: Section<'_>) -> Given {
    let mut code = Given::default();
    table.text("state", STATE, &mut code.state);
    table.texts("users", USERID, &mut code.users);
    table.wholes("parties", 1..=u32::MAX, &mut code.parties);
    table.maybe_whole("created_s", 0..=u64::MAX, &mut code.created_s);
    table.end();
    code
}

fn add(corp: &Corp, codes: &[Given]) -> Result<Vec<String>, Mistake> {
    let users: Vec<Vec<&str>> = codes
        .iter()
        .map(|code| code.users.iter().map(String::as_str).collect())
        .collect();
    let seeds = codes.iter().zip(&users).map(|(code, users)| CodeSeed {
        state: &code.state,
        users,
        parties: &code.parties,
        created_s: code.created_s,
    });
    corp.add_codes(&seeds.collect::<Vec<_>>())
}

/// Loads many, some thousand at a time, so that others get their turn.
async fn many(
    corp: &Corp,
    count: usize,
    members_each: usize,
    state: &str,
) -> Result<Vec<String>, Fault> {
    let members: Vec<String> = corp.members().into_iter().map(|it| it.userid).collect();
    if members.len() < members_each {
        let there = members.len();
        let told =
            format!("members_each = {members_each}, expected at most {there}, all there are");
        return Err(Fault::Mistake(told));
    }
    let mut ids = Vec::with_capacity(count);
    let first = corp.code_count();
    for begin in (0..count).step_by(AT_A_TIME) {
        let codes: Vec<Given> = (begin..count.min(begin + AT_A_TIME))
            .map(|number| {
                let turn = number * members_each..(number + 1) * members_each;
                let users = turn.map(|place| members[place % members.len()].clone());
                Given {
                    state: format!("{state}{}", first + number + 1),
                    users: users.collect(),
                    ..Given::default()
                }
            })
            .collect();
        ids.extend(add(corp, &codes)?);
        tokio::task::yield_now().await;
    }
    Ok(ids)
}

async fn shown(code: &CodeView, corp: &Corp) -> Value {
    let mut targets = corp.targets(&code.config_id);
    if let Some(targets) = &mut targets {
        while !targets.walk(corp) {
            tokio::task::yield_now().await;
        }
    }
    let shown = targets
        .as_ref()
        .map(|targets| targets.userids(corp, MOST_LISTED));
    json!({
        "config_id": code.config_id,
        "type": code.kind,
        "scene": code.scene,
        "state": code.state,
        "remark": code.remark,
        "skip_verify": code.skip_verify,
        "is_exclusive": code.is_exclusive,
        "created_s": code.created_s,
        "ends_s": code.ends_s,
        "users": code.users,
        "parties": code.parties,
        "scan_targets": shown,
        "scan_targets_total": targets.as_ref().map(Targets::count),
    })
}

/// Room for the number behind it: 30 characters in all.
const STATE: Wanted = Wanted::open("at most 20 characters", |text| text.chars().count() <= 20);

/// Codes.
const AT_A_TIME: usize = 5000;

/// All codes that there are.
const MOST_LOADED: usize = 10_000_000;
