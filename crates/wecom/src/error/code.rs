//! The numbers that WeCom answers with, and the class of each.
//!
//! The numbers and what they mean are from the documentation's list of global error codes (path/90313, of
//! 2026-01-09). The classes are this crate's: what the one who called has to do. Where a number can mean two
//! things, the class is that of the recovery that does the least harm if it is the other:
//!
//! * *40066* (bad list of departments), *60003* and *60123* (no such department): [`Member`](Class::Member), like a bad
//!   list of members. A department that was dissolved is left out the same way; as a fault of the request the
//!   code would never be mended although nothing is wrong with it.
//! * *60011* (no privilege on this member, department or tag): [`Member`](Class::Member). It usually is one member
//!   outside the app's visible range; as the tenant's fault it would stop all codes of the enterprise for him. If it
//!   is the tenant's, reading the members' status fails too.
//! * *40031* (bad list of user ids): [`Member`](Class::Member), as the ids in it are; *40032* (bad length of the list):
//!   [`Request`](Class::Request).
//! * *6000* and *45035* are both two writers of one record: [`Conflict`](Class::Conflict). With one writer a code
//!   neither should appear, so they are worth a look.
//! * *41051*, *60136* and *84061* are about one customer or record and no bug, but like one nothing changes by
//!   repeating: [`Request`](Class::Request).
//! * *40001* (bad secret) to `gettoken`: [`Tenant`](Class::Tenant). Some interfaces answer it to a *token* that is no
//!   good; to any other call it is [`Token`](Class::Token), which only [`Error::class`](super::Error::class) knows.

use std::{fmt, time::Duration};

use super::Class;

/// An `errcode`: kept as the number it is, known or not.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Errcode(pub i64);

// === impl Errcode ===

impl Errcode {
    /// WeCom is busy.
    pub const BUSY: Self = Self(-1);
    /// The secret is wrong; to other calls than `gettoken` also: the token is.
    pub const BAD_SECRET: Self = Self(40001);
    /// The frequency limit of an API.
    pub const FREQUENCY: Self = Self(45009);
    /// The concurrency limit of a (corp, API).
    pub const CONCURRENCY: Self = Self(45033);
    /// Two writes of one record at once.
    pub const CONFLICT: Self = Self(45035);
    /// Access is limited after abnormal traffic.
    pub const ABNORMAL: Self = Self(45036);
    /// The code does not exist.
    pub const NO_SUCH_CODE: Self = Self(41044);

    /// Returns the class of the number.
    #[must_use]
    pub const fn class(self) -> Class {
        match self.0 {
            -1 => Class::Transient,
            // 40014 is also what an expired token often gets. 40082 and 42009: the suite's token.
            40014 | 40082 | 41001 | 42001 | 42009 => Class::Token,
            45009 | 45033 | 45036 => Class::Throttled,
            6000 | 45035 => Class::Conflict,
            41044 => Class::CodeGone,
            // 40084: the permanent code, as after an app was removed.
            40001 | 40013 | 40084 | 41045 | 45024 | 48002 | 48006 | 50003 | 60020 | 301_002
            | 301_007 => Class::Tenant,
            40003 | 40031 | 40066 | 40098 | 40099 | 41054 | 46004 | 50002 | 60003 | 60011
            | 60021 | 60111 | 60123 | 84074 | 92000 | 301_021 => Class::Member,
            40032
            | 40033
            | 40058
            | 40063
            | 40206
            | 41035
            | 41037..=41043
            | 41051
            | 50001
            | 60136
            | 84061 => Class::Request,
            _ => Class::Unknown,
        }
    }

    /// Returns how long to wait before the same call makes sense again.
    ///
    /// | number | wait | source |
    /// |---|---|---|
    /// | 45009 | 60 s | documented: the length of the window that was hit. Which one is not told; if it repeats, it was the hour |
    /// | 45036 | 10 min | assumed: "limited after abnormal traffic", without a time |
    /// | 45033 | 1 s | assumed: until one of the calls in flight is done |
    /// | -1, 6000, 45035 | 1 s | assumed; for -1 the documentation says at most three repeats |
    #[must_use]
    pub const fn retry_after(self) -> Option<Duration> {
        match self.0 {
            45009 => Some(Duration::from_secs(60)),
            45036 => Some(Duration::from_secs(600)),
            -1 | 6000 | 45033 | 45035 => Some(Duration::from_secs(1)),
            _ => None,
        }
    }
}

impl fmt::Display for Errcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
