//! `gettoken` and `get_corp_token`: what a client does before anything else, by itself.
//!
//! They are calls like the others but for the token, of which they have none; so they are not for
//! [`Client::send`](crate::Client::send). A reply whose token is empty or whose life is no life cannot be
//! read: a client that believed it would fetch again and again.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use crate::{
    call::{Call, Wire},
    error::Invalid,
    name::{Api, CorpId},
    secret::Secret,
    token::LONGEST_TOKEN,
};

/// The longest life of a token that is believed, in seconds. WeCom's live two hours.
const LONGEST: i64 = 24 * 3600;

/// The call for the token of an enterprise's own app.
#[derive(Clone, Debug)]
#[must_use = "nothing is fetched before it is sent"]
pub struct GetToken {
    corpid: CorpId,
    secret: Secret,
}

/// The call for the token of a third party's app in an enterprise.
#[derive(Clone, Debug)]
#[must_use = "nothing is fetched before it is sent"]
pub struct GetCorpToken {
    suite_access_token: Secret,
    auth_corpid: CorpId,
    permanent_code: Secret,
}

/// A token and how long it lives.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct Token {
    /// The token; never empty.
    #[serde(deserialize_with = "token")]
    pub access_token: Secret,
    /// How long it lives: 1 second to 1 day.
    #[serde(deserialize_with = "life")]
    pub expires_in: Duration,
}

#[derive(Serialize)]
struct CorpTokenBody<'a> {
    auth_corpid: &'a str,
    permanent_code: &'a str,
}

// === impl GetToken ===

impl GetToken {
    /// Returns the call for the token of this enterprise and app.
    pub const fn new(corpid: CorpId, secret: Secret) -> Self {
        Self { corpid, secret }
    }
}

impl Call for GetToken {
    const API: Api = Api::new("gettoken");
    type Reply = Token;

    fn encode(&self) -> Result<Wire, Invalid> {
        let query = vec![
            ("corpid", self.corpid.as_str().to_owned()),
            ("corpsecret", self.secret.reveal().to_owned()),
        ];
        Ok(Wire::get("/cgi-bin/gettoken", query))
    }
}

// === impl GetCorpToken ===

impl GetCorpToken {
    /// Returns the call for the token of the suite's app in this enterprise.
    pub const fn new(
        suite_access_token: Secret,
        auth_corpid: CorpId,
        permanent_code: Secret,
    ) -> Self {
        Self {
            suite_access_token,
            auth_corpid,
            permanent_code,
        }
    }
}

impl Call for GetCorpToken {
    const API: Api = Api::new("get_corp_token");
    type Reply = Token;

    fn encode(&self) -> Result<Wire, Invalid> {
        let body = CorpTokenBody {
            auth_corpid: self.auth_corpid.as_str(),
            permanent_code: self.permanent_code.reveal(),
        };
        let mut wire = Wire::post("/cgi-bin/service/get_corp_token", &body)?;
        let suite = self.suite_access_token.reveal().to_owned();
        wire.query.push(("suite_access_token", suite));
        Ok(wire)
    }
}

fn token<'de, D: Deserializer<'de>>(from: D) -> Result<Secret, D::Error> {
    let token = String::deserialize(from)?;
    if token.is_empty() {
        return Err(D::Error::custom("access_token is empty"));
    }
    if token.len() > LONGEST_TOKEN {
        return Err(D::Error::custom("access_token is longer than 4096 bytes"));
    }
    Ok(token.into())
}

fn life<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    let seconds = i64::deserialize(from)?;
    let seconds = u64::try_from(seconds)
        .ok()
        .filter(|_| (1..=LONGEST).contains(&seconds));
    let seconds =
        seconds.ok_or_else(|| D::Error::custom("expires_in is not 1 to 86400 seconds"))?;
    Ok(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_too_long_for_an_address_is_none() {
        let read = |length: usize| {
            let token = "t".repeat(length);
            let reply = serde_json::json!({ "access_token": token, "expires_in": 7200 });
            serde_json::from_value::<Token>(reply)
        };
        assert!(read(LONGEST_TOKEN).is_ok());
        assert!(read(LONGEST_TOKEN + 1).is_err() && read(0).is_err());
    }
}
