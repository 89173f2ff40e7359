//! The classes of errors, each with what is to be done.

use std::fmt;

use super::{Errcode, Kind, NoToken};
use crate::name::Api;

/// What kind of trouble it is; what to do follows from it alone.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Class {
    /// It may go well next time: repeat it later, a few times, with a wait that grows.
    Transient,
    /// A limit was hit: repeat it after [`retry_after`](super::Error::retry_after), not before.
    Throttled,
    /// The token was refused, and the one fetched for it too: repeat it later.
    Token,
    /// The tenant's settings are wrong, or its permission is gone: pause the tenant and tell its
    /// administrator.
    Tenant,
    /// At least one member (or department) of the list is not fit, and WeCom does not say which: read the
    /// members' status, leave the unfit out, push the rest.
    Member,
    /// The code does not exist any more: forget it, never repeat.
    CodeGone,
    /// The request cannot be done: a bug, or what it names is not what it takes it for. Repeating it changes
    /// nothing.
    Request,
    /// Two writers changed one record at once: read again, then repeat.
    Conflict,
    /// An `errcode` that this version does not know. Treat it as [`Request`](Self::Request), and look it up.
    Unknown,
}

/// What to do about an error; follows from its [`Class`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// Repeat it later, a few times, with a wait that grows.
    Repeat,
    /// Repeat it when the time that the error tells is over, not before.
    Wait,
    /// Read or compute again what is to be written, then repeat.
    Recompute,
    /// Stop all calls of the tenant and tell its administrator.
    PauseTenant,
    /// Read the members' status, leave the unfit out, push the rest.
    CheckMembers,
    /// Forget the code: it is gone.
    ForgetCode,
    /// Give up this call and have somebody look at it.
    Fix,
}

// === impl Class ===

impl Class {
    /// All of them, in the order of the table in the documentation.
    pub const ALL: [Self; 9] = [
        Self::Transient,
        Self::Throttled,
        Self::Token,
        Self::Tenant,
        Self::Member,
        Self::CodeGone,
        Self::Request,
        Self::Conflict,
        Self::Unknown,
    ];

    /// Returns the name, as in metrics and logs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Transient => "transient",
            Self::Throttled => "throttled",
            Self::Token => "token",
            Self::Tenant => "tenant",
            Self::Member => "member",
            Self::CodeGone => "code_gone",
            Self::Request => "request",
            Self::Conflict => "conflict",
            Self::Unknown => "unknown",
        }
    }

    /// Returns what is to be done.
    #[must_use]
    pub const fn action(self) -> Action {
        match self {
            Self::Transient | Self::Token => Action::Repeat,
            Self::Throttled => Action::Wait,
            Self::Conflict => Action::Recompute,
            Self::Tenant => Action::PauseTenant,
            Self::Member => Action::CheckMembers,
            Self::CodeGone => Action::ForgetCode,
            Self::Request | Self::Unknown => Action::Fix,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns whether it gives a token out, for a secret or a permanent code.
pub(super) fn is_fetch(api: Api) -> bool {
    api == Api::GET_TOKEN || api == Api::GET_CORP_TOKEN
}

/// Returns the class of what happened to a call to `api`.
pub(super) fn of(api: Api, kind: &Kind) -> Class {
    match kind {
        // Only where the secret was sent can it be what is wrong.
        Kind::Refused(refused) if refused.errcode == Errcode::BAD_SECRET => {
            if is_fetch(api) {
                Class::Tenant
            } else {
                Class::Token
            }
        }
        Kind::Refused(refused) => refused.errcode.class(),
        Kind::Invalid(_) | Kind::PartlyApplied { .. } => Class::Request,
        Kind::NotConnected(_)
        | Kind::Lost(_)
        | Kind::Unreadable(_)
        | Kind::Shared(_)
        | Kind::NoToken(NoToken::Late { .. } | NoToken::Suite(_)) => Class::Transient,
        Kind::Limited { .. } | Kind::NoToken(NoToken::TooMany { .. }) => Class::Throttled,
        #[cfg(feature = "dagor")]
        Kind::Withheld(_) => Class::Throttled,
        // Whatever refuses a secret opens the breaker, which is the tenant's; and no member or code was named.
        Kind::NoToken(NoToken::Fetch(error)) => match (error.errcode(), error.class()) {
            (Some(_), Class::Member | Class::CodeGone | Class::Request | Class::Unknown) => {
                Class::Tenant
            }
            (_, class) => class,
        },
        Kind::NoToken(NoToken::Breaker { .. }) => Class::Tenant,
    }
}
