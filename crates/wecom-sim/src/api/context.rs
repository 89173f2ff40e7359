//! What the work of a call has at hand.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::{Api, call::Call, parse, plan::Plan, query};
use crate::{
    profile::ContactWays,
    world::{Corp, Flight, Shared, State},
};

/// What a call that is done is answered with: a body, or an `errcode`.
pub(crate) type Answer = Result<Bytes, i64>;

/// A call at the moment when it is done.
pub(crate) struct Context<'a> {
    pub(crate) call: &'a Call,
    pub(crate) corp: &'a Corp,
    /// What is wrong with its token.
    pub(crate) token: Result<(), i64>,
    /// Absent if it was not let in, for its token is no good.
    pub(crate) flight: Option<&'a Flight>,
    pub(crate) plan: &'a Plan,
}

// === impl Context ===

impl Context<'_> {
    pub(crate) fn ways(&self) -> &ContactWays {
        &self.call.settings.contact_ways
    }

    pub(crate) fn shared(&self) -> &Shared {
        self.corp.shared()
    }

    /// Reads the body, if the method is right.
    pub(crate) fn body<'a, T: Deserialize<'a>>(&'a self) -> Result<T, i64> {
        self.call.method_fits()?;
        parse::body(&self.call.body)
    }

    /// Returns a value of the query that is there and not empty, if the method is right.
    pub(crate) fn query(&self, name: &str, missing: i64) -> Result<String, i64> {
        self.call.method_fits()?;
        let value = query::value(self.call.query(), name).filter(|value| !value.is_empty());
        value.map(std::borrow::Cow::into_owned).ok_or(missing)
    }

    /// Returns what is wrong with the app.
    pub(crate) fn permission(&self, state: &State) -> Result<(), i64> {
        state.refused_with.map_or(Ok(()), Err)
    }

    /// The `errmsg` of success.
    pub(crate) fn errmsg(&self) -> &'static str {
        match (
            self.plan.wrong_json && self.call.api.is_post(),
            self.call.api,
        ) {
            (false, _) => "ok",
            (true, Api::UpdateContactWay) => "updated. Warning: wrong json format. ",
            (true, _) => "ok. Warning: wrong json format. ",
        }
    }

    /// The answer of a call that returns nothing.
    pub(crate) fn done(&self) -> Answer {
        #[derive(Serialize)]
        struct Nothing {}
        match self.errmsg() {
            "ok" => Ok(Bytes::from_static(br#"{"errcode":0,"errmsg":"ok"}"#)),
            _ => self.answer(&Nothing {}),
        }
    }

    /// The answer of a call that returns these fields.
    pub(crate) fn answer(&self, fields: &impl Serialize) -> Answer {
        #[derive(Serialize)]
        struct Whole<'a, T> {
            errcode: i64,
            errmsg: &'a str,
            #[serde(flatten)]
            fields: &'a T,
        }
        let whole = Whole {
            errcode: 0,
            errmsg: self.errmsg(),
            fields,
        };
        // Fields of this crate's own types: they always have a JSON.
        serde_json::to_vec(&whole).map(Bytes::from).map_err(|_| -1)
    }
}
