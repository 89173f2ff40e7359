//! `del_contact_way`, and what it has in common with the others that take a `config_id` alone.

use serde::Deserialize;

use super::update::refuse_second_writer;
use crate::{
    api::{
        checks::{Steps, check},
        context::{Answer, Context},
        parse::Text,
    },
    world::{Corp, State},
};

/// A body of which only the `config_id` matters.
#[derive(Deserialize)]
pub(super) struct Body<'a> {
    #[serde(borrow)]
    config_id: Option<Text<'a>>,
}

/// The steps of a call for one code.
pub(super) struct OneCode<'a> {
    body: Result<Body<'a>, i64>,
    corp: &'a Corp,
    index: Option<u32>,
}

/// Deletes a code for good.
pub(crate) fn del(context: &Context<'_>) -> Answer {
    let mut code = OneCode::of(context);
    let mut state = context.corp.state();
    check(context, &state, &mut code)?;
    let index = code.index()?;
    refuse_second_writer(context, &mut state, index)?;
    if !state.codes.delete(index) {
        return Err(41044);
    }
    drop(state);
    context.done()
}

/// Returns the code that a body is about, if it can be told.
pub(crate) fn target(body: &[u8]) -> Option<Text<'_>> {
    let body: Body<'_> = serde_json::from_slice(body).ok()?;
    body.config_id
}

// === impl OneCode ===

impl<'a> OneCode<'a> {
    pub(super) fn of(context: &'a Context<'a>) -> Self {
        Self {
            body: context.body(),
            corp: context.corp,
            index: None,
        }
    }

    /// Returns the code that the steps found.
    pub(super) fn index(&self) -> Result<u32, i64> {
        self.index.ok_or(41044)
    }
}

impl Steps for OneCode<'_> {
    fn params(&self) -> Result<(), i64> {
        let body = self.body.as_ref().map_err(|errcode| *errcode)?;
        match &body.config_id {
            Some(config_id) if !config_id.as_str().is_empty() => Ok(()),
            _ => Err(41043),
        }
    }

    fn config_id(&mut self, state: &State) -> Result<(), i64> {
        let Ok(Body {
            config_id: Some(config_id),
        }) = &self.body
        else {
            return Ok(());
        };
        let index = self.corp.code_index(config_id.as_str()).ok_or(41044)?;
        state.codes.get(index).ok_or(41044)?;
        self.index = Some(index);
        Ok(())
    }
}
