//! What makes two deliveries the same event.
//!
//! WeCom repeats a callback that is not answered in 5 s, encrypted and signed anew, and its documents advise to
//! tell repetitions by `FromUserName` and `CreateTime`. For customers' events that is `sys` and a time in
//! seconds: of two customers who scan in one second, one would be lost. So the identity covers *everything* the
//! message says: enterprise, event, change, member, customer, time and all the rest. A repetition has the same
//! plaintext and hence the same identity; two events differ in something and hence do not.
//!
//! What people write has a `MsgId`, which is made for this and is taken instead.

use std::fmt;

use super::fields::Fields;
use crate::name::CorpId;

/// The key by which a delivery is told from others: 32 bytes of BLAKE3, shown in hexadecimal.
///
/// The same for the same message in every version: it may be stored.
#[derive(Clone, Copy, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Identity([u8; 32]);

// === impl Identity ===

impl Identity {
    /// Returns the identity of a message.
    #[must_use]
    pub fn of(fields: &Fields) -> Self {
        if let Some(id) = fields.some("MsgId") {
            let all = [fields.get("ToUserName"), fields.get("AgentID"), Some(id)];
            let all = all.map(Option::unwrap_or_default);
            return Self::hash("wecom message 1", all.into_iter());
        }
        // By name, so that the order in which they are written does not matter; stable, so that the order
        // within a list does.
        let mut all: Vec<_> = fields.iter().collect();
        all.sort_by_key(|(name, _)| *name);
        let all = all.into_iter().flat_map(|(name, value)| [name, value]);
        Self::hash("wecom event 1", all)
    }

    pub(super) fn daily(corp: &CorpId, people: [&str; 2], code: &str, day: u64) -> Self {
        let [user, external_user] = people;
        let day = day.to_string();
        let all = [corp.as_str(), user, external_user, code, &day];
        Self::hash("wecom contact of a day 1", all.into_iter())
    }

    /// Hashes texts, each with its length before it, so that none runs into the next.
    fn hash<'a>(what: &str, texts: impl Iterator<Item = &'a str>) -> Self {
        // In one piece: many small ones take the hash twice as long.
        let mut all = Vec::with_capacity(1024);
        all.extend_from_slice(what.as_bytes());
        for text in texts {
            // A `usize` has no more than 64 bits.
            let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
            all.extend_from_slice(&length.to_le_bytes());
            all.extend_from_slice(text.as_bytes());
        }
        Self(blake3::hash(&all).into())
    }

    /// Returns the bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity({self})")
    }
}
