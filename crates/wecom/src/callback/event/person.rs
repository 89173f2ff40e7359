//! The ids of people, which show themselves to nobody.
//!
//! They are whatever the event says, for an event is never refused. To ask for somebody whom an event tells of,
//! turn the id into one that may be sent, an [`api::UserId`](crate::api::UserId) or
//! [`api::ExternalUserId`](crate::api::ExternalUserId), by `try_into`.

use std::fmt;

/// The `UserID` of a member, as the event says it. `Debug` does not show it, and there is no `Display`.
///
/// For a call, `try_into` makes an [`api::UserId`](crate::api::UserId) of it:
///
/// ```
/// use wecom::{api::{GetUser, UserId}, callback::{Contact, Event}};
///
/// fn whom_to_read(event: &Event) -> Option<GetUser> {
///     let Event::Contact(Contact { user, .. }) = event else { return None };
///     // If it is no id, no call can tell more of it.
///     UserId::try_from(user).ok().map(GetUser::new)
/// }
/// # let fields = wecom::callback::Fields::parse("<xml><MsgType>event</MsgType>\
/// #     <Event>change_external_contact</Event><ChangeType>add_external_contact</ChangeType>\
/// #     <UserID>zhangsan</UserID><ExternalUserID>wmA</ExternalUserID></xml>").unwrap();
/// # assert!(whom_to_read(&Event::of(&fields)).is_some());
/// ```
#[derive(Clone, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct UserId(Box<str>);

/// The `ExternalUserID` of a customer, as the event says it. `Debug` does not show it, and there is no
/// `Display`.
///
/// For a call, `try_into` makes an [`api::ExternalUserId`](crate::api::ExternalUserId) of it.
#[derive(Clone, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct ExternalUserId(Box<str>);

// === impl UserId ===

impl UserId {
    /// Returns the id. Whoever calls this must keep it out of logs.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for UserId {
    fn from(id: &str) -> Self {
        Self(id.into())
    }
}

impl fmt::Debug for UserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UserId(..)")
    }
}

// === impl ExternalUserId ===

impl ExternalUserId {
    /// Returns the id. Whoever calls this must keep it out of logs.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for ExternalUserId {
    fn from(id: &str) -> Self {
        Self(id.into())
    }
}

impl fmt::Debug for ExternalUserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ExternalUserId(..)")
    }
}
