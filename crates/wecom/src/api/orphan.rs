//! Codes whose id was lost, and how to find them.
//!
//! When the answer to `add_contact_way` is lost, a code may exist whose id nobody knows: WeCom's console
//! does not show it, and it counts among the 500,000 of the enterprise for ever. All that leads to it is
//! the time at which it was made, its `state` and its `remark`. So one lists the codes of that time and
//! reads each.

use std::{ops::Range, time::Duration};

use super::{ContactWay, ListContactWay};
use crate::{
    call::Call,
    client::{Client, Transport},
    error::{Class, Error, Kind},
};

// === impl Client ===

impl<S: Transport> Client<S> {
    /// Returns the codes made at these times (since the Unix epoch) that are `wanted`.
    ///
    /// It costs one call for 1000 codes and one for each, so take a short time: from a minute before the first
    /// attempt to a minute after the last, for the clocks may differ. Temporary codes are not found, nor those
    /// made before 2021-07-10. A code that is removed meanwhile is left out.
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use wecom::{Client, Clock, Error, Transport, api::ContactWay};
    /// # async fn recover<S: Transport>(client: &Client<S>, clock: Clock) -> Result<Vec<ContactWay>, Error> {
    /// let minute = Duration::from_secs(60);
    /// let now = clock.calendar();
    /// client.find_contact_ways(now - minute..now + minute, |code| code.state == "门店-3").await
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The first error that a call ends with: what was not read must not be taken for what is not there. So
    /// "none" is certain, as of when it was read.
    pub async fn find_contact_ways<F>(
        &self,
        created: Range<Duration>,
        mut wanted: F,
    ) -> Result<Vec<ContactWay>, Error>
    where
        F: FnMut(&ContactWay) -> bool + Send,
    {
        let list = ListContactWay::new().created(created);
        let list =
            list.map_err(|invalid| Error::new(ListContactWay::API, Kind::Invalid(invalid)))?;
        let mut ids = self.contact_ways(list);
        let mut found = Vec::new();
        while let Some(id) = ids.next().await {
            match self.get_contact_way(&id?).await {
                Ok(code) if wanted(&code) => found.push(code),
                Ok(_) => {}
                Err(error) if error.class() == Class::CodeGone => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }
}
