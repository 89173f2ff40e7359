//! What can go wrong with a call, and what to do about it.
//!
//! An [`Error`] has one [`Class`], and the class says what to do. `errcode` is kept as the number it is;
//! `errmsg` is text for people that may change, and is never looked at but for its `hint`, which
//! WeCom's support asks for, and for the one warning that stands nowhere else.
//!
//! No error shows a token, a secret or the id of a person, in neither `Display` nor `Debug`. Errors of
//! transports and stores may hold any of these in their texts, so [`Error::new`] keeps of them only what is known to
//! hold nothing of a request: what the operating system, hyper, rustls and tokio say.

use std::{error::Error as StdError, fmt, sync::Arc, time::Duration};

use crate::name::Api;

mod cause;
mod class;
mod code;
mod hint;
mod invalid;
mod plain;
#[cfg(feature = "redis")]
mod shared;
#[cfg(test)]
mod tests;

use self::cause::Cause;
#[cfg(feature = "redis")]
pub(crate) use self::shared::{RedisFailure, clean};
pub(crate) use self::{cause::TimedOut, hint::find_hint};
pub use self::{
    class::{Action, Class},
    code::Errcode,
    invalid::Invalid,
    plain::Plain,
};

/// Any error that can be sent to another thread: what a transport fails with.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// Why a call did not do what it was to do. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Error {
    api: Api,
    kind: Arc<Kind>,
    /// Known to whoever made it, and not from the kind.
    retry_after: Option<Duration>,
}

/// What happened.
#[derive(Debug)]
#[non_exhaustive]
pub enum Kind {
    /// The request is wrong and was not sent.
    Invalid(Invalid),
    /// WeCom answered with an `errcode`.
    Refused(Refused),
    /// WeCom answered 0 with `Warning: wrong json format.`: a part of the body was not applied.
    PartlyApplied {
        /// What to tell WeCom's support.
        hint: Option<Box<str>>,
    },
    /// Not sent: there was no connection, for want of a name, a listener or a certificate that is trusted. Only of a
    /// transport that says so, as `Https` does; of others it is [`Lost`](Self::Lost).
    NotConnected(BoxError),
    /// No answer came: the connection broke or time ran out. The call may have been applied.
    Lost(BoxError),
    /// What came is no answer of WeCom's: an HTML page, a torn body, too long a one.
    Unreadable(Unreadable),
    /// Not sent: the limits leave no room within the time that the caller can wait.
    Limited {
        /// When there may be room again.
        retry_after: Duration,
    },
    /// Not sent: the level inferred of this (corp, API) withholds calls of this priority.
    #[cfg(feature = "dagor")]
    Withheld(dagor::Withheld),
    /// Not sent: there is no token to be had now, because of what happened when one was fetched.
    NoToken(NoToken),
    /// Not sent: the store or limiter that processes share did not answer, or gave no leave.
    Shared(BoxError),
}

/// An answer with an `errcode` that is neither absent nor 0.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Refused {
    /// The number.
    pub errcode: Errcode,
    /// What to tell WeCom's support.
    pub hint: Option<Box<str>>,
}

/// A reply that cannot be read.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Unreadable {
    /// The HTTP status.
    pub status: u16,
    /// What is wrong with it; never a piece of it.
    pub why: &'static str,
}

/// Why there is no token.
#[derive(Debug)]
#[non_exhaustive]
pub enum NoToken {
    /// Fetching one failed.
    Fetch(Error),
    /// The secret was refused; nothing is fetched before `retry_after` has passed, to spare the address that
    /// all tenants share from being banned for an hour.
    Breaker {
        /// When the secret is tried again.
        retry_after: Duration,
        /// What was answered last.
        errcode: Errcode,
    },
    /// None came within the time that the caller can wait.
    Late {
        /// How long that was.
        patience: Duration,
    },
    /// The third party's own token, with which one is fetched, could not be had.
    Suite(BoxError),
    /// No token may be fetched now: too many were within a minute, because somebody else keeps killing them; or too many
    /// secrets were refused to the address that all tenants share, or WeCom has banned it
    /// ([`Egress`](crate::token::Egress)).
    TooMany {
        /// When one may be fetched again.
        retry_after: Duration,
    },
}

// === impl Error ===

impl Error {
    /// Returns the error of a call to `api`.
    ///
    /// Of an error that comes from elsewhere only that part of the text is kept that is known to hold nothing of a
    /// request, so it cannot be downcast afterwards.
    #[must_use]
    pub fn new(api: Api, kind: Kind) -> Self {
        let told = |error: BoxError| -> BoxError { Box::new(Cause::of(&*error)) };
        let kind = match kind {
            Kind::NotConnected(error) => Kind::NotConnected(told(error)),
            Kind::Lost(error) => Kind::Lost(told(error)),
            Kind::Shared(error) => Kind::Shared(told(error)),
            Kind::NoToken(NoToken::Suite(error)) => Kind::NoToken(NoToken::Suite(told(error))),
            other => other,
        };
        Self {
            api,
            kind: Arc::new(kind),
            retry_after: None,
        }
    }

    /// Returns the same with how long to wait, which does not follow from what happened.
    pub(crate) fn with_retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// Returns the same as the error of a call to `api`: what became of a token is what became of those that wait
    /// for it.
    pub(crate) fn of(mut self, api: Api) -> Self {
        self.api = api;
        self
    }

    /// Returns the API that was called.
    #[must_use]
    pub const fn api(&self) -> Api {
        self.api
    }

