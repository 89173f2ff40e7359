//! The names of an enterprise and of an API, which together are what WeCom limits.

use std::{fmt, sync::Arc};

use crate::error::Invalid;

/// An enterprise (corp): 1 to 64 letters, digits, `-` and `_`. Cheap to clone.
///
/// Not a secret, but told only in logs and keys, never in labels of metrics: there are 30,000 of them.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct CorpId(Arc<str>);

/// One call of the vendor's interface, by the last part of its path, such as `update_contact_way`.
///
/// WeCom counts each (corp, API) by itself. A label of metrics: made of literals alone, so there are few.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Api(&'static str);

// === impl CorpId ===

impl CorpId {
    /// Returns the id, if it is one.
    ///
    /// # Errors
    ///
    /// If it is empty, longer than 64 bytes, or has a byte that is no letter, digit, `-` or `_`.
    pub fn new(id: &str) -> Result<Self, Invalid> {
        let allowed = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        if id.is_empty() || id.len() > 64 || !id.bytes().all(allowed) {
            let wanted = "1 to 64 letters, digits, '-' and '_'";
            return Err(Invalid::new("corpid", id, wanted));
        }
        Ok(Self(id.into()))
    }

    /// Returns the id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CorpId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

// === impl Api ===

impl Api {
    /// What fetches the token of an enterprise's own app.
    pub const GET_TOKEN: Self = Self("gettoken");
    /// What fetches the token of a third party's app.
    pub const GET_CORP_TOKEN: Self = Self("get_corp_token");

    /// Returns the API of this name.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// Returns the name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
