//! The other side: encrypting and signing, for tests, for simulators, and for passive replies.

use std::fmt::Write as _;

use super::{keys::Keys, query};

/// An encrypted and signed message: what the sender of a callback, or of a passive reply, sends.
#[derive(Clone, Debug)]
pub struct Sealed {
    /// The message in base64.
    pub encrypt: String,
    /// The signature.
    pub msg_signature: String,
    /// Seconds since the Unix epoch.
    pub timestamp: String,
    /// The nonce.
    pub nonce: String,
}

// === impl Keys ===

impl Keys {
    /// Encrypts and signs a message with random bytes and a random nonce of 16 hexadecimal digits.
    ///
    /// # Panics
    ///
    /// If `plain` is 4 GiB or longer, which the format has no room to tell.
    #[must_use]
    pub fn seal(&self, plain: &[u8], timestamp: u64) -> Sealed {
        let nonce = format!("{:016x}", rand::random::<u64>());
        self.seal_with(plain, timestamp, &nonce, rand::random())
    }

    /// Encrypts and signs a message with the 16 random bytes given; for tests and simulators, whose output is
    /// to be the same each time.
    ///
    /// # Panics
    ///
    /// If `plain` is 4 GiB or longer, which the format has no room to tell.
    #[must_use]
    pub fn seal_with(&self, plain: &[u8], timestamp: u64, nonce: &str, random: [u8; 16]) -> Sealed {
        let encrypt = self.encrypt(plain, random);
        let encrypt = encrypt.expect("a message shorter than 4 GiB");
        let timestamp = timestamp.to_string();
        let hex = self.sign(&timestamp, nonce, &encrypt);
        Sealed {
            msg_signature: hex.into_iter().map(char::from).collect(),
            encrypt,
            timestamp,
            nonce: nonce.to_owned(),
        }
    }
}

// === impl Sealed ===

impl Sealed {
    /// Returns the query of a callback's `POST`: `msg_signature=…&timestamp=…&nonce=…`, percent-encoded.
    #[must_use]
    pub fn query(&self) -> String {
        let Self {
            encrypt: _,
            msg_signature,
            timestamp,
            nonce,
        } = self;
        let mut out = String::with_capacity(128);
        out.push_str("msg_signature=");
        query::encode(msg_signature, &mut out);
        out.push_str("&timestamp=");
        query::encode(timestamp, &mut out);
        out.push_str("&nonce=");
        query::encode(nonce, &mut out);
        out
    }

    /// Returns the query of the `GET` that verifies an address: the same with `echostr`, whose `+`, `/` and
    /// `=` are percent-encoded.
    #[must_use]
    pub fn echo_query(&self) -> String {
        let mut out = self.query();
        out.push_str("&echostr=");
        query::encode(&self.encrypt, &mut out);
        out
    }

    /// Returns the body of a callback's `POST` as WeCom sends it. `to_user` is the corp id or suite id.
    #[must_use]
    pub fn callback_body(&self, to_user: &str, agent_id: &str) -> String {
        let mut out = String::with_capacity(self.encrypt.len() + 160);
        out.push_str("<xml>");
        element("ToUserName", to_user, &mut out);
        element("AgentID", agent_id, &mut out);
        element("Encrypt", &self.encrypt, &mut out);
        out.push_str("</xml>");
        out
    }

    /// Returns the body of an answer that is a passive reply. Events want none: they are answered with an
    /// empty body.
    #[must_use]
    pub fn reply_body(&self) -> String {
        let mut out = String::with_capacity(self.encrypt.len() + 240);
        out.push_str("<xml>");
        element("Encrypt", &self.encrypt, &mut out);
        element("MsgSignature", &self.msg_signature, &mut out);
        // A bare number, as in WeCom's own; all else is quoted.
        let _ = write!(out, "<TimeStamp>{}</TimeStamp>", self.timestamp);
        element("Nonce", &self.nonce, &mut out);
        out.push_str("</xml>");
        out
    }
}

/// Appends an element whose text is quoted as CDATA, which ends nowhere but at its end.
fn element(name: &str, text: &str, out: &mut String) {
    let text = text.replace("]]>", "]]]]><![CDATA[>");
    let _ = write!(out, "<{name}><![CDATA[{text}]]></{name}>");
}
