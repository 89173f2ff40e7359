//! Why a callback was not believed: coarse for our own counting, nothing at all for the peer.
//!
//! Whatever depends on a secret gets one answer, 403 with an empty body, so that a forger learns neither how
//! far they came nor, byte by byte, what a ciphertext says. What depends on no secret (no `echostr`, a body too
//! long) gets a status of its own and an empty body too.

use std::{error::Error, fmt};

use http::StatusCode;

/// Why a callback was refused.
///
/// `Display` names what the peer could see for itself; what depends on a secret reads alike.
/// [`reason`](Self::reason) tells all apart, for metrics and our own log.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Rejected {
    /// A parameter of the query is missing, there twice, or malformed: 400.
    Query {
        /// Its name, or `query` for the whole.
        parameter: &'static str,
        /// What is wrong with it.
        fault: QueryFault,
    },
    /// The body is longer than the receiver takes: 413.
    TooLong {
        /// How long it may be, in bytes.
        limit: usize,
    },
    /// The body is no XML with one `Encrypt` in it: 400.
    Envelope,
    /// The signature is not that of any of the keys: 403.
    Signature,
    /// Well signed, but outside the window: a replay, or one of the clocks is wrong. 403.
    Stale,
    /// Well signed, but it does not decrypt to what it must: 403. Look at the EncodingAESKey.
    Cipher,
    /// Encrypted for another receiver: 403. Look at the corp id or suite id.
    ReceiveId,
    /// The corp id or suite id in the message, or around it, is not that of the keys: 403.
    Corp,
    /// Decrypted, but not XML of the kind that WeCom sends: 403.
    Message,
}

/// What is wrong with a parameter.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum QueryFault {
    /// Not there, or empty.
    Missing,
    /// There more than once.
    Repeated,
    /// Not what it must be: bad percent-encoding, or a timestamp that is no number.
    Malformed,
    /// Longer than anything that WeCom sends.
    TooLong,
}

// === impl Rejected ===

impl Rejected {
    /// Returns the status to answer with; the body is to be empty.
    #[must_use]
    pub const fn status(self) -> StatusCode {
        match self {
            Self::Query { .. } | Self::Envelope => StatusCode::BAD_REQUEST,
            Self::TooLong { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Signature
            | Self::Stale
            | Self::Cipher
            | Self::ReceiveId
            | Self::Corp
            | Self::Message => StatusCode::FORBIDDEN,
        }
    }

    /// Returns the reason in one word, for metrics and our own log; not for the peer.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Query { .. } => "query",
            Self::TooLong { .. } => "too_long",
            Self::Envelope => "envelope",
            Self::Signature => "signature",
            Self::Stale => "stale",
            Self::Cipher => "cipher",
            Self::ReceiveId => "receive_id",
            Self::Corp => "corp",
            Self::Message => "message",
        }
    }

    /// Returns whether the peer knew the token, so that the fault is more likely ours than a forger's.
    #[must_use]
    pub const fn was_signed(self) -> bool {
        match self {
            Self::Stale | Self::Cipher | Self::ReceiveId | Self::Corp | Self::Message => true,
            Self::Query { .. } | Self::TooLong { .. } | Self::Envelope | Self::Signature => false,
        }
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Query { parameter, fault } => write!(f, "{parameter} {fault}"),
            Self::TooLong { limit } => write!(f, "the body is longer than {limit} bytes"),
            Self::Envelope => f.write_str("the body is not an encrypted callback"),
            Self::Signature
            | Self::Stale
            | Self::Cipher
            | Self::ReceiveId
            | Self::Corp
            | Self::Message => f.write_str("the callback is refused"),
        }
    }
}

impl Error for Rejected {}

// === impl QueryFault ===

impl fmt::Display for QueryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "is missing",
            Self::Repeated => "is there more than once",
            Self::Malformed => "is malformed",
            Self::TooLong => "is too long",
        })
    }
}
