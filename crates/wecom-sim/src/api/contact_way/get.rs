//! `get_contact_way`.

use serde::Serialize;
use serde_json::Value;

use super::del::OneCode;
use crate::{
    api::{
        checks::check,
        context::{Answer, Context},
    },
    world::State,
};

#[derive(Serialize)]
struct Got {
    contact_way: Way,
}

#[derive(Serialize)]
struct Way {
    config_id: String,
    #[serde(rename = "type")]
    kind: u8,
    scene: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    style: Option<u8>,
    remark: String,
    skip_verify: bool,
    state: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    qr_code: Option<String>,
    user: Vec<String>,
    party: Vec<u32>,
    is_temp: bool,
    is_exclusive: bool,
    mark_source: bool,
    #[serde(flatten)]
    temp: Option<TempWay>,
}

#[derive(Serialize)]
struct TempWay {
    expires_in: u32,
    chat_expires_in: u32,
    unionid: String,
    #[serde(skip_serializing_if = "Value::is_null")]
    conclusions: Value,
}

/// Tells of a code.
pub(crate) fn get(context: &Context<'_>) -> Answer {
    let mut code = OneCode::of(context);
    let state = context.corp.state();
    check(context, &state, &mut code)?;
    let contact_way = way(context, &state, code.index()?)?;
    drop(state);
    context.answer(&Got { contact_way })
}

fn way(context: &Context<'_>, state: &State, index: u32) -> Result<Way, i64> {
    let code = state.codes.get(index).ok_or(41044)?;
    Ok(Way {
        config_id: context.corp.config_id(index),
        kind: code.kind,
        scene: code.scene,
        style: (code.scene == 1).then_some(code.style.max(1)),
        remark: code.remark.to_string(),
        skip_verify: code.skip_verify,
        state: code.state.to_string(),
        qr_code: (code.scene == 2).then(|| context.corp.qr_code(index)),
        user: state.userids(&code.users),
        party: code.parties.to_vec(),
        is_temp: code.temp.is_some(),
        is_exclusive: code.is_exclusive,
        mark_source: code.mark_source,
        temp: code.temp.as_ref().map(|temp| TempWay {
            expires_in: temp.expires_in,
            chat_expires_in: temp.chat_expires_in,
            unionid: temp.unionid.to_string(),
            conclusions: temp.conclusions.clone(),
        }),
    })
}
