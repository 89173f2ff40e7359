//! Which members make WeCom refuse a list.
//!
//! WeCom refuses a list as a whole if one of its members is not fit, and does not say which. Trying parts
//! of the list on the code itself would show half lists to customers. So the status of each is read, which
//! touches no code ([`find_unfit`](crate::Client::find_unfit)).
//!
//! What cannot be read ([`Unfit`] has the table) is tried on a code that nobody sees
//! ([`find_unfit_by_trial`](crate::Client::find_unfit_by_trial)).

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

/// Why a member is not fit, as far as reads tell it.
///
/// | he | is found as | and a list with him is refused with |
/// |---|---|---|
/// | has left, and WeCom still tells so | `Left` | 40003, 60111 |
/// | is not found: deleted, left, never there, or of another kind of id | `NotFound` | 40003, 46004, 60111, 301021 |
/// | is there, but the app may not read him | `Unreadable` | 50002, 60011, 60021, 92000 |
/// | was disabled by the administrator | `Disabled` | not documented; taken, customers meet nobody |
/// | has never logged in | `NotActivated` | 41054 |
/// | is active, and not on the list of those who may have customers | `NoCustomers` | 84074, and 40098 if WeCom leaves the unverified out of that list |
/// | is active and on that list, and his real name is not verified | nothing | 40098 |
/// | is active and on that list, and has as many customers as he may have | nothing | 40099 |
///
/// Two things stand in no reply: whether a real name is verified, so that of those who are `NoCustomers` nobody can
/// tell who lacks only that (the administrator's console can), and how many customers somebody may still have. If
/// a list is refused and nobody is found, it is one of the last two rows:
/// [`find_unfit_by_trial`](crate::Client::find_unfit_by_trial).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Unfit {
    /// Nothing else is known against him, but the list of those who may have customers does not name him: he lacks
    /// the feature or its licence, or his real name is not verified.
    NoCustomers,
    /// The administrator has disabled him.
    Disabled,
    /// He has never logged in.
    NotActivated,
    /// He has left.
    Left,
    /// WeCom finds nobody of this id: he was deleted, has left, never was there, or is outside of what the app may
    /// see, which it does not tell apart (40003, 46004, 60111, 301021).
    NotFound(Errcode),
    /// He cannot be read, and the number says that it is for lack of a right to: he is outside of what the app may
    /// see (50002, 60021, 92000), or 60011.
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

    /// Returns what it means that he was not read.
    const fn unread(errcode: Errcode) -> Self {
        match errcode.0 {
            40003 | 46004 | 60111 | 301_021 => Self::NotFound(errcode),
            _ => Self::Unreadable(errcode),
        }
    }
}

// === impl Client ===

impl<S: Transport> Client<S> {
    /// Returns those of the members who are not fit for a code, in their order: who is not found, is not active, or
    /// may not have customers.
    ///
    /// It costs one call for the list of those who may have customers, and one for each member; no code is touched.
    /// Leave those out ([`Users::without`](super::Users::without)) and push the rest. What it cannot find: a member
    /// whose real name is not verified although he is on that list (40098), and one who has as many customers as he
    /// may have (40099); see [`find_unfit_by_trial`](Self::find_unfit_by_trial).
    ///
    /// # Errors
    ///
    /// The first error that tells nothing of a member; nobody is unfit then, as far as is known. So does
    /// 60011 (no privilege) if every single one who may have customers is refused with it: then it is the app that
    /// lacks the right to read members.
    pub async fn find_unfit(&self, members: &[UserId]) -> Result<Vec<UnfitMember>, Error> {
        // Plain ids are the same in upper and lower case. Taking two encrypted ones for one costs a read.
        let key = |user: &UserId| user.as_str().to_ascii_lowercase();
        let able: HashSet<String> = self.get_follow_user_list().await?.iter().map(key).collect();
        let mut unfit = Vec::new();
        let mut privileged = false;
        let mut unprivileged = None;
        for userid in members {
            let is_able = able.contains(&key(userid));
            let otherwise = (!is_able).then_some(Unfit::NoCustomers);
            let why = match self.get_user(userid).await {
                Ok(user) => {
                    privileged = true;
                    Unfit::of(user.status).or(otherwise)
                }
                Err(error) => {
                    let errcode = about_member(&error)?;
                    privileged |= errcode != NO_PRIVILEGE;
                    // Of one who is not on the list it tells nothing more than the list has told.
                    if errcode == NO_PRIVILEGE && !is_able {
                        otherwise
                    } else {
                        unprivileged = Some(error);
                        Some(Unfit::unread(errcode))
                    }
                }
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
