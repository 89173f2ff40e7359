//! `externalcontact/get`: a customer, and the members who have added him, 500 to a page.

use serde::Deserialize;

use super::{ExternalContact, FollowUser};
use crate::{
    api::{
        ExternalUserId, Paged, Pages, Turn, pages,
        reply::{non_empty, nullable},
    },
    call::{Call, Wire},
    client::{Client, Transport},
    error::{Error, Invalid},
    name::Api,
};

/// A customer who is to be read.
#[derive(Clone, Debug)]
#[must_use = "nothing is read before it is sent"]
pub struct GetExternalContact {
    external_userid: ExternalUserId,
    cursor: Option<String>,
}

/// A customer with one page of the members who have added him.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct ExternalContactPage {
    /// The customer.
    pub external_contact: ExternalContact,
    /// The members. A reply without this list is an error, never an empty list.
    #[serde(deserialize_with = "nullable")]
    pub follow_user: Vec<FollowUser>,
    /// Where the next page begins; none after the last.
    #[serde(default, deserialize_with = "non_empty")]
    pub next_cursor: Option<String>,
}

// === impl GetExternalContact ===

impl GetExternalContact {
    /// Returns the call that reads this customer and the first page.
    pub const fn new(external_userid: ExternalUserId) -> Self {
        Self {
            external_userid,
            cursor: None,
        }
    }

    /// Begins where the page before this one has ended.
    ///
    /// # Errors
    ///
    /// If the cursor is empty.
    pub fn from_cursor(mut self, cursor: impl Into<String>) -> Result<Self, Invalid> {
        self.cursor = Some(pages::checked(cursor.into())?);
        Ok(self)
    }
}

impl Call for GetExternalContact {
    const API: Api = Api::new("externalcontact/get");
    type Reply = ExternalContactPage;

    fn encode(&self) -> Result<Wire, Invalid> {
        let mut query = vec![("external_userid", self.external_userid.as_str().to_owned())];
        query.extend(self.cursor.clone().map(|cursor| ("cursor", cursor)));
        Ok(Wire::get("/cgi-bin/externalcontact/get", query))
    }
}

impl Paged for GetExternalContact {
    type Item = FollowUser;

    fn set_cursor(&mut self, cursor: String) {
        self.cursor = Some(cursor);
    }

    fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }

    fn turn(reply: ExternalContactPage) -> Turn<FollowUser> {
        Turn {
            items: reply.follow_user,
            next: reply.next_cursor,
        }
    }
}

// === impl Client ===

impl<S: Transport> Client<S> {
    /// Reads a customer and one page of the members who have added him.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn get_external_contact(
        &self,
        call: &GetExternalContact,
    ) -> Result<ExternalContactPage, Error> {
        self.send(call).await
    }

    /// Reads the members of all pages. The stream ends after the first error.
    pub fn follow_users(&self, external_userid: ExternalUserId) -> Pages<S, GetExternalContact> {
        self.pages(GetExternalContact::new(external_userid))
    }
}
