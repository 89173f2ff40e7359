//! `get_follow_user_list`: the members who may have customers.

use serde::Deserialize;

use super::UserId;
use crate::{
    call::{Call, Wire},
    client::{Client, Transport},
    error::{Error, Invalid},
    name::Api,
};

/// The call for the members who have the customer-contact feature.
#[derive(Clone, Copy, Debug, Default)]
#[must_use = "nothing is read before it is sent"]
pub struct GetFollowUserList;

/// The reply to [`GetFollowUserList`].
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct FollowUsers {
    /// The members. A reply without this list, or with `null` in its place, is an error, never an empty list.
    pub follow_user: Vec<UserId>,
}

// === impl GetFollowUserList ===

impl Call for GetFollowUserList {
    const API: Api = Api::new("get_follow_user_list");
    type Reply = FollowUsers;

    fn encode(&self) -> Result<Wire, Invalid> {
        Ok(Wire::get(
            "/cgi-bin/externalcontact/get_follow_user_list",
            Vec::new(),
        ))
    }
}

// === impl Client ===

impl<S: Transport> Client<S> {
    /// Reads the members who may have customers; others make WeCom refuse a code.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn get_follow_user_list(&self) -> Result<Vec<UserId>, Error> {
        Ok(self.send(&GetFollowUserList).await?.follow_user)
    }
}
