//! An answer's envelope: what is success, what is refused, and what is no answer of WeCom's.
//!
//! Success is an `errcode` that is absent or 0: `get_corp_token` has one only when it fails. A number in
//! quotes is taken as the number; anything else in its place makes the answer unreadable, as a guess
//! would take a refusal for success.
//!
//! `errmsg` is text for people and is never branched on, with one exception, for what stands nowhere else:
//! `errcode` 0 with `Warning: wrong json format.` says that a part of the body was not applied. Taken as success it
//! would leave a code with another list than the one recorded.

use bytes::Bytes;
use http::{Response, StatusCode};
use serde::{Deserialize, de::DeserializeOwned};

use self::scalar::Scalar;
use crate::error::{Errcode, Kind, Refused, Unreadable, find_hint};

mod scalar;

/// The two fields that every answer may have. Wider than documented, so that an odd one is told apart from none.
#[derive(Deserialize)]
struct Envelope {
    #[serde(default)]
    errcode: Scalar,
    #[serde(default)]
    errmsg: Scalar,
}

/// Reads an answer.
///
/// # Errors
///
/// [`Kind::Refused`], [`Kind::PartlyApplied`] or [`Kind::Unreadable`].
pub(super) fn read<R: DeserializeOwned>(answer: &Response<Bytes>) -> Result<R, Kind> {
    let unreadable = |why| {
        Kind::Unreadable(Unreadable {
            status: answer.status().as_u16(),
            why,
        })
    };
    if answer.status() != StatusCode::OK {
        return Err(unreadable("the status is not 200"));
    }
    let body = answer.body();
    // An array would do for a struct too, its elements taken for the fields in turn.
    if body.trim_ascii_start().first() != Some(&b'{') {
        return Err(unreadable("the body is no JSON object"));
    }
    let envelope: Envelope =
        serde_json::from_slice(body).map_err(|error| unreadable(why(&error)))?;
    let errcode = envelope
        .errcode()
        .ok_or_else(|| unreadable("errcode is no number"))?;
    let errmsg = envelope.errmsg.as_str().unwrap_or_default();
    if errcode != 0 {
        return Err(Kind::Refused(Refused {
            errcode: Errcode(errcode),
            hint: find_hint(errmsg),
        }));
    }
    if says_partly_applied(errmsg) {
        return Err(Kind::PartlyApplied {
            hint: find_hint(errmsg),
        });
    }
    serde_json::from_slice(body).map_err(|error| unreadable(why(&error)))
}

// === impl Envelope ===

impl Envelope {
    /// Returns the number, 0 if there is none.
    fn errcode(&self) -> Option<i64> {
        match &self.errcode {
            Scalar::Null => Some(0),
            Scalar::Whole(number) => Some(*number),
            Scalar::Text(text) => text.trim().parse().ok(),
            Scalar::Other => None,
        }
    }
}

fn says_partly_applied(errmsg: &str) -> bool {
    const WARNING: &[u8] = b"wrong json format";
    errmsg
        .as_bytes()
        .windows(WARNING.len())
        .any(|piece| piece.eq_ignore_ascii_case(WARNING))
}

/// Returns what is wrong, without the piece of the answer that serde would quote.
fn why(error: &serde_json::Error) -> &'static str {
    use serde_json::error::Category;
    match error.classify() {
        Category::Eof => "the body breaks off",
        Category::Syntax => "the body is no JSON",
        Category::Data => "the body has not the fields of such a reply",
        Category::Io => "the body cannot be read",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize, Eq, PartialEq)]
    struct Made {
        config_id: String,
    }

    fn answer(status: u16, body: &str) -> Response<Bytes> {
        let response = Response::builder().status(status);
        response.body(Bytes::from(body.to_owned())).unwrap()
    }

    fn made(body: &str) -> Result<Made, Kind> {
        read(&answer(200, body))
    }

    #[test]
    fn success_is_an_errcode_that_is_absent_or_zero() {
        for errcode in [
            "",
            r#""errcode":0,"#,
            r#""errcode":null,"#,
            r#""errcode":"0","#,
        ] {
            let body = format!(r#"{{{errcode}"errmsg":"ok","config_id":"c1","new":[1]}}"#);
            assert_eq!(made(&body).unwrap().config_id, "c1", "{body}");
        }
    }

    #[test]
    fn a_refusal_keeps_its_number_and_its_hint() {
        for errcode in ["41044", "\"41044\""] {
            let body = format!(
                r#"{{"errcode":{errcode},"errmsg":"invalid, hint: [1620808383_162_ab], from ip: 1.2.3.4"}}"#
            );
            let Err(Kind::Refused(refused)) = made(&body) else {
                panic!("{body}");
            };
            assert_eq!(refused.errcode, Errcode::NO_SUCH_CODE);
            assert_eq!(refused.hint.as_deref(), Some("1620808383_162_ab"));
        }
    }

    #[test]
    fn a_body_partly_ignored_is_no_success() {
        for warning in [
            "updated. Warning: wrong json format.",
            "ok. warning: WRONG JSON FORMAT",
        ] {
            let body =
                format!(r#"{{"errcode":0,"errmsg":"{warning} hint: [7_1]","config_id":"c"}}"#);
            let Err(Kind::PartlyApplied { hint }) = made(&body) else {
                panic!("{body}");
            };
            assert_eq!(hint.as_deref(), Some("7_1"));
        }
    }

    #[test]
    fn what_is_no_answer_of_wecoms_is_unreadable_and_not_quoted() {
        let cases = [
            (502, "<html>secret</html>", "the status is not 200"),
            (200, "<html>secret</html>", "the body is no JSON object"),
            (200, "", "the body is no JSON object"),
            (
                200,
                r#"["0", "ok", "secret"]"#,
                "the body is no JSON object",
            ),
            (
                200,
                r#"{"errcode":0,"config_id":"secret"#,
                "the body breaks off",
            ),
            (200, r#"{"errcode":0,}secret"#, "the body is no JSON"),
            (
                200,
                r#"{"errcode":0,"config_id":7}"#,
                "the body has not the fields of such a reply",
            ),
            (
                200,
                r#"{"errcode":0}"#,
                "the body has not the fields of such a reply",
            ),
            (
                200,
                r#"{"errcode":0.5,"config_id":"c"}"#,
                "errcode is no number",
            ),
            (
                200,
                r#"{"errcode":"secret","config_id":"c"}"#,
                "errcode is no number",
            ),
            (
                200,
                r#"{"errcode":true,"config_id":"c"}"#,
                "errcode is no number",
            ),
            (
                200,
                "{\"errcode\":0,\"config_id\":\"c\u{0}\"}",
                "the body is no JSON",
            ),
        ];
        for (status, body, why) in cases {
            let result: Result<Made, _> = read(&answer(status, body));
            let Err(Kind::Unreadable(unreadable)) = result else {
                panic!("{body}: {result:?}");
            };
            assert_eq!(unreadable, Unreadable { status, why }, "{body}");
        }
    }

    #[test]
    fn deep_nesting_is_an_error_and_no_overflow() {
        let body = format!(r#"{{"errcode":0,"x":{}"#, "[".repeat(100_000));
        assert!(matches!(made(&body), Err(Kind::Unreadable(_))));
    }
}
