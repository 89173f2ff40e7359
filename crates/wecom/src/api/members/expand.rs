//! How many members a code leads to once its departments are counted out, and whom to leave out when
//! there are too many.
//!
//! WeCom counts the members of the departments in, and refuses the whole list above 100 (41041). A department
//! cannot be cut, so a list that is too long becomes one of users alone. Who stays follows from the input and
//! not from chance, so that two processes push the same list: first the users named by themselves in their
//! order, then the departments in their order, within each the members in the order of their ids.

use std::collections::HashSet;

use super::{MOST_MEMBERS, Members, PartyId, UserId, Users};
use crate::error::Invalid;

/// All whom a code leads to, each once: what [`Members::expand`] returns.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Expansion {
    whole: Members,
    users: Vec<UserId>,
}

// === impl Members ===

impl Members {
    /// Counts the departments out, asking `members_of` for those of each.
    ///
    /// Whether WeCom counts the members of a department's own departments is not documented; `members_of`
    /// decides, and should count them to be safe.
    ///
    /// # Errors
    ///
    /// If `members_of` does not know a department: taking it for empty would let a list through that is too
    /// long.
    pub fn expand<I>(
        &self,
        mut members_of: impl FnMut(PartyId) -> Option<I>,
    ) -> Result<Expansion, Invalid>
    where
        I: IntoIterator<Item = UserId>,
    {
        let mut users = self.user().to_vec();
        let mut seen: HashSet<UserId> = users.iter().cloned().collect();
        for &party in self.party() {
            let members = members_of(party).ok_or_else(|| {
                Invalid::new("party", party, "a department whose members are known")
            })?;
            let mut members: Vec<_> = members.into_iter().collect();
            members.sort_unstable();
            users.extend(members.into_iter().filter(|user| seen.insert(user.clone())));
        }
        Ok(Expansion {
            whole: self.clone(),
            users,
        })
    }
}

// === impl Expansion ===

impl Expansion {
    /// Returns all members in the order in which they would stay.
    #[must_use]
    pub fn as_slice(&self) -> &[UserId] {
        &self.users
    }

    /// Returns how many members there are too many: 0 if WeCom will take the list.
    #[must_use]
    pub fn excess(&self) -> usize {
        self.users.len().saturating_sub(MOST_MEMBERS)
    }

    /// Returns what to push: the list as it was if it is not too long, else the first 100 as users alone.
    ///
    /// In the latter case an update must also clear the departments that the code may still have.
    #[must_use]
    pub fn fitting(&self) -> Members {
        if self.excess() == 0 {
            return self.whole.clone();
        }
        let kept = self.users.iter().take(MOST_MEMBERS).cloned().collect();
        Members::users(Users(kept))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Parties, *};

    fn user(name: &str) -> Result<UserId, Invalid> {
        UserId::new(name)
    }

    /// Two users by name, department 2 with one of them and another one, department 3 with `count` more.
    fn expand(count: usize, reverse: bool) -> Result<Expansion, Invalid> {
        let users = Users::new([user("zoe")?, user("ann")?])?;
        let parties = Parties::new([PartyId::new(3)?, PartyId::new(2)?])?;
        Members::users(users)
            .and_parties(parties)
            .expand(|party| match party.get() {
                2 => Some(vec![UserId::new("ann").ok()?, UserId::new("bob").ok()?]),
                3 => {
                    let ids = (0..count).map(|n| UserId::new(format!("m{n:03}")).ok());
                    let mut ids = ids.collect::<Option<Vec<_>>>()?;
                    if reverse {
                        ids.reverse();
                    }
                    Some(ids)
                }
                _ => None,
            })
    }

    #[test]
    fn w9_members_are_counted_after_expansion() {
        let fits = expand(97, false).unwrap();
        assert_eq!(
            (fits.as_slice().len(), fits.excess()),
            (100, 0),
            "ann counts once"
        );
        assert_eq!(fits.fitting().party().len(), 2, "what fits stays as it was");

        let over = expand(98, false).unwrap();
        assert_eq!((over.as_slice().len(), over.excess()), (101, 1));
    }

    #[test]
    fn w9_who_stays_does_not_depend_on_the_order_of_the_answer() {
        let forward = expand(150, false).unwrap().fitting();
        let backward = expand(150, true).unwrap().fitting();
        assert_eq!(forward, backward);
        assert_eq!(forward.user().len(), MOST_MEMBERS);
        assert!(forward.party().is_empty(), "a department cannot be cut");
        let names: Vec<_> = forward.user().iter().map(UserId::as_str).collect();
        assert_eq!(names[..4], ["zoe", "ann", "m000", "m001"]);
        assert_eq!(names[99], "m097", "bob is of the last department");
    }

    #[test]
    fn w9_a_department_that_is_not_known_is_not_empty() {
        let members = Members::parties(Parties::one(PartyId::new(7).unwrap()));
        let error = members.expand(|_| None::<Vec<UserId>>).unwrap_err();
        assert_eq!(error.field(), "party");
        assert!(error.to_string().contains('7'), "{error}");
    }
}
