//! `add_contact_way`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{conclusions::Conclusions, members, params};
use crate::{
    api::{
        checks::{Steps, check},
        context::{Answer, Context},
        parse::Text,
    },
    world::{Code, State, Temp},
};

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(rename = "type")]
    kind: Option<i64>,
    scene: Option<i64>,
    style: Option<i64>,
    #[serde(borrow)]
    remark: Option<Text<'a>>,
    skip_verify: Option<bool>,
    #[serde(borrow)]
    state: Option<Text<'a>>,
    #[serde(borrow)]
    user: Option<Vec<Text<'a>>>,
    party: Option<Vec<i64>>,
    is_temp: Option<bool>,
    expires_in: Option<i64>,
    chat_expires_in: Option<i64>,
    #[serde(borrow)]
    unionid: Option<Text<'a>>,
    is_exclusive: Option<bool>,
    mark_source: Option<bool>,
    #[serde(borrow)]
    conclusions: Option<Conclusions<'a>>,
}

struct Adding<'a> {
    body: Result<Body<'a>, i64>,
    may_be_temp: bool,
    /// From the members' step.
    users: Box<[u32]>,
    parties: Box<[u32]>,
}

#[derive(Serialize)]
struct Added {
    config_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    qr_code: Option<String>,
}

/// Makes a code.
pub(crate) fn add(context: &Context<'_>) -> Answer {
    let mut adding = Adding {
        body: context.body(),
        may_be_temp: context.corp.may_make_temp_codes(),
        users: Box::default(),
        parties: Box::default(),
    };
    let mut state = context.corp.state();
    check(context, &state, &mut adding)?;
    let now_s = context.shared().now_s();
    let mut code = adding
        .body
        .as_ref()
        .map_err(|errcode| *errcode)?
        .code(now_s)?;
    if !context.plan.wrong_json {
        (code.users, code.parties) = (adding.users, adding.parties);
    }
    let ways = context.ways();
    if code.temp.is_some() {
        if !state.codes.count_temp(now_s, ways.temp_codes_per_day) {
            return Err(41045);
        }
    } else if state.codes.counted() >= ways.codes_per_corp {
        return Err(41045);
    }
    let scene = code.scene;
    let index = state.codes.add(code).ok_or(41045)?;
    drop(state);
    context.answer(&Added {
        config_id: context.corp.config_id(index),
        qr_code: (scene == 2).then(|| context.corp.qr_code(index)),
    })
}

// === impl Adding ===

impl Steps for Adding<'_> {
    fn params(&self) -> Result<(), i64> {
        let body = self.body.as_ref().map_err(|errcode| *errcode)?;
        // The moment does not matter for what is wrong.
        let code = body.code(0)?;
        body.check_lists(code.kind)?;
        if code.temp.is_some() && !self.may_be_temp {
            return Err(48002);
        }
        Ok(())
    }

    fn members(&mut self, state: &State) -> Result<(), i64> {
        let Ok(body) = &self.body else {
            return Ok(());
        };
        if let Some(users) = &body.user {
            self.users = members::users(state, users)?;
        }
        if let Some(parties) = &body.party {
            self.parties = params::parties(parties)?;
        }
        members::departments(state, &self.parties)?;
        members::count(state, &self.users, &self.parties)
    }
}

// === impl Body ===

impl Body<'_> {
    /// Returns the code without its lists.
    fn code(&self, now_s: u64) -> Result<Code, i64> {
        let one_or_two = |value: i64| {
            u8::try_from(value)
                .ok()
                .filter(|value| (1..=2).contains(value))
        };
        let kind = one_or_two(self.kind.ok_or(41037)?).ok_or(41039)?;
        let scene = one_or_two(self.scene.ok_or(41038)?).ok_or(41040)?;
        params::texts(self.remark.as_ref(), self.state.as_ref())?;
        let text = |text: Option<&Text<'_>>| text.map_or("", Text::as_str).into();
        Ok(Code {
            kind,
            scene,
            style: params::style(self.style, kind, scene)?,
            remark: text(self.remark.as_ref()),
            state: text(self.state.as_ref()),
            skip_verify: self.skip_verify.unwrap_or(true),
            is_exclusive: self.is_exclusive.unwrap_or(false),
            mark_source: self.mark_source.unwrap_or(true),
            temp: self.temp(kind)?,
            ..Code::new(now_s)
        })
    }

    fn temp(&self, kind: u8) -> Result<Option<Box<Temp>>, i64> {
        let (expires_in, chat_expires_in) = (
            params::life(self.expires_in)?,
            params::life(self.chat_expires_in)?,
        );
        let conclusions = self
            .conclusions
            .as_ref()
            .map(Conclusions::checked)
            .transpose()?;
        if !self.is_temp.unwrap_or(false) {
            let temps_own = expires_in.is_some()
                || chat_expires_in.is_some()
                || conclusions.is_some()
                || self
                    .unionid
                    .as_ref()
                    .is_some_and(|unionid| !unionid.as_str().is_empty());
            return if temps_own { Err(40058) } else { Ok(None) };
        }
        if kind != 1 {
            return Err(40058);
        }
        Ok(Some(Box::new(Temp {
            expires_in: expires_in.unwrap_or(params::LIFE_S),
            chat_expires_in: chat_expires_in.unwrap_or(params::CHAT_LIFE_S),
            unionid: self.unionid.as_ref().map_or("", Text::as_str).into(),
            conclusions: conclusions.unwrap_or(Value::Null),
        })))
    }

    /// Checks what can be told of the lists by their length.
    fn check_lists(&self, kind: u8) -> Result<(), i64> {
        let parties = self.party.as_deref().unwrap_or_default();
        params::parties(parties)?;
        let users = match &self.user {
            Some(users) => users.len(),
            None if kind == 1 || parties.is_empty() => return Err(40063),
            None => return Ok(()),
        };
        let fits = match kind {
            1 => users == 1 && parties.is_empty(),
            _ => users > 0 || !parties.is_empty(),
        };
        if fits { Ok(()) } else { Err(40058) }
    }
}
