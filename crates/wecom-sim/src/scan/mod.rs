//! Customers who scan codes, and the truth about where they ended up.
//!
//! WeCom sends whoever scans a code to one of the members on the code's list *at that moment*, each as likely. So a
//! list that is out of date sends customers to members who cannot or should not have them: that is what a platform
//! that maintains codes is measured by, and what no answer of WeCom ever tells it. Here each scan is held against
//! who was eligible when it happened: without a flag, and among those of whom the outside says that they are there
//! ([`Scanner::set_eligible`]), all of the enterprise unless it says so. A code's list ought to be of those; who is
//! eligible and not on it is named too ([`Scanned::eligible`]), for that is who would have been right.
//!
//! | the member | customer added and event sent | counts as |
//! |---|---|---|
//! | has no flag and is among those said to be there | yes | routed |
//! | has no flag, but is not among them | yes | mis-routed |
//! | has a flag, or is gone | no | mis-routed |
//! | there is none: the list is empty, or the code is gone | no | nowhere |
//!
//! Who is full after so many customers in a day gets its flag here. That an exclusive code keeps a customer's member
//! is not simulated: each scan is of a new customer, unless it is given.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
};

use self::{
    aim::Aim,
    book::Book,
    generator::Generators,
    office::{Office, has_no_flag},
    scanned::LONGEST_LIST,
};
use crate::{
    callback::{Event, Sender},
    profile::{self, AddEvents},
    world::{CodeView, Corp, Mistake, NewRelation, World},
};

mod aim;
mod book;
mod generator;
mod office;
mod scanned;
mod settings;
#[cfg(test)]
mod turn_tests;

pub use self::{
    book::ScanCounts,
    generator::{Load, LoadView},
    scanned::{Outcome, Scanned},
};

/// Scans codes. Cheap to clone; clones are the same one.
#[derive(Clone)]
pub struct Scanner(Arc<Inner>);

struct Inner {
    world: World,
    sender: Sender,
    offices: RwLock<HashMap<String, Arc<Mutex<Office>>>>,
    book: Book,
    generators: Generators,
}

/// One scan that is to happen.
#[derive(Clone, Copy, Debug)]
pub struct Scan<'a> {
    /// The enterprise.
    pub corp: &'a str,
    /// The code's `config_id`.
    pub config_id: &'a str,
    /// Who scans; absent: somebody new.
    pub external_userid: Option<&'a str>,
    /// When, in seconds since the Unix epoch; absent: now.
    pub at_s: Option<u64>,
}

// === impl Scanner ===

impl Scanner {
    /// Returns the scanner of a world, whose events go to `sender`.
    #[must_use]
    pub fn new(world: &World, sender: &Sender) -> Self {
        Self(Arc::new(Inner {
            world: world.clone(),
            sender: sender.clone(),
            offices: RwLock::default(),
            book: Book::default(),
            generators: Generators::default(),
        }))
    }

    /// Takes how many customers the members of an enterprise can have in a day.
    pub fn add_corp(&self, corp: &profile::Corp) {
        let office = Office::new(self.0.world.seed(), corp);
        let mut offices = self
            .0
            .offices
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        offices.insert(corp.id.clone(), Arc::new(Mutex::new(office)));
    }

    /// Scans a code once: somebody new, now.
    ///
    /// # Errors
    ///
    /// As for [`scan_as`](Self::scan_as).
    pub fn scan(&self, corp: &str, config_id: &str) -> Result<Scanned, Mistake> {
        self.scan_as(Scan {
            corp,
            config_id,
            external_userid: None,
            at_s: None,
        })
    }

    /// Scans a code so many times in one second: all of their events have one `CreateTime`.
    ///
    /// # Errors
    ///
    /// As for [`scan_as`](Self::scan_as).
    pub fn burst(&self, corp: &str, config_id: &str, count: u32) -> Result<Vec<Scanned>, Mistake> {
        let at_s = Some(self.0.world.calendar().as_secs());
        let scan = Scan {
            corp,
            config_id,
            external_userid: None,
            at_s,
        };
        (0..count).map(|_| self.scan_as(scan)).collect()
    }

    /// Scans a code. Where very few of many members are on its list, this takes as long as finding them does.
    ///
    /// # Errors
    ///
    /// If the enterprise is not known, or there never was such a code.
    pub fn scan_as(&self, scan: Scan<'_>) -> Result<Scanned, Mistake> {
        let mut aim = Aim::new(&self.0, scan)?;
        while !aim.step() {}
        self.meet(scan, aim)
    }

