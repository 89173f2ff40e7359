//! A scan on its way: whom it meets is found in steps, so that others have their turn between two of them.

use std::{
    collections::BTreeSet,
    iter,
    sync::{Arc, Mutex},
};

use super::{Inner, LONGEST_LIST, Scan, lock, office::Office};
use crate::world::{CodeView, Corp, Drawn, Mistake, Random, Targets};

/// A scan that has begun.
pub(super) struct Aim {
    pub(super) corp: Arc<Corp>,
    pub(super) office: Arc<Mutex<Office>>,
    pub(super) code: Option<CodeView>,
    pub(super) customer: String,
    pub(super) at_s: u64,
    /// Those said to be there; `None`: all.
    pub(super) there: Option<Arc<BTreeSet<String>>>,
    targets: Option<Targets>,
    random: Arc<Random>,
    /// To whom it goes, once [`step`](Self::step) returned true.
    pub(super) userid: Option<String>,
}

// === impl Aim ===

impl Aim {
    pub(super) fn new(inner: &Inner, scan: Scan<'_>) -> Result<Self, Mistake> {
        let (corp, office) = inner.known(scan.corp)?;
        let at_s = scan
            .at_s
            .unwrap_or_else(|| inner.world.calendar().as_secs());
        let targets = corp.targets(scan.config_id);
        let code = corp.code(scan.config_id);
        if code.is_none() {
            corp.check_codes("config_id", iter::once(scan.config_id))?;
        }
        let mut held = lock(&office);
        let customer = match scan.external_userid {
            Some(given) => String::from(given),
            None => held.somebody_new(),
        };
        let (there, random) = (held.there(scan.config_id), held.random());
        drop(held);
        Ok(Self {
            corp,
            office,
            code,
            customer,
            at_s,
            there,
            targets,
            random,
            userid: None,
        })
    }

    /// Comes nearer to whom it goes, by a piece of a list at most; returns whether it is known.
    pub(super) fn step(&mut self) -> bool {
        let Some(targets) = &mut self.targets else {
            return true;
        };
        match targets.draw(&self.corp, &self.random) {
            Drawn::Later => return false,
            Drawn::Member(userid) => self.userid = Some(userid.as_ref().into()),
            Drawn::Nobody => {}
        }
        true
    }

    /// Returns who would have been right, the fit on the list first, and whether there may be more.
    pub(super) fn eligible(&self) -> (Vec<String>, bool) {
        let there = self.there.as_deref();
        let targets = self.targets.as_ref();
        let head = targets.map_or_else(Vec::new, |targets| targets.head(&self.corp));
        let fit = head
            .iter()
            .filter(|(userid, has_no_flag)| *has_no_flag && self.is_there(userid));
        let mut found: Vec<String> = fit.map(|(userid, _)| userid.clone()).collect();
        if found.len() > LONGEST_LIST {
            found.truncate(LONGEST_LIST);
            return (found, true);
        }
        let on_list: BTreeSet<&str> = head.iter().map(|(userid, _)| userid.as_str()).collect();
        let left = LONGEST_LIST - found.len();
        let is_other = |userid: &str| !on_list.contains(userid);
        let (others, is_cut) = self.corp.without_flag(there, is_other, left);
        found.extend(others);
        (found, is_cut)
    }

    /// Whether it is right that a member gets the customer.
    pub(super) fn is_there(&self, userid: &str) -> bool {
        let there = self.there.as_deref();
        there.is_none_or(|there| there.contains(userid))
    }
}
