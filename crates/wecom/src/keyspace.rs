//! What all that is kept in a Redis has in common: what keys begin with, and what may be told of errors.

use std::{error::Error, fmt, time::Duration};

use redis::{ErrorKind, RedisError};

use crate::error::Invalid;

/// What keys begin with if nothing else is said.
pub(crate) const PREFIX: &str = "wecom";

/// Why Redis gave no answer, or none that is of use. Never shows a key or a value: a Redis repeats arguments in its errors.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It took too long.
    Slow,
    /// It, or the way to it, failed.
    Redis {
        kind: ErrorKind,
        /// The first word of the server's answer, such as `OOM`.
        code: Option<Box<str>>,
    },
    /// Others count their calls in a long window of another length.
    OtherHour { theirs: Duration, ours: Duration },
}

/// Returns a prefix of keys, if it can be one. Braces would become the hash tag in place of the corp.
pub(crate) fn prefix(prefix: &str) -> Result<Box<str>, Invalid> {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"-_.:".contains(&b);
    if prefix.is_empty() || prefix.len() > 64 || !prefix.bytes().all(allowed) {
        let wanted = "1 to 64 letters, digits, '-', '_', '.' and ':'";
        return Err(Invalid::new("prefix", prefix, wanted));
    }
    Ok(prefix.into())
}

/// Takes out of an error what may be told: its kind, and the code if it is one and no argument.
#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
pub(crate) fn clean(error: RedisError) -> Failure {
    let is_code = |code: &&str| code.len() <= 16 && code.bytes().all(|b| b.is_ascii_uppercase());
    Failure::Redis {
        kind: error.kind(),
        code: error.code().filter(is_code).map(Into::into),
    }
}

// === impl Failure ===

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Slow => f.write_str("redis: no answer in time"),
            Self::Redis { kind, code: None } => write!(f, "redis: {kind:?}"),
            Self::Redis {
                kind,
                code: Some(code),
            } => write!(f, "redis: {kind:?} ({code})"),
            Self::OtherHour { theirs, ours } => write!(
                f,
                "hour.length is {ours:?}; allowed: {theirs:?}, in which others count under the same prefix"
            ),
        }
    }
}

impl Error for Failure {}
