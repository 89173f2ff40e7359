//! The body of a call, as JSON that borrows from it.

use std::borrow::Cow;

use serde::Deserialize;

/// Text that is borrowed where it holds no escapes.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

// === impl Text ===

impl Text<'_> {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Reads a body.
///
/// # Errors
///
/// 40033 if it has a `\u` escape of what is no ASCII, 40058 if it is no JSON or a value is of a wrong type.
pub(crate) fn body<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, i64> {
    if has_foreign_escape(body) {
        return Err(40033);
    }
    serde_json::from_slice(body).map_err(|_| 40058)
}

/// Whether there is a `\u` escape above 7f, as serializers write that are set to ASCII.
fn has_foreign_escape(body: &[u8]) -> bool {
    let mut at = 0;
    while let Some(found) = body[at..].iter().position(|byte| *byte == b'\\') {
        at += found;
        let escaped = body.get(at + 1..at + 6).filter(|escape| escape[0] == b'u');
        let digits = escaped.and_then(|escape| std::str::from_utf8(&escape[1..]).ok());
        let value = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        if value.is_some_and(|value| value > 0x7f) {
            return true;
        }
        at = (at + 2).min(body.len());
    }
    false
}

/// Whether it has more characters than this.
pub(crate) fn is_longer(text: Option<&Text<'_>>, characters: usize) -> bool {
    text.is_some_and(|text| text.as_str().chars().nth(characters).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_above_ascii_are_found_and_only_they() {
        for (text, foreign) in [
            (r#"{"a":"\u5f20"}"#, true),
            (r#"{"a":"\\\u5f20"}"#, true),
            (r#"{"a":"\\u5f20"}"#, false),
            (r#"{"a":"\u0041\n"}"#, false),
            (r#"{"a":"张"}"#, false),
            (r#"{"a":"\"#, false),
            (r#"{"a":"\u12"#, false),
        ] {
            assert_eq!(has_foreign_escape(text.as_bytes()), foreign, "{text}");
        }
    }
}
