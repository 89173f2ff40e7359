//! Why what is shared through a Redis was not to be had, and what of it may be told.

use std::{error::Error, fmt, time::Duration};

use redis::{ErrorKind, RedisError};

/// Why Redis gave no answer, or none that is of use. Never shows a key or a value: a Redis repeats arguments in its errors.
#[derive(Debug)]
pub(crate) enum RedisFailure {
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

// === impl RedisFailure ===

impl fmt::Display for RedisFailure {
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

impl Error for RedisFailure {}

/// Takes out of an error what may be told: its kind, and the code if it is one and no argument.
#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
pub(crate) fn clean(error: RedisError) -> RedisFailure {
    let is_code = |code: &&str| code.len() <= 16 && code.bytes().all(|b| b.is_ascii_uppercase());
    RedisFailure::Redis {
        kind: error.kind(),
        code: error.code().filter(is_code).map(Into::into),
    }
}
