//! Which members make WeCom refuse a list.
//!
//! WeCom refuses a list as a whole if one of its members is not fit, and does not say which. Trying parts
//! of the list on the code itself would show half lists to customers. So the status of each is read, which
//! touches no code ([`find_unfit`](crate::Client::find_unfit)).
//!
//! Two things cannot be read anywhere: that a member is not verified by his real name (40098), unless that
//! already takes him off the list of those who may have customers, and that he has as many customers as he
//! may have (40099). If nobody is found unfit, that is why; then parts of the list can be tried on a code
//! that nobody sees ([`find_unfit_by_trial`](crate::Client::find_unfit_by_trial)).

use std::collections::HashSet;

use super::{UserId, UserStatus};
use crate::{
    client::{Client, Transport},
    error::{Class, Errcode, Error},
};

mod trial;

pub use self::trial::Scratch;

/// "No privilege on the given member", or on all of them: the only refusal that may be about the app.
const NO_PRIVILEGE: Errcode = Errcode(60011);

/// A member who is not fit, and why.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct UnfitMember {
    /// The member.
    pub userid: UserId,
    /// Why he is not fit.
    pub why: Unfit,
}

/// Why a member is not fit.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Unfit {
    /// He may not have customers: the list of those who may does not name him.
    NoCustomers,
    /// The administrator has disabled him.
    Disabled,
    /// He has never logged in.
    NotActivated,
    /// He has left.
    Left,
    /// He cannot be read: he does not exist, or the app may not see him.
    Unreadable(Errcode),
    /// A list of him alone was refused.
    Refused(Errcode),
}

// === impl UnfitMember ===

impl UnfitMember {
    fn new(userid: &UserId, why: Unfit) -> Self {
        Self {
            userid: userid.clone(),
            why,
        }
    }
}

// === impl Unfit ===

impl Unfit {
    const fn of(status: UserStatus) -> Option<Self> {
        match status {
            UserStatus::Disabled => Some(Self::Disabled),
            UserStatus::NotActivated => Some(Self::NotActivated),
            UserStatus::Left => Some(Self::Left),
            // A status that is not known, or that the app may not see, proves nothing.
            UserStatus::Active | UserStatus::Other(_) => None,
        }
    }
}

// === impl Client ===

impl<S: Transport> Client<S> {
    /// Returns those of the members who are not fit for a code, in their order: who may not have customers,
    /// and who is not active.
    ///
    /// It costs one call, and another one for each who may have customers; no code is touched. Leave those out
    /// ([`Users::without`](super::Users::without)) and push the rest.
    ///
    /// # Errors
    ///
    /// The first error that tells nothing of a member; nobody is unfit then, as far as is known. So does
    /// 60011 (no privilege) if every single one is refused with it: then it is the app that lacks the right
    /// to read members.
    pub async fn find_unfit(&self, members: &[UserId]) -> Result<Vec<UnfitMember>, Error> {
        // Plain ids are the same in upper and lower case. Taking two encrypted ones for one costs a read.
        let key = |user: &UserId| user.as_str().to_ascii_lowercase();
        let able: HashSet<String> = self.get_follow_user_list().await?.iter().map(key).collect();
        let mut unfit = Vec::new();
        let mut privileged = false;
        let mut unprivileged = None;
        for userid in members {
            let why = if able.contains(&key(userid)) {
                match self.get_user(userid).await {
                    Ok(user) => {
                        privileged = true;
                        Unfit::of(user.status)
                    }
                    Err(error) => {
                        let errcode = about_member(&error)?;
                        privileged |= errcode != NO_PRIVILEGE;
                        unprivileged = Some(error);
                        Some(Unfit::Unreadable(errcode))
                    }
                }
            } else {
                Some(Unfit::NoCustomers)
            };
            unfit.extend(why.map(|why| UnfitMember::new(userid, why)));
        }
        match unprivileged {
            Some(error) if !privileged => Err(error),
            _ => Ok(unfit),
        }
    }
}

/// Returns the number of an error that is about a member, or the error if it is not.
fn about_member(error: &Error) -> Result<Errcode, Error> {
    let errcode = error.errcode().filter(|_| error.class() == Class::Member);
    errcode.ok_or_else(|| error.clone())
}
