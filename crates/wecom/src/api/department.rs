//! `department/list`: the departments that the app may see.

use serde::Deserialize;

use super::{PartyId, UserId, reply::nullable};
use crate::{
    call::{Call, Wire},
    client::{Client, Transport},
    error::{Error, Invalid},
    name::Api,
};

/// Which departments are to be listed.
#[derive(Clone, Copy, Debug, Default)]
#[must_use = "nothing is listed before it is sent"]
pub struct ListDepartments {
    id: Option<PartyId>,
}

/// The reply to [`ListDepartments`].
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct Departments {
    /// The departments. A reply without this list, or with `null` in its place, is an error, never an empty list.
    pub department: Vec<Department>,
}

/// A department.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct Department {
    /// Its id.
    pub id: PartyId,
    /// Its name; a third party gets the id in place of it.
    #[serde(default, deserialize_with = "nullable")]
    pub name: String,
    /// Its English name.
    #[serde(default, deserialize_with = "nullable")]
    pub name_en: String,
    /// Its leaders.
    #[serde(default, deserialize_with = "nullable")]
    pub department_leader: Vec<UserId>,
    /// The department it belongs to; the enterprise itself belongs to none.
    #[serde(default, deserialize_with = "parent")]
    pub parentid: Option<PartyId>,
    /// Its place among the others: the greatest is the first.
    #[serde(default, deserialize_with = "nullable")]
    pub order: i64,
}

// === impl ListDepartments ===

impl ListDepartments {
    /// Returns the call that lists all departments.
    pub const fn all() -> Self {
        Self { id: None }
    }

    /// Returns the call that lists this department with all below it.
    pub const fn below(id: PartyId) -> Self {
        Self { id: Some(id) }
    }
}

impl Call for ListDepartments {
    const API: Api = Api::new("department/list");
    type Reply = Departments;

    fn encode(&self) -> Result<Wire, Invalid> {
        let query = self
            .id
            .map(|id| ("id", id.to_string()))
            .into_iter()
            .collect();
        Ok(Wire::get("/cgi-bin/department/list", query))
    }
}

// === impl Client ===

impl<S: Transport> Client<S> {
    /// Lists the departments that the app may see.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_departments(&self, call: &ListDepartments) -> Result<Vec<Department>, Error> {
        Ok(self.send(call).await?.department)
    }
}

/// Reads an id; `null` and 0 are none.
fn parent<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<PartyId>, D::Error> {
    let id: u32 = nullable(from)?;
    Ok(PartyId::new(id).ok())
}
