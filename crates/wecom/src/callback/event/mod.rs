//! What happened, in types: customers' contacts, the directory, the ticket of a suite.
//!
//! An event is a *trigger*: it says that something changed and when, and carries hardly any state. What is
//! true now has to be read, and a read right after the event may still be behind it. So nothing here pretends to
//! be a state that can be applied.
//!
//! What this version does not know is no error: a new `ChangeType`, a value of another form, a message that
//! lacks what its kind should have, are all [`Other`](Event::Other) with their fields. An error would be
//! answered with a refusal, and WeCom would send it thrice more and then drop it.

use crate::secret::Secret;

use super::fields::Fields;

mod contact;
mod directory;
mod person;
mod suite;

pub use self::{
    contact::{Contact, ContactChange},
    directory::{Directory, MemberStatus},
    person::{ExternalUserId, UserId},
};

/// What a callback tells.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// `change_external_contact`: a customer and a member found or lost each other.
    Contact(Contact),
    /// `change_contact`: members and departments.
    Directory(Directory),
    /// `suite_ticket`: what a third party fetches its `suite_access_token` with; comes every ten minutes.
    SuiteTicket(Secret),
    /// All else, with its fields: other events, messages that people write, and what is newer than this version.
    Other(Fields),
}

// === impl Event ===

impl Event {
    /// Returns what a message tells.
    #[must_use]
    pub fn of(fields: &Fields) -> Self {
        Self::known(fields).unwrap_or_else(|| Self::Other(fields.clone()))
    }

    fn known(fields: &Fields) -> Option<Self> {
        // An enterprise's messages call it `Event`, a suite's `InfoType`.
        match fields.some("Event").or_else(|| fields.some("InfoType"))? {
            "change_external_contact" => Contact::of(fields).map(Self::Contact),
            "change_contact" => Directory::of(fields).map(Self::Directory),
            "suite_ticket" => suite::ticket(fields).map(Self::SuiteTicket),
            _ => None,
        }
    }

    /// Returns what kind it is in one word, for labels and logs: `contact`, `directory`, `suite_ticket` or `other`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Contact(_) => "contact",
            Self::Directory(_) => "directory",
            Self::SuiteTicket(_) => "suite_ticket",
            Self::Other(_) => "other",
        }
    }
}

#[cfg(test)]
mod tests;
