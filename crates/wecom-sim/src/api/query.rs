//! The query of a path.

use std::borrow::Cow;

/// Returns the value of the first pair of this name, decoded once; `None` also if it is no UTF-8.
pub(crate) fn value<'a>(query: &'a str, name: &str) -> Option<Cow<'a, str>> {
    let mut pairs = query
        .split('&')
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let (_, value) = pairs.find(|(there, _)| *there == name)?;
    decoded(value)
}

fn decoded(value: &str) -> Option<Cow<'_, str>> {
    if !value.bytes().any(|byte| byte == b'%' || byte == b'+') {
        return Some(Cow::Borrowed(value));
    }
    let mut out = Vec::with_capacity(value.len());
    let mut bytes = value.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'+' => b' ',
            b'%' => digit(bytes.next()?)? << 4 | digit(bytes.next()?)?,
            byte => byte,
        });
    }
    String::from_utf8(out).ok().map(Cow::Owned)
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_decoded_once() {
        let query = "a=1&name=%E5%BC%A0%2B+x&empty=&bare";
        assert_eq!(value(query, "a").as_deref(), Some("1"));
        assert_eq!(value(query, "name").as_deref(), Some("张+ x"));
        assert_eq!(value(query, "empty").as_deref(), Some(""));
        assert_eq!(value(query, "bare").as_deref(), Some(""));
        assert_eq!(value(query, "none"), None);
        assert_eq!(value("a=%zz", "a"), None);
        assert_eq!(value("a=%ff", "a"), None);
    }
}
