//! What the tests of callbacks share: keys, a calendar, events as WeCom writes them.
#![allow(dead_code, reason = "each test file uses a part")]

use std::time::Duration;

use wecom::{
    Clock,
    callback::{Builder, Keys, Receiver, Sealed},
};

pub(crate) mod requests;

pub(crate) const CORP: &str = "ww6a112864f8022910";
pub(crate) const KEY: &str = "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C";
pub(crate) const TOKEN: &str = "QDG6eK";
/// What the calendar stands at when a test begins, in seconds.
pub(crate) const NOW: u64 = 1_750_000_000;

pub(crate) fn keys() -> Keys {
    keys_for(CORP)
}

pub(crate) fn keys_for(receive_id: &str) -> Keys {
    Keys::new(TOKEN, KEY, receive_id).expect("valid keys")
}

/// A receiver whose calendar goes with the runtime's clock.
pub(crate) fn builder() -> Builder {
    Receiver::builder(keys()).clock(Clock::set_to(Duration::from_secs(NOW)))
}

pub(crate) fn receiver() -> Receiver {
    builder().build().expect("valid settings")
}

/// An event of a customer, as an enterprise gets it.
pub(crate) fn contact(change_type: &str, user: &str, external_user: &str, rest: &str) -> String {
    event(
        "change_external_contact",
        &format!(
            "<ChangeType><![CDATA[{change_type}]]></ChangeType><UserID><![CDATA[{user}]]></UserID>\
             <ExternalUserID><![CDATA[{external_user}]]></ExternalUserID>{rest}"
        ),
    )
}

/// A customer who was added by a scan.
pub(crate) fn added(user: &str, external_user: &str) -> String {
    let rest =
        "<State><![CDATA[code-17]]></State><WelcomeCode><![CDATA[WELCOMECODE]]></WelcomeCode>";
    contact("add_external_contact", user, external_user, rest)
}

pub(crate) fn event(name: &str, rest: &str) -> String {
    format!(
        "<xml><ToUserName><![CDATA[{CORP}]]></ToUserName><FromUserName><![CDATA[sys]]></FromUserName>\
         <CreateTime>{NOW}</CreateTime><MsgType><![CDATA[event]]></MsgType>\
         <Event><![CDATA[{name}]]></Event>{rest}</xml>"
    )
}

/// A callback's query and body.
pub(crate) fn posted(message: &str) -> (String, String) {
    post_of(&keys().seal(message.as_bytes(), NOW))
}

pub(crate) fn post_of(sealed: &Sealed) -> (String, String) {
    (sealed.query(), sealed.callback_body(CORP, "1000002"))
}
