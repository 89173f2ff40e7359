//! `user/get`: a member.
//!
//! A member who is disabled gives no callback, so that whoever leads customers to him must ask.

use serde::Deserialize;

use super::{
    PartyId, Personal, UserId,
    reply::{nullable, numbered},
};
use crate::{
    call::{Call, Wire},
    client::{Client, Transport},
    error::{Error, Invalid},
    name::Api,
};

/// A member who is to be read.
#[derive(Clone, Debug)]
#[must_use = "nothing is read before it is sent"]
pub struct GetUser {
    userid: UserId,
}

/// A member. What an app sees of him depends on its rights.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct User {
    /// His id.
    pub userid: UserId,
    /// His name.
    #[serde(default, deserialize_with = "nullable")]
    pub name: Personal,
    /// His departments, as far as the app may see them.
    #[serde(default, deserialize_with = "nullable")]
    pub department: Vec<PartyId>,
    /// In which of them he is a leader: one number for each, 1 if he is.
    #[serde(default, deserialize_with = "nullable")]
    pub is_leader_in_dept: Vec<i64>,
    /// His first department.
    #[serde(default)]
    pub main_department: Option<i64>,
    /// His position.
    #[serde(default, deserialize_with = "nullable")]
    pub position: Personal,
    /// His short name.
    #[serde(default, deserialize_with = "nullable")]
    pub alias: Personal,
    /// Whether he works here, and has logged in.
    #[serde(default)]
    pub status: UserStatus,
}

numbered! {
    /// Whether a member works here, and has logged in (`status`).
    UserStatus {
        /// He has logged in.
        Active = 1,
        /// The administrator has disabled him.
        Disabled = 2,
        /// He has never logged in.
        NotActivated = 4,
        /// He has left.
        Left = 5,
    }
}

// === impl GetUser ===

impl GetUser {
    /// Returns the call that reads this member.
    pub const fn new(userid: UserId) -> Self {
        Self { userid }
    }
}

impl Call for GetUser {
    const API: Api = Api::new("user/get");
    type Reply = User;

    fn encode(&self) -> Result<Wire, Invalid> {
        let query = vec![("userid", self.userid.as_str().to_owned())];
        Ok(Wire::get("/cgi-bin/user/get", query))
    }
}

// === impl Client ===

impl<S: Transport> Client<S> {
    /// Reads a member.
    ///
    /// # Errors
    ///
    /// See [`Error`]. [`Member`](crate::Class::Member) says that there is no such member, or that the app
    /// may not see him.
    pub async fn get_user(&self, userid: &UserId) -> Result<User, Error> {
        self.send(&GetUser::new(userid.clone())).await
    }
}
