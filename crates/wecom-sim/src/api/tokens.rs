//! `gettoken` and `get_corp_token`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{
    Api,
    call::Call,
    context::{Answer, Context},
    parse::{self, Text},
    query,
};
use crate::world::{Corp, hour, nanos};

/// The body of `get_corp_token`.
#[derive(Deserialize)]
struct CorpToken<'a> {
    #[serde(borrow)]
    auth_corpid: Option<Text<'a>>,
    #[serde(borrow)]
    permanent_code: Option<Text<'a>>,
}

/// Returns the enterprise that a token is asked for.
///
/// # Errors
///
/// With the `errcode` when it is not named or there is none.
pub(crate) fn corp(call: &Call) -> Result<Arc<Corp>, i64> {
    call.method_fits()?;
    let id = if call.api == Api::GetToken {
        let id = query::value(call.query(), "corpid").filter(|id| !id.is_empty());
        id.ok_or(41002)?.into_owned()
    } else {
        suite_token(call)?;
        let body: CorpToken<'_> = parse::body(&call.body)?;
        body.auth_corpid.ok_or(40063)?.as_str().to_owned()
    };
    call.world.corp(&id).ok_or(40013)
}

/// Answers a call for a token, or bans the caller who comes with wrong secrets.
pub(crate) fn give(context: &Context<'_>) -> Answer {
    let call = context.call;
    let now = context.shared().now_ns();
    let rules = &call.settings.tokens;
    if call
        .world
        .callers()
        .with(call.ip, now, |caller| caller.is_banned(now))
    {
        return Err(45009);
    }
    if let Err(errcode) = check_secret(context) {
        if matches!(errcode, 40001 | 40084) {
            let hour_ns = nanos(hour(&call.settings.windows));
            call.world.callers().with(call.ip, now, |caller| {
                caller.came_with_wrong_secret(now, hour_ns, rules.wrong_secrets_per_hour);
            });
        }
        return Err(errcode);
    }
    let (access_token, expires_in) = context.corp.give_token(rules);
    let given = Given {
        access_token,
        expires_in,
    };
    if call.api == Api::GetToken {
        return context.answer(&given);
    }
    // Here alone success is told by the absence of `errcode` (path/90605).
    serde_json::to_vec(&given).map(Into::into).map_err(|_| -1)
}

#[derive(Serialize)]
struct Given {
    access_token: String,
    expires_in: u64,
}

fn suite_token(call: &Call) -> Result<(), i64> {
    let token = query::value(call.query(), "suite_access_token").filter(|token| !token.is_empty());
    let token = token.ok_or(41021)?;
    match &call.settings.tokens.suite_access_token {
        Some(right) if *right != token => Err(40082),
        _ => Ok(()),
    }
}

fn check_secret(context: &Context<'_>) -> Result<(), i64> {
    if context.call.api == Api::GetToken {
        let secret = context.query("corpsecret", 41004)?;
        let right = context.corp.state().secret.as_ref() == secret;
        return if right && !secret.is_empty() {
            Ok(())
        } else {
            Err(40001)
        };
    }
    let body: CorpToken<'_> = context.body()?;
    let code = body.permanent_code.ok_or(41025)?;
    let right = context.corp.has_permanent_code(code.as_str());
    if right { Ok(()) } else { Err(40084) }
}
