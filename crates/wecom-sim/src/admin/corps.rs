//! Enterprises: adding, inspecting, and what befalls their apps.

use http::Method;
use serde_json::json;

use super::{
    answer::{Answer, Fault, told},
    asked::{Asked, next_cursor},
};
use crate::{
    Sim,
    profile::{self, names::SECRET},
    world::Corp,
};

/// `/admin/corps`
pub(super) fn all(sim: &Sim, asked: &Asked) -> Answer {
    match asked.method {
        Method::GET => {
            let part = asked.part_by_id(&[])?;
            // One more, to know whether there is one.
            let corps = sim.world().corps_after(part.from, part.limit + 1);
            let ids: Vec<&str> = corps
                .iter()
                .map(|corp| corp.id())
                .take(part.limit)
                .collect();
            let next = ids.last().filter(|_| corps.len() > part.limit);
            Ok(json!({
                "total": sim.world().corp_count(),
                "corps": ids,
                "next_cursor": next_cursor(next),
            }))
        }
        Method::POST => {
            asked.no_query()?;
            let corp = asked.body(profile::Corp::read)?;
            sim.world().add_corp(&corp)?;
            sim.parts().add_corp(&corp)?;
            Ok(json!({ "added": corp.id }))
        }
        _ => Err(Fault::Method("GET, POST")),
    }
}

/// `/admin/corps/{id}`
pub(super) fn one(sim: &Sim, corp: &Corp, asked: &Asked) -> Answer {
    asked.no_query()?;
    match asked.method {
        Method::GET => {}
        Method::PATCH => {
            let (secret, refused_with) = asked.body(|mut table| {
                let mut secret = None;
                table.maybe_text("secret", SECRET, &mut secret);
                let is_given = table.has("refused_with");
                let mut refused_with = None;
                let codes = 1..=profile::MOST_ERRCODE;
                table.maybe_whole("refused_with", codes, &mut refused_with);
                table.end();
                (secret, is_given.then_some(refused_with))
            })?;
            if let Some(secret) = secret {
                corp.set_secret(&secret);
            }
            if let Some(errcode) = refused_with {
                corp.refuse_with(errcode);
            }
        }
        _ => return Err(Fault::Method("GET, PATCH")),
    }
    let sender = sim.parts().sender();
    told(json!({
        "id": corp.id(),
        "members": corp.member_count(),
        "departments": corp.department_count(),
        "codes": corp.code_count(),
        "callback": sender.address(corp.id()),
        "callbacks": sender.counts(corp.id()),
        "scans": sim.parts().scanner().counts(Some(corp.id())),
    }))
}

/// `/admin/corps/{id}/tokens/{kill, expire}`
pub(super) fn tokens(corp: &Corp, how: &str, asked: &Asked) -> Answer {
    let end: fn(&Corp) -> usize = match how {
        "kill" => Corp::kill_tokens,
        "expire" => Corp::expire_tokens,
        _ => {
            let told = format!("there is no {how:?} of tokens; there are kill, expire");
            return Err(Fault::NotThere(told));
        }
    };
    asked.only(&Method::POST, "POST")?;
    asked.no_query()?;
    asked.no_body()?;
    Ok(json!({ "tokens": end(corp) }))
}

/// `/admin/corps/{id}/new-day`
pub(super) fn new_day(sim: &Sim, corp: &Corp, asked: &Asked) -> Answer {
    asked.only(&Method::POST, "POST")?;
    asked.no_query()?;
    asked.no_body()?;
    let no_longer_full = sim.parts().scanner().new_day(corp.id())?;
    Ok(json!({ "no_longer_full": no_longer_full }))
}
