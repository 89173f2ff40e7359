//! The query of a callback, decoded exactly once.
//!
//! WeCom percent-encodes the values, so that base64's `+` comes as `%2B`. Who decodes twice, or as a form,
//! turns it into a space and finds every fourth signature wrong. Here a `+` stays a `+`, also where a proxy
//! has decoded `%2B` on the way: a space occurs in none of the values.
//!
//! Each parameter must be there once: of two, a proxy may have checked one and we take the other.

use std::borrow::Cow;

use super::{
    keys::Signed,
    rejected::{QueryFault, Rejected},
};

/// The parameters of a callback.
#[derive(Debug)]
pub(super) struct Query<'a> {
    msg_signature: Cow<'a, str>,
    timestamp: Cow<'a, str>,
    nonce: Cow<'a, str>,
    echostr: Option<Cow<'a, str>>,
    /// `timestamp`, in seconds since the Unix epoch.
    pub(super) sent: u64,
}

/// How long a query may be, in bytes. WeCom's have up to about 400.
const LONGEST: usize = 4096;

// === impl Query ===

impl<'a> Query<'a> {
    /// Reads what stands behind the `?`, with or without it. Other parameters are let be: an address may
    /// have some of its own.
    pub(super) fn parse(raw: &'a str) -> Result<Self, Rejected> {
        if raw.len() > LONGEST {
            return Err(rejected("query", QueryFault::TooLong));
        }
        let [mut msg_signature, mut timestamp, mut nonce, mut echostr] = [const { None }; 4];
        for pair in raw.strip_prefix('?').unwrap_or(raw).split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (parameter, slot) = match name {
                "msg_signature" => ("msg_signature", &mut msg_signature),
                "timestamp" => ("timestamp", &mut timestamp),
                "nonce" => ("nonce", &mut nonce),
                "echostr" => ("echostr", &mut echostr),
                _ => continue,
            };
            if slot.is_some() {
                return Err(rejected(parameter, QueryFault::Repeated));
            }
            let value = decode(value);
            *slot = Some(value.ok_or_else(|| rejected(parameter, QueryFault::Malformed))?);
        }
        let timestamp = there("timestamp", timestamp)?;
        let sent = seconds(&timestamp);
        Ok(Self {
            msg_signature: there("msg_signature", msg_signature)?,
            nonce: there("nonce", nonce)?,
            echostr,
            sent: sent.ok_or_else(|| rejected("timestamp", QueryFault::Malformed))?,
            timestamp,
        })
    }

    /// Returns what the signature is made over, besides the message.
    pub(super) fn signed(&self) -> Signed<'_> {
        Signed {
            msg_signature: &self.msg_signature,
            timestamp: &self.timestamp,
            nonce: &self.nonce,
        }
    }

    /// Returns the message of the `GET` that verifies an address.
    pub(super) fn echostr(&self) -> Result<&str, Rejected> {
        let echostr = self.echostr.as_deref().filter(|value| !value.is_empty());
        echostr.ok_or_else(|| rejected("echostr", QueryFault::Missing))
    }
}

/// Appends `value` percent-encoded: all but letters, digits and `-._~`.
pub(super) fn encode(value: &str, out: &mut String) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 0xf)]));
        }
    }
}

/// Decodes percent-encoding; `None` if it is not well formed, or not UTF-8.
fn decode(value: &str) -> Option<Cow<'_, str>> {
    let Some((mut plain, mut rest)) = value.split_once('%') else {
        return Some(Cow::Borrowed(value));
    };
    let mut out = Vec::with_capacity(value.len());
    loop {
        out.extend_from_slice(plain.as_bytes());
        let (pair, after) = rest.as_bytes().split_first_chunk::<2>()?;
        out.push(nibble(pair[0])? << 4 | nibble(pair[1])?);
        // Two hexadecimal digits were cut off, so this cuts no character in two.
        rest = std::str::from_utf8(after).ok()?;
        match rest.split_once('%') {
            Some(parts) => (plain, rest) = parts,
            None => break,
        }
    }
    out.extend_from_slice(rest.as_bytes());
    String::from_utf8(out).ok().map(Cow::Owned)
}

