//! The ids of people, which show themselves to nobody.

use std::fmt;

/// The `UserID` of a member. `Debug` does not show it, and there is no `Display`.
#[derive(Clone, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct UserId(Box<str>);

/// The `ExternalUserID` of a customer. `Debug` does not show it, and there is no `Display`.
#[derive(Clone, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ExternalUserId(Box<str>);

// === impl UserId ===

impl UserId {
    /// Returns the id. Whoever calls this must keep it out of logs.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for UserId {
    fn from(id: &str) -> Self {
        Self(id.into())
    }
}

impl fmt::Debug for UserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UserId(..)")
    }
}

// === impl ExternalUserId ===

impl ExternalUserId {
    /// Returns the id. Whoever calls this must keep it out of logs.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for ExternalUserId {
    fn from(id: &str) -> Self {
        Self(id.into())
    }
}

impl fmt::Debug for ExternalUserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ExternalUserId(..)")
    }
}