    /// Does the same in a task, and lets others have their turn after each piece of work: it can end there too.
    pub(crate) async fn scan_in_turn(&self, scan: Scan<'_>) -> Result<Scanned, Mistake> {
        let mut aim = Aim::new(&self.0, scan)?;
        tokio::task::yield_now().await;
        while !aim.step() {
            tokio::task::yield_now().await;
        }
        self.meet(scan, aim)
    }

    /// Brings a customer to the member who was drawn.
    fn meet(&self, scan: Scan<'_>, aim: Aim) -> Result<Scanned, Mistake> {
        let (mut eligible, is_cut) = aim.eligible();
        let corp = &aim.corp;
        let code = aim.code.as_ref();
        let state = code.map_or_else(String::new, |code| code.state.clone());
        let mut office = lock(&aim.office);
        let userid = aim.userid.as_deref();
        let (can_be_added, is_fit) = userid.map_or((false, false), |userid| {
            let has_no_flag = has_no_flag(corp, userid);
            (has_no_flag, has_no_flag && aim.is_there(userid))
        });
        let added = match (userid, code) {
            (Some(userid), Some(code)) if can_be_added => Some((userid, code)),
            _ => None,
        };
        if let Some((userid, code)) = added {
            let relation = NewRelation {
                external_userid: &aim.customer,
                userid,
                state: &state,
                add_way: SCANNED,
                createtime: aim.at_s,
            };
            corp.add_relation(relation)?;
            office.took(corp, userid);
            let welcome = office.welcome_code();
            self.tell(corp, code, relation, &welcome)?;
        }
        drop(office);
        if !is_fit {
            // It may have become full by a scan at the same time.
            eligible.retain(|other| Some(other.as_str()) != userid);
        }
        let outcome = match (userid, is_fit) {
            (None, _) => Outcome::Nowhere,
            (Some(_), true) => Outcome::Routed,
            (Some(_), false) => Outcome::MisRouted,
        };
        let is_added = added.is_some();
        let at = self.0.world.calendar();
        let scanned = Scanned {
            corp: String::from(scan.corp),
            config_id: String::from(scan.config_id),
            state,
            at_ms: u64::try_from(at.as_millis()).unwrap_or(u64::MAX),
            external_userid: aim.customer,
            userid: aim.userid,
            eligible,
            is_eligible_cut: is_cut,
            outcome,
            is_added,
        };
        self.0.book.note(&scanned);
        Ok(scanned)
    }

    /// Tells of a customer who was added.
    fn tell(
        &self,
        corp: &Corp,
        code: &CodeView,
        relation: NewRelation<'_>,
        welcome: &str,
    ) -> Result<(), Mistake> {
        let adds = self.0.world.settings().callbacks.adds;
        let changes: &[&'static str] = match (adds, code.skip_verify) {
            // Without verification alone a customer can be half added.
            (AddEvents::Full, _) | (_, false) => &[FULL],
            (AddEvents::Half, true) => &[HALF],
            (AddEvents::Both, true) => &[HALF, FULL],
        };
        for change in changes {
            let NewRelation {
                userid,
                external_userid,
                createtime,
                state,
                ..
            } = relation;
            let mut event = Event::customer(change, userid, external_userid, createtime);
            if !state.is_empty() {
                event = event.with("State", state);
            }
            self.0
                .sender
                .tell(corp.id(), event.with("WelcomeCode", welcome))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Scanner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scanner")
    }
}

// === impl Inner ===

impl Inner {
    fn known(&self, id: &str) -> Result<(Arc<Corp>, Arc<Mutex<Office>>), Mistake> {
        let offices = self.offices.read().unwrap_or_else(PoisonError::into_inner);
        let office = offices.get(id).map(Arc::clone);
        let unknown = || Mistake(format!("there is no enterprise {id:?}"));
        self.world.corp(id).zip(office).ok_or_else(unknown)
    }
}

fn lock(office: &Mutex<Office>) -> MutexGuard<'_, Office> {
    office.lock().unwrap_or_else(PoisonError::into_inner)
}

const FULL: &str = "add_external_contact";
const HALF: &str = "add_half_external_contact";

/// `add_way` of a scanned code.
const SCANNED: u8 = 1;
