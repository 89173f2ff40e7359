//! Trying parts of a list on a code that nobody sees.
//!
//! Every part that WeCom accepts takes effect, so the code must be one that is shown nowhere; it is a type
//! of its own, so that the live code is not given by mistake. A part that is refused is cut in two halves.
//! One unfit member among n costs about 2·log₂ n calls, all of them unfit 2·n - 1, and each counts as an
//! `update_contact_way` of the enterprise.

use super::{Unfit, UnfitMember, about_member};
use crate::{
    api::{ConfigId, UpdateContactWay, Users},
    client::{Client, Transport},
    error::Error,
};

/// A code for many whose picture was never shown to anybody, to try lists on. One for each enterprise is
/// enough; two that try at once need one each.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Scratch(ConfigId);

// === impl Scratch ===

impl Scratch {
    /// Takes this code, which must lead to many and must be shown nowhere: whoever scans it meets half a list.
    #[must_use]
    pub const fn shown_nowhere(config_id: ConfigId) -> Self {
        Self(config_id)
    }

    /// Returns the id of the code.
    #[must_use]
    pub const fn config_id(&self) -> &ConfigId {
        &self.0
    }
}

// === impl Client ===

impl<S: Transport> Client<S> {
    /// Returns those of the members whom WeCom refuses, in their order, by trying parts of the list on
    /// `scratch`.
    ///
    /// For what [`find_unfit`](Self::find_unfit) cannot read; ask that first and give the rest. If the list
    /// as a whole is accepted, nobody is refused and it was one call.
    ///
    /// # Errors
    ///
    /// The first error that is not about a member. Nobody is unfit then, as far as is known.
    pub async fn find_unfit_by_trial(
        &self,
        scratch: &Scratch,
        users: &Users,
    ) -> Result<Vec<UnfitMember>, Error> {
        let mut unfit = Vec::new();
        // The part to try next is the last, so that the members come in their order.
        let mut parts = vec![users.clone()];
        while let Some(part) = parts.pop() {
            let change = UpdateContactWay::multi(scratch.0.clone()).user(part.clone());
            let Err(error) = self.update_contact_way(&change).await else {
                continue;
            };
            let errcode = about_member(&error)?;
            match part.halves() {
                Some((first, second)) => parts.extend([second, first]),
                None => {
                    let alone = part.as_slice().iter();
                    unfit.extend(alone.map(|user| UnfitMember::new(user, Unfit::Refused(errcode))));
                }
            }
        }
        Ok(unfit)
    }
}
