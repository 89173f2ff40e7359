//! `change_external_contact`: a customer and a member found or lost each other.

use crate::{
    callback::{Fields, Identity},
    name::CorpId,
    secret::Secret,
};

use super::{ExternalUserId, UserId};

/// A change between one member and one customer.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Contact {
    /// The member.
    pub user: UserId,
    /// The customer.
    pub external_user: ExternalUserId,
    /// What changed.
    pub change: ContactChange,
}

/// What changed between a member and a customer.
///
/// `state` is that of the code that was scanned, if any. It may be missing, and after a customer comes back be
/// one that was never given out (`wb:1:4285486`): an unknown one is no error.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ContactChange {
    /// `add_external_contact`: they are in contact.
    Added {
        /// The `state` of the code.
        state: Option<Box<str>>,
        /// For one welcome message within 20 s; not always there.
        welcome_code: Option<Secret>,
    },
    /// `add_half_external_contact`: the customer was added without verification and has not confirmed yet.
    ///
    /// Either of the two may come for one contact, or both: see [`Contact::daily_key`].
    HalfAdded {
        /// The `state` of the code.
        state: Option<Box<str>>,
        /// For one welcome message within 20 s; not always there.
        welcome_code: Option<Secret>,
    },
    /// `edit_external_contact`: the member changed a remark or a tag.
    Edited {
        /// The `state` of the code; not documented any more.
        state: Option<Box<str>>,
    },
    /// `del_external_contact`: the member removed the customer.
    RemovedByMember {
        /// `DELETE_BY_TRANSFER` if the customer was handed over to another member.
        source: Option<Box<str>>,
    },
    /// `del_follow_user`: the customer removed the member.
    RemovedByCustomer,
    /// `transfer_fail`: handing the customer over to another member failed.
    TransferFailed {
        /// Such as `customer_refused` or `customer_limit_exceed`.
        reason: Option<Box<str>>,
    },
}

// === impl Contact ===

impl Contact {
    pub(super) fn of(fields: &Fields) -> Option<Self> {
        let text = |name| fields.some(name).map(Box::from);
        let state = || text("State");
        let welcome_code = || fields.some("WelcomeCode").map(Secret::from);
        let change = match fields.some("ChangeType")? {
            "add_external_contact" => ContactChange::Added {
                state: state(),
                welcome_code: welcome_code(),
            },
            "add_half_external_contact" => ContactChange::HalfAdded {
                state: state(),
                welcome_code: welcome_code(),
            },
            "edit_external_contact" => ContactChange::Edited { state: state() },
            "del_external_contact" => ContactChange::RemovedByMember {
                source: text("Source"),
            },
            "del_follow_user" => ContactChange::RemovedByCustomer,
            "transfer_fail" => ContactChange::TransferFailed {
                reason: text("FailReason"),
            },
            _ => return None,
        };
        Some(Self {
            user: fields.some("UserID")?.into(),
            external_user: fields.some("ExternalUserID")?.into(),
            change,
        })
    }

    /// Returns the key under which an added contact counts: once for each member, customer, code and day.
    ///
    /// For one scan there may come [`Added`](ContactChange::Added), [`HalfAdded`](ContactChange::HalfAdded) or
    /// both, in any order, and they have the same key; two events have two identities, so those do not
    /// serve for counting. `None` for what is no addition.
    ///
    /// `code` is what the counter belongs to, as found by the `state`, which may be missing from one of the
    /// two: take what is known of the contact. `day` is days since 1970-01-01 where the counter is reset; in
    /// China, (seconds + 28,800) / 86,400.
    #[must_use]
    pub fn daily_key(&self, corp: &CorpId, code: &str, day: u64) -> Option<Identity> {
        match self.change {
            ContactChange::Added { .. } | ContactChange::HalfAdded { .. } => {
                let people = [self.user.as_str(), self.external_user.as_str()];
                Some(Identity::daily(corp, people, code, day))
            }
            ContactChange::Edited { .. }
            | ContactChange::RemovedByMember { .. }
            | ContactChange::RemovedByCustomer
            | ContactChange::TransferFailed { .. } => None,
        }
    }
}
