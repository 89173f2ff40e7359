//! One call of the interface as a value: what a [`Client`](crate::Client) sends.
//!
//! The calls of this crate are in [`api`](crate::api). One that is missing is added by implementing [`Call`]:
//! it then has its token, its limits and its error classes like the others.
//!
//! ```
//! use serde::Deserialize;
//! use wecom::{Api, Call, Wire, error::Invalid};
//!
//! /// The call for the picture by which people join the enterprise.
//! struct GetJoinQrCode {
//!     size: u8,
//! }
//!
//! #[derive(Deserialize)]
//! struct JoinQrCode {
//!     join_qrcode: String,
//! }
//!
//! impl Call for GetJoinQrCode {
//!     const API: Api = Api::new("corp/get_join_qrcode");
//!     type Reply = JoinQrCode;
//!
//!     fn encode(&self) -> Result<Wire, Invalid> {
//!         if !(1..=4).contains(&self.size) {
//!             return Err(Invalid::new("size_type", self.size, "1 to 4"));
//!         }
//!         let query = vec![("size_type", self.size.to_string())];
//!         Ok(Wire::get("/cgi-bin/corp/get_join_qrcode", query))
//!     }
//! }
//!
//! let wire = GetJoinQrCode { size: 2 }.encode()?;
//! assert_eq!(wire.path, "/cgi-bin/corp/get_join_qrcode");
//! assert!(GetJoinQrCode { size: 5 }.encode().is_err());
//! # Ok::<(), Invalid>(())
//! ```

use std::fmt;

use http::Method;
use serde::de::DeserializeOwned;

use crate::{error::Invalid, name::Api};

/// A call: what is sent, and what comes back.
pub trait Call: Sync {
    /// Its name and what WeCom counts it as.
    const API: Api;

    /// What a successful reply holds besides `errcode` and `errmsg`. Must ignore fields that it does not know.
    ///
    /// A list that the caller will act on should be required: a reply without it is then an error and not
    /// an empty list.
    type Reply: DeserializeOwned + Send;

    /// Returns what is to be sent.
    ///
    /// # Errors
    ///
    /// If a value is out of its range; the error names the field. Nothing is sent then.
    fn encode(&self) -> Result<Wire, Invalid>;
}

/// A call in the form in which it is sent; the token comes to the query later.
///
/// Its `Debug` shows neither the values of the query nor the body: both hold secrets and ids of people.
#[derive(Clone)]
pub struct Wire {
    /// `GET`, or `POST` with a body.
    pub method: Method,
    /// The path, such as `/cgi-bin/externalcontact/get_contact_way`.
    pub path: &'static str,
    /// The query besides the token, not yet encoded.
    pub query: Vec<(&'static str, String)>,
    /// The body, JSON in UTF-8 without `\u` escapes of Chinese.
    pub body: Vec<u8>,
}

// === impl Wire ===

impl Wire {
    /// Returns a `GET` of this path and query.
    #[must_use]
    pub const fn get(path: &'static str, query: Vec<(&'static str, String)>) -> Self {
        Self {
            method: Method::GET,
            path,
            query,
            body: Vec::new(),
        }
    }

    /// Returns a `POST` of `body` as JSON to this path.
    ///
    /// # Errors
    ///
    /// If the body cannot be written as JSON, such as a map whose keys are no text, or only with `\u` escapes,
    /// which control characters need and WeCom refuses (40033).
    pub fn post(path: &'static str, body: &impl serde::Serialize) -> Result<Self, Invalid> {
        let body = serde_json::to_vec(body).map_err(|_| {
            let wanted = "what can be written as JSON";
            Invalid::new("body", "a value that JSON has no form for", wanted)
        })?;
        if has_unicode_escape(&body) {
            let wanted = "text without control characters, for they need \\u escapes";
            return Err(Invalid::new("body", "JSON with a \\u escape", wanted));
        }
        Ok(Self {
            method: Method::POST,
            path,
            query: Vec::new(),
            body,
        })
    }
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.query.iter().map(|(name, _)| name).collect();
        f.debug_struct("Wire")
            .field("method", &self.method)
            .field("path", &self.path)
            .field("query", &names)
            .field("body_bytes", &self.body.len())
            .finish()
    }
}

/// Returns whether a JSON text escapes a character by its number. `\\u` is an escaped backslash before a `u`.
fn has_unicode_escape(json: &[u8]) -> bool {
    let mut bytes = json.iter();
    while let Some(byte) = bytes.next() {
        if *byte == b'\\' && bytes.next() == Some(&b'u') {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn chinese_and_emoji_go_out_as_they_are() {
        let wire = Wire::post("/p", &json!({"remark": "渠道 客户 🎉 \\u \"\n"})).unwrap();
        let text = String::from_utf8(wire.body).unwrap();
        assert_eq!(text, r#"{"remark":"渠道 客户 🎉 \\u \"\n"}"#);
    }

    #[test]
    fn what_needs_a_unicode_escape_is_refused() {
        for text in ["\u{0}", "a\u{1f}b", "\\\u{1}"] {
            let error = Wire::post("/p", &json!({"remark": text})).unwrap_err();
            assert_eq!(error.field(), "body");
        }
    }

    #[test]
    fn what_json_has_no_form_for_is_refused() {
        let map = std::collections::BTreeMap::from([((1, 2), 3)]);
        assert_eq!(Wire::post("/p", &map).unwrap_err().field(), "body");
    }

    #[test]
    fn debug_shows_no_value() {
        let mut wire = Wire::post("/p", &json!({"user": ["zhangsan"]})).unwrap();
        wire.query.push(("corpsecret", "hunter2".to_owned()));
        let text = format!("{wire:?}");
        assert!(
            !text.contains("zhangsan") && !text.contains("hunter2"),
            "{text}"
        );
        assert!(
            text.contains("corpsecret") && text.contains("body_bytes: 21"),
            "{text}"
        );
    }
}