    /// Returns what happened.
    #[must_use]
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Returns the class, from which follows what to do.
    #[must_use]
    pub fn class(&self) -> Class {
        class::of(self.api(), self.kind())
    }

    /// Returns what to do about it; follows from the [class](Self::class).
    #[must_use]
    pub fn action(&self) -> Action {
        self.class().action()
    }

    /// Returns the `errcode`, if WeCom gave one: to this call, or to the one for its token.
    #[must_use]
    pub fn errcode(&self) -> Option<Errcode> {
        match self.kind() {
            Kind::Refused(refused) => Some(refused.errcode),
            Kind::NoToken(NoToken::Fetch(error)) => error.errcode(),
            Kind::NoToken(NoToken::Breaker { errcode, .. }) => Some(*errcode),
            _ => None,
        }
    }

    /// Returns how long to wait before the same call makes sense again, where that is known.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        if self.retry_after.is_some() {
            return self.retry_after;
        }
        match self.kind() {
            Kind::Refused(refused) => refused.errcode.retry_after(),
            Kind::Limited { retry_after }
            | Kind::NoToken(
                NoToken::Breaker { retry_after, .. } | NoToken::TooMany { retry_after },
            ) => Some(*retry_after),
            Kind::NoToken(NoToken::Fetch(error)) => error.retry_after(),
            #[cfg(feature = "dagor")]
            Kind::Withheld(withheld) => withheld.retry_after(),
            _ => None,
        }
    }

    /// Returns what to tell WeCom's support, if WeCom gave it.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self.kind() {
            Kind::Refused(Refused { hint, .. }) | Kind::PartlyApplied { hint } => hint.as_deref(),
            Kind::NoToken(NoToken::Fetch(error)) => error.hint(),
            _ => None,
        }
    }

    /// Returns whether WeCom may have done what was asked although the call failed.
    ///
    /// Then `add_contact_way` must not simply be repeated: look for an orphan first. Never of a fetch of a token, which
    /// changes nothing that is a caller's, nor of a call for which no token was got. The text says the same.
    #[must_use]
    pub fn may_have_been_applied(&self) -> bool {
        let perhaps = matches!(
            self.kind(),
            Kind::Lost(_) | Kind::Unreadable(_) | Kind::PartlyApplied { .. }
        );
        perhaps && !class::is_fetch(self.api())
    }

    /// Returns what the text ends with where it is not known whether WeCom has done what was asked.
    fn perhaps(&self) -> &'static str {
        if self.may_have_been_applied() {
            "; it may have been applied"
        } else {
            ""
        }
    }
}

/// Returns the first `E` in the chain of causes that begins with `error`.
#[cfg(any(feature = "dagor", feature = "https"))]
pub(crate) fn find<'a, E: StdError + 'static>(
    error: &'a (dyn StdError + 'static),
) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = cause::cause_of(error);
    }
    None
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let api = self.api();
        match self.kind() {
            Kind::Invalid(invalid) => write!(f, "{api}: {invalid}"),
            Kind::Refused(refused) => {
                write!(f, "{api}: errcode {} ({})", refused.errcode, self.class())
            }
            Kind::PartlyApplied { .. } => {
                let what = if self.may_have_been_applied() {
                    "not applied"
                } else {
                    "not read"
                };
                write!(f, "{api}: a part of the body was {what}")
            }
            Kind::NotConnected(_) => write!(f, "{api}: not sent, no connection"),
            Kind::Lost(_) => write!(f, "{api}: no answer{}", self.perhaps()),
            Kind::Unreadable(Unreadable { status, why }) => {
                let perhaps = self.perhaps();
                write!(f, "{api}: not an answer (HTTP {status}): {why}{perhaps}")
            }
            Kind::Limited { retry_after } => {
                write!(f, "{api}: not sent, no room for another {retry_after:?}")
            }
            #[cfg(feature = "dagor")]
            Kind::Withheld(_) => write!(f, "{api}: not sent, withheld for more important calls"),
            Kind::NoToken(NoToken::Fetch(error)) => {
                write!(f, "{api}: no token: {error}")?;
                match self.retry_after {
                    Some(wait) => write!(f, "; tried again in {wait:?}"),
                    None => Ok(()),
                }
            }
            Kind::NoToken(NoToken::Breaker {
                retry_after,
                errcode,
            }) => write!(
                f,
                "{api}: not sent, the secret was refused with errcode {errcode}; tried again in {retry_after:?}"
            ),
            Kind::NoToken(NoToken::Late { patience }) => {
                write!(f, "{api}: not sent, no token within {patience:?}")
            }
            Kind::NoToken(NoToken::Suite(_)) => {
                write!(
                    f,
                    "{api}: not sent, the token of the third party could not be had"
                )
            }
            Kind::NoToken(NoToken::TooMany { retry_after }) => write!(
                f,
                "{api}: not sent, no token may be fetched for another {retry_after:?}"
            ),
            Kind::Shared(_) => write!(f, "{api}: not sent, what processes share gave no leave"),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self.kind() {
            Kind::Invalid(invalid) => Some(invalid),
            Kind::NotConnected(error)
            | Kind::Lost(error)
            | Kind::Shared(error)
            | Kind::NoToken(NoToken::Suite(error)) => Some(&**error),
            // Its own text is a part of this one.
            Kind::NoToken(NoToken::Fetch(error)) => error.source(),
            #[cfg(feature = "dagor")]
            Kind::Withheld(withheld) => Some(withheld),
            _ => None,
        }
    }
}
