//! Whom a code leads to: a list that is never empty.
//!
//! What WeCom does with an empty `user` list is not documented, and a client that drops empty lists turns
//! "nobody" into "no change". So there is no empty list here: whoever is left without a member
//! must decide on somebody else, or leave the code as it is.

use serde::Serialize;

use super::{PartyId, UserId};
use crate::error::Invalid;

mod expand;

pub use self::expand::Expansion;

/// The most members that a code may lead to, those of its departments counted in (41041).
pub const MOST_MEMBERS: usize = 100;

/// 1 to 100 members, each once, in the order given.
#[derive(Clone, Debug, Eq, Hash, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Users(Box<[UserId]>);

/// At least one department, each once, in the order given.
#[derive(Clone, Debug, Eq, Hash, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Parties(Box<[PartyId]>);

/// Whom a code for many leads to: users, departments, or both.
///
/// There is no way to make one of nobody:
///
/// ```compile_fail
/// let nobody = wecom::api::Members::default();
/// ```
///
/// ```
/// use wecom::api::{Members, Parties, PartyId, UserId, Users};
///
/// let users = Users::new([UserId::new("zhangsan")?, UserId::new("lisi")?])?;
/// let members = Members::users(users).and_parties(Parties::one(PartyId::new(2)?));
/// assert_eq!(members.user().len(), 2);
///
/// assert!(Users::new([]).is_err());
/// # Ok::<(), wecom::error::Invalid>(())
/// ```
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Members(Kind);

#[derive(Clone, Debug, Eq, Hash, PartialEq)]
enum Kind {
    Users(Users),
    Parties(Parties),
    Both(Users, Parties),
}

// === impl Users ===

impl Users {
    /// Returns the list of these users, without repetitions.
    ///
    /// # Errors
    ///
    /// If there is none, or more than [`MOST_MEMBERS`].
    pub fn new(users: impl IntoIterator<Item = UserId>) -> Result<Self, Invalid> {
        let users = distinct(users);
        if users.is_empty() || users.len() > MOST_MEMBERS {
            let what = format_args!("a list of {} members", users.len());
            return Err(Invalid::new("user", what, "1 to 100 members"));
        }
        Ok(Self(users.into()))
    }

    /// Returns the list of this user alone.
    #[must_use]
    pub fn one(user: UserId) -> Self {
        Self(Box::new([user]))
    }

    /// Returns the users.
    #[must_use]
    pub fn as_slice(&self) -> &[UserId] {
        &self.0
    }

    /// Returns the two halves of the list, if it has more than one.
    pub(super) fn halves(&self) -> Option<(Self, Self)> {
        let (first, second) = self.0.split_at(self.0.len() / 2);
        (!first.is_empty()).then(|| (Self(first.into()), Self(second.into())))
    }

    /// Returns the list without those that are `unfit`, or nothing if none is left.
    #[must_use]
    pub fn without(&self, mut unfit: impl FnMut(&UserId) -> bool) -> Option<Self> {
        let fit: Box<[_]> = self.0.iter().filter(|u| !unfit(u)).cloned().collect();
        (!fit.is_empty()).then_some(Self(fit))
    }
}

// === impl Parties ===

impl Parties {
    /// Returns the list of these departments, without repetitions.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn new(parties: impl IntoIterator<Item = PartyId>) -> Result<Self, Invalid> {
        let parties = distinct(parties);
        if parties.is_empty() {
            return Err(Invalid::new(
                "party",
                "an empty list",
                "at least one department",
            ));
        }
        Ok(Self(parties.into()))
    }

    /// Returns the list of this department alone.
    #[must_use]
    pub fn one(party: PartyId) -> Self {
        Self(Box::new([party]))
    }

    /// Returns the departments.
    #[must_use]
    pub fn as_slice(&self) -> &[PartyId] {
        &self.0
    }
}

// === impl Members ===

impl Members {
    /// Returns these users and no department.
    #[must_use]
    pub const fn users(users: Users) -> Self {
        Self(Kind::Users(users))
    }

    /// Returns these departments and no user by himself.
    #[must_use]
    pub const fn parties(parties: Parties) -> Self {
        Self(Kind::Parties(parties))
    }

    /// Returns the same users with these departments, in place of those that were there.
    #[must_use]
    pub fn and_parties(self, parties: Parties) -> Self {
        Self(match self.0 {
            Kind::Users(users) | Kind::Both(users, _) => Kind::Both(users, parties),
            Kind::Parties(_) => Kind::Parties(parties),
        })
    }

    /// Returns the users named by themselves; none if there are departments alone.
    #[must_use]
    pub fn user(&self) -> &[UserId] {
        self.user_list().map_or(&[], Users::as_slice)
    }

    /// Returns the departments; none if there are users alone.
    #[must_use]
    pub fn party(&self) -> &[PartyId] {
        self.party_list().map_or(&[], Parties::as_slice)
    }

    pub(super) const fn user_list(&self) -> Option<&Users> {
        match &self.0 {
            Kind::Users(users) | Kind::Both(users, _) => Some(users),
            Kind::Parties(_) => None,
        }
    }

    pub(super) const fn party_list(&self) -> Option<&Parties> {
        match &self.0 {
            Kind::Parties(parties) | Kind::Both(_, parties) => Some(parties),
            Kind::Users(_) => None,
        }
    }
}

/// Returns the values without repetitions, each where it was first.
fn distinct<T: Clone + Eq + std::hash::Hash>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = std::collections::HashSet::new();
    values
        .into_iter()
        .filter(|value| seen.insert(value.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_counted_without_repetitions() {
        let user = |n: u32| UserId::new(format!("u{n}")).unwrap();
        let users = Users::new((0..300).map(|n| user(n % 100))).unwrap();
        assert_eq!(users.as_slice().len(), 100);
        assert_eq!(users.as_slice()[99], user(99));

        let error = Users::new((0..101).map(user)).unwrap_err();
        assert_eq!(error.field(), "user");
        assert!(error.to_string().contains("101"), "{error}");
        assert_eq!(Users::new([]).unwrap_err().field(), "user");
        assert_eq!(Parties::new([]).unwrap_err().field(), "party");
    }

    #[test]
    fn leaving_out_everybody_leaves_no_list() {
        let users = Users::new([UserId::new("a").unwrap(), UserId::new("b").unwrap()]).unwrap();
        assert_eq!(
            users
                .without(|u| u.as_str() == "a")
                .unwrap()
                .as_slice()
                .len(),
            1
        );
        assert!(users.without(|_| true).is_none());
    }
}
