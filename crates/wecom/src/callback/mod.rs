//! Callbacks: what WeCom tells of its own accord, signed and encrypted.
//!
//! A [`Receiver`] turns a request into a [`Delivery`] that can be believed, or a [`Rejected`]. The `router` of feature
//! `axum` puts it on the web. The sender's side ([`Keys::seal`]) is here too, for tests, simulators and passive
//! replies.
//!
//! ```
//! use wecom::callback::{ContactChange, Event, Keys, Receiver};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let key = "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C";
//! let keys = Keys::new("QDG6eK", key, "wx5823bf96d3bd56c7")?;
//!
//! // What WeCom does:
//! let message = "<xml><ToUserName><![CDATA[wx5823bf96d3bd56c7]]></ToUserName>\
//!     <FromUserName><![CDATA[sys]]></FromUserName><CreateTime>1409659813</CreateTime>\
//!     <MsgType><![CDATA[event]]></MsgType><Event><![CDATA[change_external_contact]]></Event>\
//!     <ChangeType><![CDATA[add_external_contact]]></ChangeType><UserID><![CDATA[zhangsan]]></UserID>\
//!     <ExternalUserID><![CDATA[wmA]]></ExternalUserID><State><![CDATA[code-17]]></State></xml>";
//! let sealed = keys.seal(message.as_bytes(), 1_409_659_813);
//! let (query, body) = (sealed.query(), sealed.callback_body("wx5823bf96d3bd56c7", "218"));
//!
//! // What we do. The example is old, so its time does not count.
//! let receiver = Receiver::builder(keys).without_window().build()?;
//! let delivery = receiver.receive(&query, body.as_bytes())?;
//! let Event::Contact(contact) = &delivery.event else { panic!("{delivery:?}") };
//! assert!(matches!(&contact.change, ContactChange::Added { state: Some(s), .. } if &**s == "code-17"));
//! receiver.remember(delivery.identity); // once it is durable
//!
//! let forged = body.replacen("<![CDATA[", "<![CDATA[A", 3);
//! assert_eq!(receiver.receive(&query, forged.as_bytes()).unwrap_err().status(), 403);
//! # Ok(()) }
//! ```
//!
//! # What is checked, and in which order
//!
//! Query, size, XML around the message, signature, decryption, receiver's id, time, and the names in the message. What
//! costs nothing comes first; nothing is decrypted before its signature is right, for a cipher of this kind gives its
//! messages away to whoever may ask it often enough whether a padding is right. Whatever depends on a secret is answered
//! alike: 403, an empty body.
//!
//! # Lost, twice, out of order
//!
//! WeCom waits 5 s for a 200 and tries up to three times more; its documents disagree on whether another status is
//! tried again, and say that events may be lost. So:
//!
//! - *Lost*: answer 200 when the event is durable and not before; the router does. What got lost all the same is found by
//!   reading, now and then, what events tell of: an event is a reason to look again soon, and not the only one.
//! - *Twice*: a [`Delivery`] has an [`Identity`] over all that the message says. A handler that writes by it is not harmed
//!   by repetitions. [`seen_before`](Delivery::seen_before) spares the work for those that this process remembers, and no
//!   more: of two copies in flight at once neither is marked. The router lets the second wait for the first.
//! - *Out of order*, and *ahead of the reads*: right after a customer left, WeCom may still list them. An event says that
//!   something changed, so mark it as changed and read again later; do not "correct" a state by a read that may be old.
//!
//! Counting is another matter: for one scan there may be one event or two, which differ. Count once for each
//! [`daily_key`](Contact::daily_key).
//!
//! # Costs
//!
//! A typical customer event takes 4 µs of one core, from the query to the typed event (`benches/callback.rs`); a forged one,
//! 1 µs. What is allocated for one is bounded by the length of its body a few times over, and half a mebibyte of names;
//! the body by [`body_limit`](Builder::body_limit).

mod address;
#[cfg(feature = "axum")]
mod body;
mod cipher;
mod delivery;
mod envelope;
mod event;
mod fields;
#[cfg(feature = "axum")]
mod handler;
mod identity;
mod keys;
mod query;
mod receiver;
mod rejected;
mod replay;
#[cfg(feature = "axum")]
mod router;
#[cfg(feature = "axum")]
mod running;
mod seal;
mod signature;
#[cfg(feature = "axum")]
mod watch;
mod xml;

pub use self::{
    delivery::Delivery,
    event::{Contact, ContactChange, Directory, Event, ExternalUserId, MemberStatus, UserId},
    fields::Fields,
    identity::Identity,
    keys::{Keys, Signed},
    receiver::{Builder, Receiver},
    rejected::{QueryFault, Rejected},
    seal::Sealed,
};
#[cfg(feature = "axum")]
pub use self::{
    handler::Handler,
    router::{Endpoint, router},
};
