//! What a token is fetched with.

use std::{fmt, sync::Arc};

use crate::{
    error::{BoxError, Invalid},
    name::CorpId,
    secret::Secret,
    token::{BoxFuture, TokenKey},
};

/// What a client proves itself with; one token belongs to each. Shows itself as `Credential(..)`.
#[derive(Clone)]
pub struct Credential(pub(super) Kind);

#[derive(Clone)]
pub(super) enum Kind {
    /// `gettoken`: an enterprise's own app, or one developed on its behalf.
    App { corp: CorpId, secret: Secret },
    /// `get_corp_token`: a third party's app in an enterprise that has installed it.
    Suite {
        corp: CorpId,
        permanent_code: Secret,
        suite: Arc<dyn SuiteTokens>,
    },
}

/// Where the `suite_access_token` of a third party comes from.
///
/// It belongs to the third party and not to an enterprise, and is fetched with a ticket that WeCom pushes every
/// ten minutes; that is the provider's business.
pub trait SuiteTokens: Send + Sync + 'static {
    /// Returns the one that is valid now.
    ///
    /// # Errors
    ///
    /// Whatever keeps it from being had. Of the error's text only what is known to hold no secret is told.
    fn suite_access_token(&self) -> BoxFuture<'_, Result<Secret, BoxError>>;
}

// === impl Credential ===

impl Credential {
    /// Longest secret of an app, in bytes; WeCom's have 43.
    const LONGEST_SECRET: usize = 256;
    /// Longest permanent code, in bytes; WeCom says to reserve 512.
    const LONGEST_CODE: usize = 512;

    /// Returns the credential of an enterprise's own app.
    ///
    /// # Errors
    ///
    /// If `corp` is no [`CorpId`], or the secret is empty or longer than 256 bytes.
    pub fn app(corp: &str, secret: impl Into<Secret>) -> Result<Self, Invalid> {
        let secret = secret.into();
        let length = secret.reveal().len();
        if length == 0 || length > Self::LONGEST_SECRET {
            let what = format!("{length} bytes long");
            return Err(Invalid::new("corpsecret", what, "1 to 256 bytes"));
        }
        let corp = CorpId::new(corp)?;
        Ok(Self(Kind::App { corp, secret }))
    }

    /// Returns the credential of a third party's app in an enterprise.
    ///
    /// # Errors
    ///
    /// If `corp` is no [`CorpId`], or the code is empty or longer than 512 bytes.
    pub fn suite(
        corp: &str,
        permanent_code: impl Into<Secret>,
        suite: impl SuiteTokens,
    ) -> Result<Self, Invalid> {
        let permanent_code = permanent_code.into();
        let length = permanent_code.reveal().len();
        if length == 0 || length > Self::LONGEST_CODE {
            let what = format!("{length} bytes long");
            return Err(Invalid::new("permanent_code", what, "1 to 512 bytes"));
        }
        Ok(Self(Kind::Suite {
            corp: CorpId::new(corp)?,
            permanent_code,
            suite: Arc::new(suite),
        }))
    }

    /// Returns the enterprise.
    #[must_use]
    pub const fn corp(&self) -> &CorpId {
        match &self.0 {
            Kind::App { corp, .. } | Kind::Suite { corp, .. } => corp,
        }
    }

    /// Returns under which name the token is kept.
    pub(super) fn token_key(&self) -> TokenKey {
        let (kind, secret) = match &self.0 {
            Kind::App { secret, .. } => ("app", secret),
            Kind::Suite { permanent_code, .. } => ("suite", permanent_code),
        };
        // Not a plain hash of the secret: one that nothing else computes.
        let mut hasher = blake3::Hasher::new_derive_key("wecom 2026 name of an app's token");
        hasher.update(kind.as_bytes());
        hasher.update(&[0]);
        hasher.update(secret.reveal().as_bytes());
        let app: String = hasher.finalize().to_hex().chars().take(16).collect();
        TokenKey {
            corp: self.corp().clone(),
            app: app.into(),
        }
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credential(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NoSuite;

    impl SuiteTokens for NoSuite {
        fn suite_access_token(&self) -> BoxFuture<'_, Result<Secret, BoxError>> {
            Box::pin(async { Err("none".into()) })
        }
    }

    #[test]
    fn another_secret_or_another_kind_of_it_is_another_token() {
        let key = |credential: Credential| credential.token_key().app;
        let first = key(Credential::app("ww1", "secret-a").unwrap());
        assert_eq!(first, key(Credential::app("ww1", "secret-a").unwrap()));
        assert_ne!(first, key(Credential::app("ww1", "secret-b").unwrap()));
        assert_ne!(
            first,
            key(Credential::suite("ww1", "secret-a", NoSuite).unwrap())
        );
        assert_eq!(first.len(), 16);
        assert!(first.bytes().all(|b| b.is_ascii_hexdigit()));
    }

    #[test]
    fn a_wrong_credential_names_the_field_and_not_the_secret() {
        let long = "s".repeat(257);
        let error = Credential::app("ww1", long.as_str()).unwrap_err();
        assert_eq!(
            error.to_string(),
            r#"corpsecret is "257 bytes long"; allowed: 1 to 256 bytes"#
        );
        let error = Credential::app("ww1", "").unwrap_err();
        assert_eq!(error.field(), "corpsecret");
        let error = Credential::suite("ww1", "", NoSuite).unwrap_err();
        assert_eq!(error.field(), "permanent_code");
        let error = Credential::app("no corp", "s").unwrap_err();
        assert_eq!(error.field(), "corpid");
    }
}