fn nibble(digit: u8) -> Option<u8> {
    let value = char::from(digit).to_digit(16)?;
    u8::try_from(value).ok()
}

fn seconds(text: &str) -> Option<u64> {
    // `parse` alone takes a sign too.
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

fn there<'a>(
    parameter: &'static str,
    value: Option<Cow<'a, str>>,
) -> Result<Cow<'a, str>, Rejected> {
    let value = value.filter(|value| !value.is_empty());
    value.ok_or_else(|| rejected(parameter, QueryFault::Missing))
}

const fn rejected(parameter: &'static str, fault: QueryFault) -> Rejected {
    Rejected::Query { parameter, fault }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "msg_signature=ab&timestamp=17&nonce=x&echostr=a%2Bb%2Fc%3D%3D";

    #[test]
    fn decodes_exactly_once_and_keeps_a_bare_plus() {
        let query = Query::parse(GOOD).unwrap();
        assert_eq!(query.echostr().unwrap(), "a+b/c==");
        assert_eq!(query.sent, 17);

        let query = Query::parse("?nonce=%252B&echostr=a+b/c==&timestamp=017&msg_signature=ab");
        let query = query.unwrap();
        assert_eq!(query.echostr().unwrap(), "a+b/c==");
        assert_eq!(query.signed().nonce, "%2B");
        assert_eq!(query.signed().timestamp, "017", "signed as it came");
    }

    #[test]
    fn what_is_encoded_decodes_to_itself() {
        let text = "a+b/c== %&\u{1f600}密";
        let mut out = String::new();
        encode(text, &mut out);
        assert!(
            out.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'%'),
            "{out}"
        );
        assert_eq!(decode(&out).unwrap(), text);
    }

    #[test]
    fn names_the_parameter_that_is_missing_repeated_or_malformed() {
        use QueryFault::{Malformed, Missing, Repeated, TooLong};
        let long = format!("{GOOD}&x={}", "y".repeat(LONGEST));
        for (raw, parameter, fault) in [
            ("", "timestamp", Missing),
            ("timestamp=1&nonce=x", "msg_signature", Missing),
            ("timestamp=1&msg_signature=a", "nonce", Missing),
            ("timestamp=1&msg_signature=a&nonce=", "nonce", Missing),
            ("timestamp&msg_signature=a&nonce=x", "timestamp", Missing),
            ("timestamp=1&timestamp=1&nonce=x", "timestamp", Repeated),
            ("nonce=x&nonce=&timestamp=1", "nonce", Repeated),
            ("echostr=&echostr=x", "echostr", Repeated),
            ("echostr=%", "echostr", Malformed),
            ("echostr=%2", "echostr", Malformed),
            ("echostr=%2%2B", "echostr", Malformed),
            ("echostr=%+1", "echostr", Malformed),
            ("echostr=%é", "echostr", Malformed),
            ("nonce=%ff", "nonce", Malformed),
            (
                "timestamp=%2B1&nonce=x&msg_signature=a",
                "timestamp",
                Malformed,
            ),
            (
                "timestamp=-1&nonce=x&msg_signature=a",
                "timestamp",
                Malformed,
            ),
            (
                "timestamp=99999999999999999999&nonce=x&msg_signature=a",
                "timestamp",
                Malformed,
            ),
            (&long, "query", TooLong),
        ] {
            let expected = Rejected::Query { parameter, fault };
            assert_eq!(Query::parse(raw).unwrap_err(), expected, "{raw}");
        }
        let post = Query::parse("timestamp=1&nonce=x&msg_signature=a").unwrap();
        let expected = "echostr is missing";
        assert_eq!(post.echostr().unwrap_err().to_string(), expected);
    }
}
