//! What holds of every message: it comes out as it went in, or not at all.

mod callback_support;

use callback_support::{CORP, KEY, NOW, TOKEN, receiver};
use proptest::prelude::*;
use wecom::callback::{Fields, Identity, Keys, Rejected, Signed};

/// How a value may be written.
#[derive(Clone, Copy, Debug)]
enum Written {
    Quoted,
    Escaped,
    ByNumber,
}

// === impl Written ===

impl Written {
    fn element(self, (name, value): &(String, String)) -> String {
        let value = match self {
            Self::Quoted => format!("<![CDATA[{}]]>", value.replace("]]>", "]]]]><![CDATA[>")),
            Self::Escaped => value
                .replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;"),
            Self::ByNumber => value
                .chars()
                .map(|c| format!("&#{};", u32::from(c)))
                .collect(),
        };
        format!("<{name}>{value}</{name}>")
    }
}

fn written() -> impl Strategy<Value = Written> {
    prop_oneof![
        Just(Written::Quoted),
        Just(Written::Escaped),
        Just(Written::ByNumber)
    ]
}

/// Any text but the character 0, which cannot be written by its number.
fn fields() -> impl Strategy<Value = Vec<(String, String)>> {
    prop::collection::vec(("[A-Za-z_][A-Za-z0-9_.-]{0,20}", "[^\0]{0,40}"), 0..20)
}

fn document(fields: &[(String, String)], written: Written) -> String {
    let all: String = fields.iter().map(|field| written.element(field)).collect();
    format!("<xml>{all}</xml>")
}

proptest! {
    #[test]
    fn what_is_sealed_opens_to_itself_and_to_nobody_else(
        plain in prop::collection::vec(any::<u8>(), 0..300),
        id in "[A-Za-z0-9_-]{0,64}",
        nonce in "\\PC{1,20}",
        random in any::<[u8; 16]>(),
        timestamp in any::<u64>(),
        at in any::<prop::sample::Index>(),
    ) {
        let keys = Keys::new(TOKEN, KEY, &id).unwrap();
        let sealed = keys.seal_with(&plain, timestamp, &nonce, random);
        let signed = Signed {
            msg_signature: &sealed.msg_signature,
            timestamp: &sealed.timestamp,
            nonce: &sealed.nonce,
        };
        prop_assert_eq!(keys.open(&signed, &sealed.encrypt), Ok(plain));

        let other = Keys::new(TOKEN, KEY, &format!("{}x", &id[..id.len().min(63)])).unwrap();
        if other.receive_id() != id {
            prop_assert_eq!(other.open(&signed, &sealed.encrypt), Err(Rejected::ReceiveId));
        }
        let mut changed = sealed.encrypt.clone().into_bytes();
        let at = at.index(changed.len());
        changed[at] ^= 1;
        let changed = String::from_utf8(changed).unwrap();
        prop_assert_eq!(keys.open(&signed, &changed), Err(Rejected::Signature));
    }

    #[test]
    fn fields_come_out_as_they_went_in_however_they_are_written(
        fields in fields(),
        written in written(),
    ) {
        let parsed = Fields::parse(&document(&fields, written)).unwrap();
        let all: Vec<_> = parsed.iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
        prop_assert_eq!(all, fields);
    }

    #[test]
    fn identities_are_the_same_for_the_same_fields_alone(
        one in fields(),
        other in fields(),
        written in (written(), written()),
    ) {
        let identity = |fields: &[(String, String)], written| {
            Identity::of(&Fields::parse(&document(fields, written)).unwrap())
        };
        prop_assert_eq!(identity(&one, written.0), identity(&one, written.1));
        let sorted = |fields: &[(String, String)]| {
            let mut fields = fields.to_vec();
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            fields
        };
        let same = sorted(&one) == sorted(&other);
        let equal = identity(&one, written.0) == identity(&other, written.0);
        prop_assert_eq!(same, equal);
    }

    #[test]
    fn a_query_comes_through_its_encoding(nonce in "\\PC{1,60}") {
        let keys = callback_support::keys();
        let sealed = keys.seal_with(b"17", NOW, &nonce, [7; 16]);
        prop_assert_eq!(receiver().echo(&sealed.echo_query()), Ok(b"17".to_vec()));
        let message = format!("<xml><ToUserName>{CORP}</ToUserName></xml>");
        let sealed = keys.seal_with(message.as_bytes(), NOW, &nonce, [7; 16]);
        let body = sealed.callback_body(CORP, "");
        prop_assert!(receiver().receive(&sealed.query(), body.as_bytes()).is_ok());
    }

    #[test]
    fn no_bytes_are_too_odd(query in "\\PC*", body in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(receiver().receive(&query, &body).is_err());
        prop_assert!(receiver().echo(&query).is_err());
    }
}
