//! `change_contact`: members and departments.
//!
//! Do not wait here for a member to be disabled. Addresses set up after 2022-08-15 get `update_user` for a new
//! department or a new id alone, and without `Status`: whoever wants to know reads it now and then.

use crate::callback::Fields;

use super::UserId;

/// A change of the directory.
///
/// Departments are numbers as they came; for a call, `try_into` makes an [`api::PartyId`](crate::api::PartyId) of one.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Directory {
    /// `create_user`: a member joined.
    UserCreated {
        /// The member.
        user: UserId,
        /// Their departments; `None` if not told.
        departments: Option<Vec<u64>>,
        /// Their status; `None` if not told.
        status: Option<MemberStatus>,
    },
    /// `update_user`: a member changed.
    UserUpdated {
        /// The member, by the old id if there is a new one.
        user: UserId,
        /// The new id. A renaming, not another member: what is kept under the old id goes on under this one.
        new_user: Option<UserId>,
        /// Their departments; `None` if not told.
        departments: Option<Vec<u64>>,
        /// Their status; `None` if not told, which says nothing about it: they need not be active.
        status: Option<MemberStatus>,
    },
    /// `delete_user`: a member left.
    UserDeleted {
        /// The member.
        user: UserId,
    },
    /// `create_party`: a department was made.
    PartyCreated {
        /// The department.
        id: u64,
        /// The one above it; `None` if not told.
        parent: Option<u64>,
    },
    /// `update_party`: a department was renamed or moved.
    PartyUpdated {
        /// The department.
        id: u64,
        /// The one above it; `None` if not told, which it is if it was moved.
        parent: Option<u64>,
    },
    /// `delete_party`: a department was removed.
    PartyDeleted {
        /// The department.
        id: u64,
    },
}

/// The `Status` of a member.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum MemberStatus {
    /// 1.
    Active,
    /// 2.
    Disabled,
    /// 4.
    NotActivated,
    /// 5.
    Left,
    /// Any other number.
    Unknown(u64),
}

// === impl Directory ===

impl Directory {
    pub(super) fn of(fields: &Fields) -> Option<Self> {
        let user = || fields.some("UserID").map(UserId::from);
        let id = || number(fields.some("Id")?);
        // Not told is one thing; told but not understood makes the whole event one that is not known.
        let parent = || told(fields.some("ParentId"), number);
        let departments = || told(fields.some("Department"), numbers);
        let status = || told(fields.some("Status"), MemberStatus::of);
        Some(match fields.some("ChangeType")? {
            "create_user" => Self::UserCreated {
                user: user()?,
                departments: departments()?,
                status: status()?,
            },
            "update_user" => Self::UserUpdated {
                user: user()?,
                new_user: fields.some("NewUserID").map(UserId::from),
                departments: departments()?,
                status: status()?,
            },
            "delete_user" => Self::UserDeleted { user: user()? },
            "create_party" => Self::PartyCreated {
                id: id()?,
                parent: parent()?,
            },
            "update_party" => Self::PartyUpdated {
                id: id()?,
                parent: parent()?,
            },
            "delete_party" => Self::PartyDeleted { id: id()? },
            _ => return None,
        })
    }
}

// === impl MemberStatus ===

impl MemberStatus {
    fn of(text: &str) -> Option<Self> {
        Some(match number(text)? {
            1 => Self::Active,
            2 => Self::Disabled,
            4 => Self::NotActivated,
            5 => Self::Left,
            other => Self::Unknown(other),
        })
    }
}

/// Returns `Some(None)` for what is not told, and `None` for what is not understood.
fn told<T>(text: Option<&str>, read: impl Fn(&str) -> Option<T>) -> Option<Option<T>> {
    match text {
        Some(text) => read(text).map(Some),
        None => Some(None),
    }
}

fn number(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

fn numbers(text: &str) -> Option<Vec<u64>> {
    text.split(',').map(number).collect()
}
