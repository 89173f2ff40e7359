//! Who is said to be there, how many customers each can have, and what became of the scans.

use std::{
    collections::{BTreeSet, HashSet},
    iter,
    sync::Arc,
};

use super::{ScanCounts, Scanned, Scanner, lock};
use crate::{profile::MemberFlag, world::Mistake};

// === impl Scanner ===

impl Scanner {
    /// Says who is there, of an enterprise or for one of its codes alone (which then counts); `None`: all.
    ///
    /// # Errors
    ///
    /// If the enterprise is not known, a member is not there, or there never was such a code; nothing is changed then.
    pub fn set_eligible(
        &self,
        corp: &str,
        config_id: Option<&str>,
        members: Option<HashSet<String>>,
    ) -> Result<(), Mistake> {
        let (corp, office) = self.0.known(corp)?;
        corp.check_codes("config_id", config_id.into_iter())?;
        let members = members.map(BTreeSet::from_iter);
        let userids = members.iter().flatten().map(String::as_str);
        corp.check_members("members", userids)?;
        let members = members.map(Arc::new);
        // Forgotten when the lock is given back: such a list may be long.
        let former = lock(&office).set_eligible(config_id, members);
        drop(former);
        Ok(())
    }

    /// Returns who was said to be there, by userid.
    ///
    /// # Errors
    ///
    /// If the enterprise is not known, or there never was such a code.
    pub fn eligible(
        &self,
        corp: &str,
        config_id: Option<&str>,
    ) -> Result<Option<Vec<String>>, Mistake> {
        let members = self.list_of_eligible(corp, config_id)?;
        Ok(members.map(|members| members.iter().cloned().collect()))
    }

    /// Returns the same as a list that is shared, so that the lock is not held while it is read.
    pub(crate) fn list_of_eligible(
        &self,
        corp: &str,
        config_id: Option<&str>,
    ) -> Result<Option<Arc<BTreeSet<String>>>, Mistake> {
        let (corp, office) = self.0.known(corp)?;
        corp.check_codes("config_id", config_id.into_iter())?;
        Ok(lock(&office).eligible(config_id))
    }

    /// Sets how many customers a member can have in a day; `None`: as the enterprise.
    ///
    /// # Errors
    ///
    /// If the enterprise is not known, or the member is not there.
    pub fn set_cap(&self, corp: &str, userid: &str, cap: Option<u32>) -> Result<(), Mistake> {
        let (corp, office) = self.0.known(corp)?;
        corp.check_members("userid", iter::once(userid))?;
        lock(&office).set_cap(userid, cap);
        Ok(())
    }

    /// Takes over what is kept of a member under another userid.
    ///
    /// # Errors
    ///
    /// If the enterprise is not known.
    pub fn renamed(&self, corp: &str, userid: &str, new: &str) -> Result<(), Mistake> {
        let (_, office) = self.0.known(corp)?;
        lock(&office).renamed(userid, new);
        Ok(())
    }

    /// Begins a new day: nobody had a customer yet, and whoever was full for that is no more. Returns how many were.
    ///
    /// # Errors
    ///
    /// If the enterprise is not known.
    pub fn new_day(&self, corp: &str) -> Result<usize, Mistake> {
        let (corp, office) = self.0.known(corp)?;
        let filled = lock(&office).new_day();
        let filled = filled.iter();
        Ok(filled
            .filter(|userid| corp.clear_flag(userid, MemberFlag::Full))
            .count())
    }

    /// Returns what became of the scans, of one enterprise or of all.
    #[must_use]
    pub fn counts(&self, corp: Option<&str>) -> ScanCounts {
        self.0.book.counts(corp)
    }

    /// Returns the last scans that were mis-routed, of one enterprise or of all, the newest first: of the last 1,000.
    #[must_use]
    pub fn mis_routed(&self, corp: Option<&str>) -> Vec<Scanned> {
        self.0.book.mis_routed(corp)
    }

    /// Begins to count scans anew.
    pub fn reset(&self) {
        self.0.book.reset();
    }
}
