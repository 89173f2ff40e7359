//! Texts with a limit: what a code is called, and what is said about people.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::Invalid;

/// The name of a channel (`state`): 1 to 30 characters, none of them a control character.
///
/// It comes back as `State` in callbacks and as `state` of the customers that came by the code. Not for ids of
/// people: it is shown in logs.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct State(Box<str>);

/// A note on a code for its owners (`remark`): 1 to 30 characters, none of them a control character.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Remark(Box<str>);

/// A text about a person out of a reply, such as a name or a telephone number. Its `Debug` shows nothing.
#[derive(Clone, Default, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[serde(transparent)]
pub struct Personal(Box<str>);

// === impl State ===

impl State {
    /// Returns the state of this text.
    ///
    /// # Errors
    ///
    /// If it is empty, longer than 30 characters, or has a control character.
    pub fn new(text: impl Into<String>) -> Result<Self, Invalid> {
        line("state", text.into()).map(Self)
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

// === impl Remark ===

impl Remark {
    /// Returns the remark of this text.
    ///
    /// # Errors
    ///
    /// If it is empty, longer than 30 characters, or has a control character.
    pub fn new(text: impl Into<String>) -> Result<Self, Invalid> {
        line("remark", text.into()).map(Self)
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

// === impl Personal ===

impl Personal {
    /// Returns the text. Whoever calls this must not let it out.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Personal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Personal(..)")
    }
}

/// Returns `text` if it has 1 to 30 characters, none of them a control character: JSON would have to
/// escape it as `\u`, which WeCom refuses (40033).
fn line(field: &'static str, text: String) -> Result<Box<str>, Invalid> {
    let characters = text.chars().count();
    if characters == 0 || characters > 30 {
        let what = format_args!("a text of {characters} characters");
        return Err(Invalid::new(field, what, "1 to 30 characters"));
    }
    if text.contains(char::is_control) {
        let wanted = "text without control characters";
        return Err(Invalid::new(
            field,
            "a text with a control character",
            wanted,
        ));
    }
    Ok(text.into())
}

/// Returns `text` if it has 1 to `max` bytes and no control character but those that JSON has a short escape
/// for and people use: line feed, carriage return, tabulator.
pub(super) fn bytes(
    field: &'static str,
    text: String,
    max: usize,
    allowed: &'static str,
) -> Result<Box<str>, Invalid> {
    if text.is_empty() || text.len() > max {
        let what = format_args!("a text of {} bytes", text.len());
        return Err(Invalid::new(field, what, allowed));
    }
    if text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        let wanted = "text without control characters but line feed, carriage return and tabulator";
        return Err(Invalid::new(
            field,
            "a text with a control character",
            wanted,
        ));
    }
    Ok(text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirty_is_counted_in_characters() {
        assert!(State::new("码".repeat(30)).is_ok());
        assert!(State::new("🎉".repeat(30)).is_ok());
        assert_eq!(State::new("码".repeat(31)).unwrap_err().field(), "state");
        assert_eq!(Remark::new("r".repeat(31)).unwrap_err().field(), "remark");
        assert_eq!(Remark::new("").unwrap_err().field(), "remark");
    }

    #[test]
    fn control_characters_are_refused() {
        for text in ["a\nb", "\u{0}", "\u{7f}", "\u{85}"] {
            assert_eq!(State::new(text).unwrap_err().field(), "state", "{text:?}");
        }
        assert!(bytes("text.content", "a\nb\tc\r".into(), 9, "").is_ok());
        assert!(bytes("text.content", "a\u{8}".into(), 9, "").is_err());
    }

    #[test]
    fn what_is_said_of_people_is_not_shown() {
        let name: Personal = serde_json::from_str("\"张三\"").unwrap();
        assert_eq!(format!("{name:?} {}", name.as_str()), "Personal(..) 张三");
    }
}
