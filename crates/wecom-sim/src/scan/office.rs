//! What one enterprise's customers meet: who is said to be there, and how many each has had today.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    mem,
    sync::Arc,
};

use super::{Choice, LONGEST_LIST};
use crate::{
    profile::{self, MemberFlag},
    world::{Corp, Random},
};

/// One enterprise, as its customers meet it.
#[derive(Debug)]
pub(super) struct Office {
    random: Random,
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
            random: Random::new(seed, &format!("scans of {}", corp.id)),
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

    /// Draws one of the members as WeCom does, and says who would have been right.
    pub(super) fn choose(&self, corp: &Corp, config_id: &str, mut targets: Vec<String>) -> Choice {
        let there = self.eligible_of.get(config_id).or(self.eligible.as_ref());
        let there = there.map(Arc::as_ref);
        let is_fit = |userid: &String| {
            there.is_none_or(|there| there.contains(userid)) && has_no_flag(corp, userid)
        };
        let fit: Vec<bool> = targets.iter().map(is_fit).collect();
        let (eligible, is_cut) = eligible(corp, &targets, &fit, there);
        let mut choice = Choice {
            userid: None,
            is_fit: false,
            eligible,
            is_cut,
        };
        if !targets.is_empty() {
            let place = self.random.below(targets.len());
            choice.is_fit = fit[place];
            choice.userid = Some(targets.swap_remove(place));
        }
        choice
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

    pub(super) fn new_day(&mut self, corp: &Corp) -> usize {
        self.today.clear();
        let filled = self.filled.drain();
        filled
            .filter(|userid| corp.clear_flag(userid, MemberFlag::Full))
            .count()
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

/// Returns who would have been right, the fit among the targets first, and whether there may be more.
fn eligible(
    corp: &Corp,
    targets: &[String],
    fit: &[bool],
    there: Option<&BTreeSet<String>>,
) -> (Vec<String>, bool) {
    let fit = targets.iter().zip(fit).filter(|(_, fit)| **fit);
    let mut found: Vec<String> = fit.map(|(userid, _)| userid.clone()).collect();
    if found.len() > LONGEST_LIST {
        found.truncate(LONGEST_LIST);
        return (found, true);
    }
    let on_list: HashSet<&str> = targets.iter().map(String::as_str).collect();
    let left = LONGEST_LIST - found.len();
    let is_other = |userid: &str| !on_list.contains(userid);
    let (others, is_cut) = corp.without_flag(there, is_other, left);
    found.extend(others);
    (found, is_cut)
}

/// Whether a customer can be added to a member at all.
pub(super) fn has_no_flag(corp: &Corp, userid: &str) -> bool {
    let member = corp.member(userid);
    member.is_some_and(|member| member.flags.is_empty())
}
