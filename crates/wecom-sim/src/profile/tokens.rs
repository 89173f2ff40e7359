//! How tokens are given out and die.

use std::fmt;

use serde::Serialize;

use super::{corp::hidden_too as hidden, names::CODE};
use crate::given::{Section, Word};

/// How tokens are given out and die.
#[derive(Clone, PartialEq, Serialize)]
pub struct Tokens {
    /// What a second `gettoken` does to the first token. Default stable.
    pub mode: TokenMode,
    /// `expires_in`, in seconds, 1 to 30 days. Default 7200.
    pub lasts_s: u64,
    /// In mode `rotating-old-valid`: for how long the old one is still good, in seconds, 0 to 30 days. Default 300.
    pub overlap_s: u64,
    /// In mode `early-kill`: after how many seconds a token dies although `expires_in` said otherwise, 1 to 30 days.
    /// Default 600.
    pub killed_after_s: u64,
    /// What a token is answered with that has outlived `lasts_s`: 42001 or 40014. Default 42001.
    pub expired_code: i64,
    /// What a token is answered with that was killed or replaced before its time: 40014 or 42001. Default 40014.
    pub killed_code: i64,
    /// The `suite_access_token` of the provider that `get_corp_token` wants; absent: any.
    #[serde(serialize_with = "hidden")]
    pub suite_access_token: Option<String>,
    /// Wrong secrets an hour from one IP, after which `gettoken` answers 45009 for an hour. Default 2,000, what the
    /// vendor's staff named.
    pub wrong_secrets_per_hour: u64,
}

/// What a second `gettoken` does to the first token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TokenMode {
    /// The same token is returned while it is valid.
    #[default]
    Stable,
    /// A new one; the old one stays valid for `overlap_s`.
    RotatingOldValid,
    /// A new one; the old one is dead at once.
    RotatingOldDead,
    /// As stable, but tokens die before their time.
    EarlyKill,
}

// === impl Tokens ===

impl Tokens {
    /// Takes what a table says over what is.
    pub(crate) fn update(&mut self, mut table: Section<'_>) {
        table.word("mode", &mut self.mode);
        table.whole("lasts_s", 1..=LONGEST_S, &mut self.lasts_s);
        table.whole("overlap_s", 0..=LONGEST_S, &mut self.overlap_s);
        table.whole("killed_after_s", 1..=LONGEST_S, &mut self.killed_after_s);
        table.one_of("expired_code", &[40014, 42001], &mut self.expired_code);
        table.one_of("killed_code", &[40014, 42001], &mut self.killed_code);
        let suite = &mut self.suite_access_token;
        table.maybe_text("suite_access_token", CODE, suite);
        let wrong = &mut self.wrong_secrets_per_hour;
        table.whole("wrong_secrets_per_hour", 1..=1_000_000_000, wrong);
        table.end();
    }
}

impl Default for Tokens {
    fn default() -> Self {
        Self {
            mode: TokenMode::Stable,
            lasts_s: 7200,
            overlap_s: 300,
            killed_after_s: 600,
            expired_code: 42001,
            killed_code: 40014,
            suite_access_token: None,
            wrong_secrets_per_hour: 2000,
        }
    }
}

/// Without the secret.
impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens")
            .field("mode", &self.mode)
            .field("lasts_s", &self.lasts_s)
            .finish_non_exhaustive()
    }
}

// === impl TokenMode ===

impl Word for TokenMode {
    const ALL: &'static [(&'static str, Self)] = &[
        ("stable", Self::Stable),
        ("rotating-old-valid", Self::RotatingOldValid),
        ("rotating-old-dead", Self::RotatingOldDead),
        ("early-kill", Self::EarlyKill),
    ];
}

/// 30 days: longer than anything that is simulated.
const LONGEST_S: u64 = 30 * 24 * 60 * 60;
