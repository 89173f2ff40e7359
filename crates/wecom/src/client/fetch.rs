//! Fetching a token, with what the client proves itself with.

use std::fmt;

use super::{
    Transport,
    credential::{Credential, Kind as Proof},
    exchange::Line,
    request::request,
};
use crate::{
    api::{GetCorpToken, GetToken, Token},
    call::Call,
    error::{BoxError, Error, Kind, NoToken, Plain},
    name::Api,
    secret::Secret,
    token::{BoxFuture, Fetch, Fetched},
};

/// Fetches the token of one (corp, app).
///
/// Not through the limiter: the keeper has a bound of its own, and a token must not wait behind the calls that
/// wait for it.
pub(super) struct Fetcher<S> {
    pub(super) credential: Credential,
    pub(super) transport: S,
    pub(super) line: Line,
}

// === impl Fetcher ===

impl<S: Transport> Fetcher<S> {
    /// Asks the provider for its own token, where one is needed.
    async fn suite_token(&self) -> Result<Option<Secret>, Error> {
        let Proof::Suite { suite, .. } = &self.credential.0 else {
            return Ok(None);
        };
        let token = suite.suite_access_token().await;
        token.map(Some).map_err(Self::without_suite_token)
    }

    fn without_suite_token(error: BoxError) -> Error {
        Error::new(Api::GET_CORP_TOKEN, Kind::NoToken(NoToken::Suite(error)))
    }

    async fn ask(&self, suite_token: Option<Secret>) -> Result<Token, Error> {
        match &self.credential.0 {
            Proof::App { corp, secret } => {
                let call = GetToken::new(corp.clone(), secret.clone());
                self.send(&call).await
            }
            Proof::Suite {
                corp,
                permanent_code,
                ..
            } => {
                let none = || Self::without_suite_token(Plain("it was not asked for").into());
                let suite_access_token = suite_token.ok_or_else(none)?;
                let code = permanent_code.clone();
                let call = GetCorpToken::new(suite_access_token, corp.clone(), code);
                self.send(&call).await
            }
        }
    }

    async fn send<C: Call>(&self, call: &C) -> Result<C::Reply, Error> {
        let mut ongoing = self.line.watch.begin(C::API);
        let sent = async {
            let invalid = |error| Error::new(C::API, Kind::Invalid(error));
            let wire = call.encode().map_err(invalid)?;
            let request = request(&self.line.base, &wire, None).map_err(invalid)?;
            self.line.exchange(&self.transport, C::API, request).await
        };
        ongoing.attempted();
        let result = ongoing.span().scope(sent).await;
        ongoing.ended(&result);
        result
    }
}

impl<S: Transport> Fetch for Fetcher<S> {
    fn prepare(&self) -> BoxFuture<'_, Result<Option<Secret>, Error>> {
        Box::pin(self.suite_token())
    }

    fn fetch(&self, prepared: Option<Secret>) -> BoxFuture<'_, Result<Fetched, Error>> {
        Box::pin(async {
            let given = self.ask(prepared).await?;
            Ok(Fetched {
                token: given.access_token,
                lasts: given.expires_in,
            })
        })
    }

    fn api(&self) -> Api {
        match self.credential.0 {
            Proof::App { .. } => Api::GET_TOKEN,
            Proof::Suite { .. } => Api::GET_CORP_TOKEN,
        }
    }
}

impl<S> fmt::Debug for Fetcher<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fetcher")
    }
}
