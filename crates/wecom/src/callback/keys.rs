//! The three values that both sides know, and what is checked before a message is believed.
//!
//! First the signature, then the ciphertext: see [`open`](Keys::open). Everything is checked when the keys are
//! made, so that a wrong setting fails at the start with its name, and not at the first callback with a
//! refusal that could mean anything.

use std::{fmt, sync::Arc};

use base64::{
    Engine,
    alphabet::STANDARD as ALPHABET,
    engine::{
        DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig,
        general_purpose::STANDARD as BASE64,
    },
};

use super::{
    cipher::{Broken, Cipher},
    rejected::Rejected,
    signature::{self, Hex},
};
use crate::error::Invalid;

/// The token, the key and the receiver's id of one callback address. Cheap to clone; shows itself to nobody.
#[derive(Clone)]
pub struct Keys(Arc<Inner>);

struct Inner {
    token: Box<str>,
    cipher: Cipher,
    receive_id: Box<str>,
}

/// What comes in the query beside the message.
#[derive(Clone, Copy, Debug)]
pub struct Signed<'a> {
    /// `msg_signature`: SHA-1 in lower-case hexadecimal.
    pub msg_signature: &'a str,
    /// `timestamp`: seconds since the Unix epoch, in decimal.
    pub timestamp: &'a str,
    /// `nonce`.
    pub nonce: &'a str,
}

/// For the key and nothing else: 43 characters hold 258 bits, of which the last two are lost, and WeCom does
/// not care what they are. A strict decoder refuses three keys of four.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &ALPHABET,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::RequireNone)
        .with_decode_allow_trailing_bits(true),
);

// === impl Keys ===

impl Keys {
    /// Returns the keys of a callback address.
    ///
    /// `receive_id` is the corp id for an app of an enterprise, the suite id for the callbacks of a third
    /// party's suite, and empty for a third party that is a person.
    ///
    /// # Errors
    ///
    /// If `token` is not 1 to 32 letters and digits, `encoding_aes_key` not 43 of them, or `receive_id` not
    /// up to 64 letters, digits, `-` and `_`. The error tells lengths, never the values.
    pub fn new(token: &str, encoding_aes_key: &str, receive_id: &str) -> Result<Self, Invalid> {
        let plain = |c: char| c.is_ascii_alphanumeric();
        let id = |c: char| plain(c) || c == '-' || c == '_';
        check("Token", token, 1..=32, plain, "1 to 32 letters and digits")?;
        let wanted = "43 letters and digits";
        check("EncodingAESKey", encoding_aes_key, 43..=43, plain, wanted)?;
        let allowed = "none, or up to 64 letters, digits, '-' and '_'";
        check("receive_id", receive_id, 0..=64, id, allowed)?;

        // 43 letters and digits are always 32 bytes; the check is for whoever changes the one above.
        let decoded = LENIENT.decode(encoding_aes_key).ok();
        let key = decoded.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        let key = key.ok_or_else(|| Invalid::new("EncodingAESKey", "not base64", wanted))?;
        Ok(Self(Arc::new(Inner {
            token: token.into(),
            cipher: Cipher::new(key),
            receive_id: receive_id.into(),
        })))
    }

    /// Returns whom messages must be meant for: a corp id, a suite id, or nothing.
    #[must_use]
    pub fn receive_id(&self) -> &str {
        &self.0.receive_id
    }

    /// Verifies the signature of an encrypted message, in constant time.
    ///
    /// # Errors
    ///
    /// [`Rejected::Signature`].
    pub fn verify(&self, signed: &Signed<'_>, encrypt: &str) -> Result<(), Rejected> {
        let ours = self.sign(signed.timestamp, signed.nonce, encrypt);
        if signature::same(&ours, signed.msg_signature) {
            Ok(())
        } else {
            Err(Rejected::Signature)
        }
    }

    /// Verifies an encrypted message (the base64 text) and only then decrypts it.
    ///
    /// Says nothing of when it was sent: that is a [`Receiver`](super::Receiver)'s business.
    ///
    /// # Errors
    ///
    /// [`Rejected::Signature`], [`Rejected::Cipher`] or [`Rejected::ReceiveId`]; a peer must not learn which.
    pub fn open(&self, signed: &Signed<'_>, encrypt: &str) -> Result<Vec<u8>, Rejected> {
        self.verify(signed, encrypt)?;
        let sealed = BASE64.decode(encrypt).map_err(|_| Rejected::Cipher)?;
        let plain = self.0.cipher.decrypt(sealed, self.receive_id());
        plain.map_err(|broken| match broken {
            Broken::ReceiveId => Rejected::ReceiveId,
            Broken::Length | Broken::Padding | Broken::Layout => Rejected::Cipher,
        })
    }

    pub(super) fn sign(&self, timestamp: &str, nonce: &str, encrypt: &str) -> Hex {
        signature::sign(&self.0.token, timestamp, nonce, encrypt)
    }

    /// Returns the base64 text of an encrypted message; `None` if it is 4 GiB or longer.
    pub(super) fn encrypt(&self, plain: &[u8], random: [u8; 16]) -> Option<String> {
        let sealed = self.0.cipher.encrypt(random, plain, self.receive_id())?;
        Some(BASE64.encode(sealed))
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keys(..)")
    }
}

/// Checks a setting without ever showing it.
fn check(
    field: &'static str,
    value: &str,
    lengths: std::ops::RangeInclusive<usize>,
    allowed: impl Fn(char) -> bool,
    wanted: &'static str,
) -> Result<(), Invalid> {
    let length = value.chars().count();
    let odd = value.chars().filter(|c| !allowed(*c)).count();
    if !lengths.contains(&length) {
        return Err(Invalid::new(
            field,
            format_args!("{length} characters"),
            wanted,
        ));
    }
    if odd > 0 {
        let found = format_args!("{length} characters, {odd} of another kind");
        return Err(Invalid::new(field, found, wanted));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C";

    #[test]
    fn a_wrong_setting_is_named_with_its_range_and_never_shown() {
        let long = "t".repeat(33);
        let cut = &KEY[1..];
        let plus = format!("{}+", &KEY[1..]);
        let id = "w".repeat(65);
        for (token, key, id, field, found) in [
            ("", KEY, "", "Token", "0 characters"),
            (&*long, KEY, "", "Token", "33 characters"),
            (
                "se cret!",
                KEY,
                "",
                "Token",
                "8 characters, 2 of another kind",
            ),
            ("tök", KEY, "", "Token", "3 characters, 1 of another kind"),
            ("t", "", "", "EncodingAESKey", "0 characters"),
            ("t", cut, "", "EncodingAESKey", "42 characters"),
            (
                "t",
                &plus,
                "",
                "EncodingAESKey",
                "43 characters, 1 of another kind",
            ),
            ("t", KEY, &id, "receive_id", "65 characters"),
            (
                "t",
                KEY,
                "a b",
                "receive_id",
                "3 characters, 1 of another kind",
            ),
        ] {
            let error = Keys::new(token, key, id).unwrap_err();
            assert_eq!(error.field(), field);
            let text = format!("{error} {error:?}");
            assert!(text.contains(found), "{text}");
            for secret in [token, key, id].into_iter().filter(|s| s.len() > 1) {
                assert!(!text.contains(secret), "{text}");
            }
        }
    }

    #[test]
    fn keys_show_nothing() {
        let keys = Keys::new("QDG6eK", KEY, "wx5823bf96d3bd56c7").unwrap();
        assert_eq!(format!("{keys:?}"), "Keys(..)");
    }
}
