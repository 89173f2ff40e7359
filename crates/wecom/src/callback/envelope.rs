//! The body around an encrypted message: whom it is for, and the message.
//!
//! Nothing of it is signed but the message, so nothing else is believed: that it names the right receiver is
//! checked against the message once that is decrypted.

use super::{fields::Fields, rejected::Rejected, xml};

/// The body of a callback's `POST`.
#[derive(Debug)]
pub(super) struct Envelope {
    fields: Fields,
}

// === impl Envelope ===

impl Envelope {
    /// Reads a body. There must be one `Encrypt`, and at most one of the others.
    pub(super) fn parse(body: &[u8]) -> Result<Self, Rejected> {
        let text = std::str::from_utf8(body).map_err(|_| Rejected::Envelope)?;
        let fields = xml::parse(text).map_err(|_| Rejected::Envelope)?;
        let envelope = Self {
            fields: fields.into(),
        };
        let count = |wanted| {
            envelope
                .fields
                .iter()
                .filter(|(name, _)| *name == wanted)
                .count()
        };
        if count("Encrypt") != 1 || count("ToUserName") > 1 || count("AgentID") > 1 {
            return Err(Rejected::Envelope);
        }
        Ok(envelope)
    }

    /// The message in base64.
    pub(super) fn encrypt(&self) -> &str {
        self.fields.get("Encrypt").unwrap_or_default()
    }

    /// The corp id or suite id.
    pub(super) fn to_user(&self) -> Option<&str> {
        self.fields.some("ToUserName")
    }

    pub(super) fn agent(&self) -> Option<&str> {
        self.fields.some("AgentID")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wants_one_message_and_no_second_receiver() {
        let body = b"<xml><ToUserName><![CDATA[ww1]]></ToUserName><Encrypt>abc=</Encrypt>\
            <AgentID></AgentID></xml>";
        let envelope = Envelope::parse(body).unwrap();
        assert_eq!(envelope.encrypt(), "abc=");
        assert_eq!(envelope.to_user(), Some("ww1"));
        assert_eq!(envelope.agent(), None);

        for body in [
            &b"<xml></xml>"[..],
            b"<xml><Encrypt>a</Encrypt><Encrypt>a</Encrypt></xml>",
            b"<xml><Encrypt>a</Encrypt><ToUserName>a</ToUserName><ToUserName/></xml>",
            b"<xml><In><Encrypt>a</Encrypt></In></xml>",
            b"<xml><Encrypt>\xff</Encrypt></xml>",
            b"{\"encrypt\":\"a\"}",
        ] {
            assert_eq!(Envelope::parse(body).unwrap_err(), Rejected::Envelope);
        }
    }
}
