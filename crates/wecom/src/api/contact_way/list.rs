//! `list_contact_way`: the ids of the codes that were created within a time.
//!
//! Only codes created after 2021-07-10 and not temporary are listed. There are ids alone; whoever wants more
//! calls `get_contact_way` for each, which has limits of its own.

use std::{ops::Range, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    api::{
        ConfigId, Paged, Pages, Turn, pages,
        reply::{non_empty, nullable},
    },
    call::{Call, Wire},
    client::{Client, Transport},
    error::{Error, Invalid},
    name::Api,
};

/// Which codes are to be listed: all of the last 90 days, 1000 to a page, if nothing else is said.
#[derive(Clone, Debug, Serialize)]
#[must_use = "nothing is listed before it is sent"]
pub struct ListContactWay {
    #[serde(skip_serializing_if = "Option::is_none")]
    start_time: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_time: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    limit: u16,
}

/// One page of codes.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct ContactWayPage {
    /// The ids of the codes.
    #[serde(deserialize_with = "ids")]
    pub contact_way: Vec<ConfigId>,
    /// Where the next page begins; none after the last.
    #[serde(default, deserialize_with = "non_empty")]
    pub next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct Entry {
    config_id: ConfigId,
}

// === impl ListContactWay ===

impl ListContactWay {
    /// Returns the call that lists the codes of the last 90 days, 1000 to a page.
    pub const fn new() -> Self {
        Self {
            start_time: None,
            end_time: None,
            cursor: None,
            limit: 1000,
        }
    }

    /// Lists the codes created at these times since the Unix epoch, as
    /// [`Clock::calendar`](crate::Clock::calendar) tells them, rounded outwards to whole seconds.
    ///
    /// # Errors
    ///
    /// If the time ends before it begins, or with it.
    pub fn created(mut self, time: Range<Duration>) -> Result<Self, Invalid> {
        if time.is_empty() {
            let what = format_args!("{:?} to {:?}", time.start, time.end);
            return Err(Invalid::new("start_time", what, "a time before end_time"));
        }
        let fraction = u64::from(time.end.subsec_nanos() > 0);
        self.start_time = Some(time.start.as_secs());
        self.end_time = Some(time.end.as_secs().saturating_add(fraction));
        Ok(self)
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

    /// Sets how many codes a page has: 1 to 1000. Default: 1000; WeCom's own is 100.
    ///
    /// # Errors
    ///
    /// If the number is out of its range.
    pub fn limit(mut self, limit: u16) -> Result<Self, Invalid> {
        if !(1..=1000).contains(&limit) {
            return Err(Invalid::new("limit", limit, "1 to 1000"));
        }
        self.limit = limit;
        Ok(self)
    }
}

impl Default for ListContactWay {
    fn default() -> Self {
        Self::new()
    }
}

impl Call for ListContactWay {
    const API: Api = Api::new("list_contact_way");
    type Reply = ContactWayPage;

    fn encode(&self) -> Result<Wire, Invalid> {
        Wire::post("/cgi-bin/externalcontact/list_contact_way", self)
    }
}

impl Paged for ListContactWay {
    type Item = ConfigId;

    fn set_cursor(&mut self, cursor: String) {
        self.cursor = Some(cursor);
    }

    fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }

    fn turn(reply: ContactWayPage) -> Turn<ConfigId> {
        Turn {
            items: reply.contact_way,
            next: reply.next_cursor,
        }
    }
}

// === impl Client ===

impl<S: Transport> Client<S> {
    /// Lists one page of codes.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_contact_way(&self, call: &ListContactWay) -> Result<ContactWayPage, Error> {
        self.send(call).await
    }

    /// Lists the codes of all pages. The stream ends after the first error.
    pub fn contact_ways(&self, call: ListContactWay) -> Pages<S, ListContactWay> {
        self.pages(call)
    }
}

fn ids<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<ConfigId>, D::Error> {
    let entries: Vec<Entry> = nullable(from)?;
    Ok(entries.into_iter().map(|entry| entry.config_id).collect())
}
