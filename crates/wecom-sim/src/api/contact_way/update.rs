//! `update_contact_way`: what is absent stays, `user` and `party` replace the whole list.

use serde::Deserialize;

use super::{conclusions::Conclusions, members, params};
use crate::{
    api::{
        checks::{Steps, check},
        context::{Answer, Context},
        parse::Text,
    },
    profile::{ConflictMode, EmptyUser},
    world::{Code, Corp, State},
};

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    config_id: Option<Text<'a>>,
    #[serde(borrow)]
    remark: Option<Text<'a>>,
    skip_verify: Option<bool>,
    style: Option<i64>,
    #[serde(borrow)]
    state: Option<Text<'a>>,
    #[serde(borrow)]
    user: Option<Vec<Text<'a>>>,
    party: Option<Vec<i64>>,
    expires_in: Option<i64>,
    chat_expires_in: Option<i64>,
    #[serde(borrow)]
    unionid: Option<Text<'a>>,
    mark_source: Option<bool>,
    #[serde(borrow)]
    conclusions: Option<Conclusions<'a>>,
}

struct Updating<'a> {
    body: Result<Body<'a>, i64>,
    corp: &'a Corp,
    empty_user: EmptyUser,
    now_s: u64,
    /// From the code's step.
    index: Option<u32>,
    /// From the members' step: the new lists.
    users: Option<Box<[u32]>>,
    parties: Option<Box<[u32]>>,
}

/// Changes a code.
pub(crate) fn update(context: &Context<'_>) -> Answer {
    let mut updating = Updating {
        body: context.body(),
        corp: context.corp,
        empty_user: context.ways().empty_user,
        now_s: context.shared().now_s(),
        index: None,
        users: None,
        parties: None,
    };
    let mut state = context.corp.state();
    check(context, &state, &mut updating)?;
    let index = updating.index.ok_or(41044)?;
    refuse_second_writer(context, &mut state, index)?;
    let body = updating.body.as_ref().map_err(|errcode| *errcode)?;
    let code = state.codes.get_mut(index).ok_or(41044)?;
    body.apply(code)?;
    if !context.plan.wrong_json {
        if let Some(users) = updating.users {
            code.users = users;
        }
        if let Some(parties) = updating.parties {
            code.parties = parties;
        }
    }
    drop(state);
    context.done()
}

/// Refuses a call that comes while another changes the same code.
pub(super) fn refuse_second_writer(
    context: &Context<'_>,
    state: &mut State,
    index: u32,
) -> Result<(), i64> {
    let errcode = match context.ways().conflict {
        ConflictMode::LastToEnd => return Ok(()),
        ConflictMode::Conflict45035 => 45035,
        ConflictMode::Conflict6000 => 6000,
    };
    let Some(flight) = context
        .flight
        .filter(|flight| flight.is_conflict(index, &state.codes))
    else {
        return Ok(());
    };
    state.traffic.of(flight.api()).conflicts += 1;
    Err(errcode)
}

// === impl Updating ===

impl Steps for Updating<'_> {
    fn params(&self) -> Result<(), i64> {
        let body = self.body.as_ref().map_err(|errcode| *errcode)?;
        let config_id = body.config_id.as_ref().map_or("", Text::as_str);
        if config_id.is_empty() {
            return Err(41043);
        }
        params::texts(body.remark.as_ref(), body.state.as_ref())?;
        params::life(body.expires_in)?;
        params::life(body.chat_expires_in)?;
        params::parties(body.party.as_deref().unwrap_or_default())?;
        if let Some(conclusions) = &body.conclusions {
            conclusions.checked()?;
        }
        let empties = body.user.as_ref().is_some_and(Vec::is_empty);
        if empties && self.empty_user == EmptyUser::Refuse {
            return Err(40058);
        }
        Ok(())
    }

    fn config_id(&mut self, state: &State) -> Result<(), i64> {
        let Ok(body) = &self.body else {
            return Ok(());
        };
        let Some(config_id) = &body.config_id else {
            return Ok(());
        };
        let index = self.corp.code_index(config_id.as_str()).ok_or(41044)?;
        let code = state.codes.get(index).ok_or(41044)?;
        if code.has_ended(self.now_s) {
            return Err(41044);
        }
        body.check_against(code)?;
        self.index = Some(index);
        Ok(())
    }

    fn members(&mut self, state: &State) -> Result<(), i64> {
        let Ok(body) = &self.body else {
            return Ok(());
        };
        let mut users = match &body.user {
            Some(users) => Some(members::users(state, users)?),
            None => None,
        };
        if self.empty_user == EmptyUser::Keep {
            users = users.filter(|users| !users.is_empty());
        }
        let parties = body.party.as_deref().map(params::parties).transpose()?;
        members::departments(state, parties.as_deref().unwrap_or_default())?;
        let config_id = body.config_id.as_ref().map_or("", Text::as_str);
        let index = self.corp.code_index(config_id);
        if let Some(code) = index.and_then(|index| state.codes.get(index)) {
            let (new_users, new_parties) = (
                users.as_ref().unwrap_or(&code.users),
                parties.as_ref().unwrap_or(&code.parties),
            );
            let nobody = new_users.is_empty() && new_parties.is_empty();
            if nobody && parties.is_some() && self.empty_user != EmptyUser::Clear {
                return Err(40058);
            }
            if users.is_some() || parties.is_some() {
                members::count(state, new_users, new_parties)?;
            }
        }
        (self.users, self.parties) = (users, parties);
        Ok(())
    }
}

// === impl Body ===

impl Body<'_> {
    /// Checks what can be told only with the code at hand.
    fn check_against(&self, code: &Code) -> Result<(), i64> {
        params::style(self.style, code.kind, code.scene)?;
        let users = self.user.as_ref().map_or(0, Vec::len);
        let parties = self.party.as_ref().map_or(0, Vec::len);
        if code.kind == 1 && (users > 1 || parties > 0) {
            return Err(40058);
        }
        let of_temp_alone = self.expires_in.is_some()
            || self.chat_expires_in.is_some()
            || self.conclusions.is_some()
            || self
                .unionid
                .as_ref()
                .is_some_and(|unionid| !unionid.as_str().is_empty());
        if code.temp.is_none() && of_temp_alone {
            return Err(40058);
        }
        Ok(())
    }

    /// Changes everything but the lists.
    fn apply(&self, code: &mut Code) -> Result<(), i64> {
        let style = params::style(self.style, code.kind, code.scene)?;
        if style > 0 {
            code.style = style;
        }
        if let Some(remark) = &self.remark {
            code.remark = remark.as_str().into();
        }
        if let Some(state) = &self.state {
            code.state = state.as_str().into();
        }
        code.skip_verify = self.skip_verify.unwrap_or(code.skip_verify);
        code.mark_source = self.mark_source.unwrap_or(code.mark_source);
        let Some(temp) = &mut code.temp else {
            return Ok(());
        };
        temp.expires_in = params::life(self.expires_in)?.unwrap_or(temp.expires_in);
        temp.chat_expires_in = params::life(self.chat_expires_in)?.unwrap_or(temp.chat_expires_in);
        if let Some(unionid) = &self.unionid {
            temp.unionid = unionid.as_str().into();
        }
        if let Some(conclusions) = &self.conclusions {
            temp.conclusions = conclusions.checked()?;
        }
        Ok(())
    }
}
