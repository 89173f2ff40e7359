//! Where callbacks go, and events by hand.

use std::borrow::Cow;

use http::Method;
use serde_json::json;

use super::{
    answer::{Answer, Fault, told},
    asked::Asked,
    members::now_s,
};
use crate::{
    Sim,
    callback::Event,
    given::{Section, Wanted},
    profile::CallbackTo,
    world::Corp,
};

/// `/admin/corps/{id}/callback`
pub(super) async fn callback(sim: &Sim, corp: &Corp, asked: &Asked) -> Answer {
    asked.no_query()?;
    let sender = sim.parts().sender();
    match asked.method {
        Method::GET => {}
        Method::PUT => {
            let (to, is_verified) = asked.body(|mut table| {
                let mut is_verified = true;
                table.flag("verify", &mut is_verified);
                (CallbackTo::read(table), is_verified)
            })?;
            if is_verified {
                sender.verify(corp.id(), to.as_ref()).await?;
            }
            sender.set_address(corp.id(), to.as_ref())?;
        }
        Method::DELETE => {
            asked.no_body()?;
            sender.set_address(corp.id(), None)?;
        }
        _ => return Err(Fault::Method("GET, PUT, DELETE")),
    }
    told(json!({
        "url": sender.address(corp.id()),
        "counts": sender.counts(corp.id()),
    }))
}

/// `/admin/corps/{id}/callback/verify`
pub(super) async fn verify(sim: &Sim, corp: &Corp, asked: &Asked) -> Answer {
    asked.only(&Method::POST, "POST")?;
    asked.no_query()?;
    asked.no_body()?;
    sim.parts().sender().verify(corp.id(), None).await?;
    Ok(json!({ "verified": true }))
}

/// `/admin/corps/{id}/events`
pub(super) fn event(sim: &Sim, corp: &Corp, asked: &Asked) -> Answer {
    asked.only(&Method::POST, "POST")?;
    asked.no_query()?;
    let now = now_s(sim);
    let event = asked.body(|table| read(table, now))?;
    sim.parts().sender().tell(corp.id(), event)?;
    told(json!({ "told": true }))
}

fn read(mut table: Section<'_>, now_s: u64) -> Event {
    let mut name = String::new();
    let mut change = None;
    let mut created_s = now_s;
    table.needed("name", EVENT, &mut name);
    table.maybe_text("change_type", EVENT, &mut change);
    table.whole("created_s", 0..=u64::MAX, &mut created_s);
    let fields = table.section("fields");
    let fields = fields.map_or_else(Vec::new, |fields| fields.into_texts(ELEMENT, TEXT));
    table.end();
    let fields = fields.into_iter();
    Event {
        name: Cow::Owned(name),
        change: Cow::Owned(change.unwrap_or_default()),
        created_s,
        fields: fields
            .map(|(name, text)| (Cow::Owned(name), text))
            .collect(),
    }
}

const EVENT: Wanted = Wanted::open("1 to 64 letters, digits and '_'", |text| {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (1..=64).contains(&text.len()) && text.bytes().all(fits)
});

const ELEMENT: Wanted = Wanted::open("keys of 1 to 64 letters", |text| {
    (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphabetic())
});

const TEXT: Wanted = Wanted::open("a text of at most 4096 bytes", |text| text.len() <= 4096);
