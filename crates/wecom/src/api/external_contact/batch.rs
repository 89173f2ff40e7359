//! `externalcontact/batch/get_by_user`: the customers of up to 100 members.
//!
//! Of members without a licence WeCom returns no customers and no error either, but their ids at another
//! place of the reply. The stream yields them as entries of their own, so that nobody takes them for
//! members without customers.

use serde::{Deserialize, Serialize};

use super::{ExternalContact, FollowUser};
use crate::{
    api::{
        Paged, Pages, Turn, UserId, Users, pages,
        reply::{non_empty, nullable},
    },
    call::{Call, Wire},
    client::{Client, Transport},
    error::{Error, Invalid},
    name::Api,
};

/// The members whose customers are to be read, 100 to a page if nothing else is said.
#[derive(Clone, Debug, Serialize)]
#[must_use = "nothing is read before it is sent"]
pub struct BatchGetByUser {
    userid_list: Users,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    limit: u8,
}

/// One page of customers.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct BatchPage {
    /// The customers. A reply without this list is an error, never an empty list.
    #[serde(deserialize_with = "nullable")]
    pub external_contact_list: Vec<Followed>,
    /// Where the next page begins; none after the last.
    #[serde(default, deserialize_with = "non_empty")]
    pub next_cursor: Option<String>,
    /// Of whom nothing was returned.
    #[serde(default, deserialize_with = "nullable")]
    pub fail_info: FailInfo,
}

/// A customer and the relation to one of the members.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct Followed {
    /// The customer.
    pub external_contact: ExternalContact,
    /// The relation.
    pub follow_info: FollowUser,
}

/// Of whom nothing was returned.
#[derive(Clone, Debug, Default, Deserialize)]
#[non_exhaustive]
pub struct FailInfo {
    /// The members without a licence.
    #[serde(default, deserialize_with = "nullable")]
    pub unlicensed_userid_list: Vec<UserId>,
}

/// An entry of the stream of all pages.
#[derive(Clone, Debug)]
pub enum BatchEntry {
    /// A customer of one of the members.
    Customer(Box<Followed>),
    /// A member of whose customers nothing is told, because he has no licence. He may come once for each page.
    Unlicensed(UserId),
}

// === impl BatchGetByUser ===

impl BatchGetByUser {
    /// Returns the call that reads the customers of these members, 100 to a page.
    pub const fn new(users: Users) -> Self {
        Self {
            userid_list: users,
            cursor: None,
            limit: 100,
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

    /// Sets how many customers a page has: 1 to 100. Default: 100; WeCom's own is 50.
    ///
    /// # Errors
    ///
    /// If the number is out of its range.
    pub fn limit(mut self, limit: u8) -> Result<Self, Invalid> {
        if !(1..=100).contains(&limit) {
            return Err(Invalid::new("limit", limit, "1 to 100"));
        }
        self.limit = limit;
        Ok(self)
    }
}

impl Call for BatchGetByUser {
    const API: Api = Api::new("batch/get_by_user");
    type Reply = BatchPage;

    fn encode(&self) -> Result<Wire, Invalid> {
        Wire::post("/cgi-bin/externalcontact/batch/get_by_user", self)
    }
}

impl Paged for BatchGetByUser {
    type Item = BatchEntry;

    fn set_cursor(&mut self, cursor: String) {
        self.cursor = Some(cursor);
    }

    fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }

    fn turn(reply: BatchPage) -> Turn<BatchEntry> {
        let unlicensed = reply.fail_info.unlicensed_userid_list.into_iter();
        let customers = reply.external_contact_list.into_iter();
        let customers = customers.map(|customer| BatchEntry::Customer(Box::new(customer)));
        let items = customers
            .chain(unlicensed.map(BatchEntry::Unlicensed))
            .collect();
        Turn {
            items,
            next: reply.next_cursor,
        }
    }
}

// === impl BatchEntry ===

/// By who it is, not by what is known of him.
impl std::hash::Hash for BatchEntry {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        match self {
            Self::Customer(customer) => {
                customer.external_contact.external_userid.hash(state);
                customer.follow_info.userid.hash(state);
            }
            Self::Unlicensed(user) => user.hash(state),
        }
    }
}

// === impl Client ===

impl<S: Transport> Client<S> {
    /// Reads one page of the customers of up to 100 members.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn batch_get_by_user(&self, call: &BatchGetByUser) -> Result<BatchPage, Error> {
        self.send(call).await
    }

    /// Reads the customers of all pages. The stream ends after the first error.
    pub fn customers(&self, call: BatchGetByUser) -> Pages<S, BatchGetByUser> {
        self.pages(call)
    }
}
