//! A value that is refused before anything is sent.

use std::{error::Error, fmt};

/// A value out of its range: the field, the value (cut to 64 characters), and what is allowed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Invalid {
    field: &'static str,
    value: String,
    allowed: &'static str,
}

// === impl Invalid ===

impl Invalid {
    /// Returns the error of `field`, whose `value` is not among what is `allowed`.
    ///
    /// The value of a field that holds secrets or ids of people must not be given: tell its length or its
    /// number instead.
    #[must_use]
    pub fn new(field: &'static str, value: impl fmt::Display, allowed: &'static str) -> Self {
        let text = value.to_string();
        let value = match text.char_indices().nth(64) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        };
        Self {
            field,
            value,
            allowed,
        }
    }

    /// Returns the name of the field, as WeCom names it where it does.
    #[must_use]
    pub fn field(&self) -> &'static str {
        self.field
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            field,
            value,
            allowed,
        } = self;
        write!(f, "{field} is {value:?}; allowed: {allowed}")
    }
}

impl Error for Invalid {}
