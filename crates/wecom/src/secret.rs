//! What must never be shown: secrets, tokens, keys.

use std::{fmt, sync::Arc};

/// A text that shows itself to nobody: its `Debug` is `Secret(..)`, and it has no `Display`. Cheap to clone.
#[derive(Clone, Eq, PartialEq)]
pub struct Secret(Arc<str>);

// === impl Secret ===

impl Secret {
    /// Returns the text. Whoever calls this must not let it out.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}
