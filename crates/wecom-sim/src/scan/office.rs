//! What one enterprise's customers meet: who is said to be there, and how many each has had today.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    mem,
    sync::Arc,
};

use crate::{
    profile::{self, MemberFlag},
    world::{Corp, Random},
};

/// One enterprise, as its customers meet it.
#[derive(Debug)]
pub(super) struct Office {
    /// Shared, so that who is drawn is found without the lock.
    random: Arc<Random>,
    /// Those said to be there; `None`: all.
    eligible: Option<Arc<BTreeSet<String>>>,
    /// The same for single codes, where it counts instead.
    eligible_of: HashMap<String, Arc<BTreeSet<String>>>,
    /// Customers a day for each member.
    cap: Option<u32>,
    /// The same for single members, where it counts instead.
    cap_of: HashMap<String, u32>,
    /// Customers of today, of members with a limit.
    today: HashMap<String, u32>,
    /// Those who were made full here.
    filled: HashSet<String>,
    customers: u64,
}

// === impl Office ===

impl Office {
    pub(super) fn new(seed: u64, corp: &profile::Corp) -> Self {
        let own = corp.members.iter().filter_map(|member| {
            let cap = member.customers_per_day?;
            Some((member.userid.clone(), cap))
        });
        Self {
            random: Arc::new(Random::new(seed, &format!("scans of {}", corp.id))),
            eligible: None,
            eligible_of: HashMap::new(),
            cap: corp.customers_per_day,
            cap_of: own.collect(),
            today: HashMap::new(),
            filled: HashSet::new(),
            customers: 0,
        }
    }

    /// Returns a customer who was never here.
    pub(super) fn somebody_new(&mut self) -> String {
        self.customers += 1;
        format!("wm{:016x}{:08x}", self.random.next(), self.customers)
    }

    pub(super) fn welcome_code(&self) -> String {
        format!("{:016x}{:016x}", self.random.next(), self.random.next())
    }

    /// Returns who is said to be there when a code is scanned; `None`: all.
    pub(super) fn there(&self, config_id: &str) -> Option<Arc<BTreeSet<String>>> {
        let there = self.eligible_of.get(config_id).or(self.eligible.as_ref());
        there.map(Arc::clone)
    }

    /// Returns what decides who is drawn.
    pub(super) fn random(&self) -> Arc<Random> {
        Arc::clone(&self.random)
    }

    /// Notes one more customer of a member, and that it is full if it is.
    pub(super) fn took(&mut self, corp: &Corp, userid: &str) {
        let Some(cap) = self.cap_of.get(userid).copied().or(self.cap) else {
            return;
        };
        let today = self.today.entry(String::from(userid)).or_default();
        *today += 1;
        if *today >= cap && corp.set_flag(userid, MemberFlag::Full) {
            self.filled.insert(String::from(userid));
        }
    }

    /// Begins a new day; returns who was made full, whose flags are to be cleared without the lock: until then nobody
    /// of them gets a customer.
    pub(super) fn new_day(&mut self) -> HashSet<String> {
        self.today = HashMap::new();
        mem::take(&mut self.filled)
    }

    pub(super) fn set_cap(&mut self, userid: &str, cap: Option<u32>) {
        match cap {
            Some(cap) => self.cap_of.insert(String::from(userid), cap),
            None => self.cap_of.remove(userid),
        };
    }

    pub(super) fn renamed(&mut self, userid: &str, new: &str) {
        if let Some(cap) = self.cap_of.remove(userid) {
            self.cap_of.insert(String::from(new), cap);
        }
        if let Some(today) = self.today.remove(userid) {
            self.today.insert(String::from(new), today);
        }
        let lists = self
            .eligible
            .iter_mut()
            .chain(self.eligible_of.values_mut());
        for list in lists.filter(|list| list.contains(userid)) {
            let list = Arc::make_mut(list);
            list.remove(userid);
            list.insert(String::from(new));
        }
        if self.filled.remove(userid) {
            self.filled.insert(String::from(new));
        }
    }

    /// Sets who is said to be there; returns who was.
    pub(super) fn set_eligible(
        &mut self,
        config_id: Option<&str>,
        members: Option<Arc<BTreeSet<String>>>,
    ) -> Option<Arc<BTreeSet<String>>> {
        match (config_id, members) {
            (None, members) => mem::replace(&mut self.eligible, members),
            (Some(code), Some(members)) => self.eligible_of.insert(String::from(code), members),
            (Some(code), None) => self.eligible_of.remove(code),
        }
    }

    pub(super) fn eligible(&self, config_id: Option<&str>) -> Option<Arc<BTreeSet<String>>> {
        let there = match config_id {
            Some(code) => self.eligible_of.get(code),
            None => self.eligible.as_ref(),
        };
        there.map(Arc::clone)
    }
}

/// Whether a customer can be added to a member at all.
pub(super) fn has_no_flag(corp: &Corp, userid: &str) -> bool {
    let member = corp.member(userid);
    member.is_some_and(|member| member.flags.is_empty())
}
