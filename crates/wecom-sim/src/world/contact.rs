//! The customers of one enterprise: who added whom, by which code.
//!
//! A removed one is told of by the reads for a while (`read_lag_s`), as happens after a delete event.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::hold;

/// All of them, by a serial that grows: pages go by it, so that additions move none.
#[derive(Debug, Default)]
pub(crate) struct Contacts {
    rows: BTreeMap<u32, Row>,
    by_customer: BTreeMap<Arc<str>, BTreeSet<u32>>,
    by_member: BTreeMap<u32, BTreeSet<u32>>,
    /// Removed rows that the reads still tell of, each behind the moment until when, in ns of the clock.
    leaving: BTreeSet<(u64, u32)>,
    next: u32,
}

/// A customer whom a member has.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) customer: Arc<str>,
    pub(crate) member: u32,
    pub(crate) state: Box<str>,
    pub(crate) add_way: u8,
    pub(crate) createtime: u64,
    /// Removed: until when the reads tell of it, in ns of the clock.
    told_until: Option<u64>,
}

// === impl Row ===

impl Row {
    pub(crate) fn new(
        customer: &str,
        member: u32,
        state: &str,
        add_way: u8,
        createtime: u64,
    ) -> Self {
        Self {
            customer: customer.into(),
            member,
            state: state.into(),
            add_way,
            createtime,
            told_until: None,
        }
    }

    /// Whether it was not removed.
    pub(crate) fn is_there(&self) -> bool {
        self.told_until.is_none()
    }
}

// === impl Contacts ===

impl Contacts {
    /// Adds one, in place of what this member has of this customer. `false` when the serials have run out.
    pub(crate) fn add(&mut self, mut row: Row) -> bool {
        if let Some(old) = self.find(&row.customer, row.member) {
            self.drop_row(old);
        }
        let serial = self.next;
        let Some(next) = serial.checked_add(1) else {
            return false;
        };
        self.next = next;
        if let Some((customer, _)) = self.by_customer.get_key_value(&row.customer) {
            row.customer = Arc::clone(customer);
        }
        self.by_customer
            .entry(Arc::clone(&row.customer))
            .or_default()
            .insert(serial);
        self.by_member.entry(row.member).or_default().insert(serial);
        self.rows.insert(serial, row);
        true
    }

    /// Removes one that is there; the reads tell of it until `told_until`, in ns of the clock.
    pub(crate) fn remove(&mut self, customer: &str, member: u32, told_until: u64) -> bool {
        let Some(serial) = self.find(customer, member) else {
            return false;
        };
        match self.rows.get_mut(&serial) {
            Some(row) if row.is_there() => {
                row.told_until = Some(told_until);
                self.leaving.insert((told_until, serial));
                true
            }
            _ => false,
        }
    }

    /// Forgets those removed ones that the reads no longer tell of.
    pub(crate) fn settle(&mut self, now: u64) {
        while let Some(&(until, serial)) = self.leaving.first()
            && until <= now
        {
            self.drop_row(serial);
        }
    }

    /// How many there are, without removed ones.
    pub(crate) fn count(&self) -> usize {
        self.rows.len() - self.leaving.len()
    }

    /// All rows from this serial on, oldest first, also removed ones that the reads still tell of.
    pub(crate) fn from(&self, serial: u32) -> impl Iterator<Item = (u32, &Row)> {
        let rows = self.rows.range(serial..).inspect(|_| hold::touch());
        rows.map(|(serial, row)| (*serial, row))
    }

    /// The rows of a customer from this serial on; `None` if there is no such customer.
    pub(crate) fn of_customer(
        &self,
        customer: &str,
        from: u32,
    ) -> Option<impl Iterator<Item = (u32, &Row)>> {
        let serials = self.by_customer.get(customer)?;
        Some(self.rows_of(serials.range(from..)))
    }

    /// The rows of a member from this serial on.
    pub(crate) fn of_member(&self, member: u32, from: u32) -> impl Iterator<Item = (u32, &Row)> {
        let serials = self.by_member.get(&member);
        self.rows_of(
            serials
                .into_iter()
                .flat_map(move |serials| serials.range(from..)),
        )
    }

    /// Whether this member has this customer, as far as the reads tell.
    pub(crate) fn has(&self, customer: &str, member: u32) -> bool {
        self.find(customer, member).is_some()
    }

    fn rows_of<'a>(
        &'a self,
        serials: impl Iterator<Item = &'a u32>,
    ) -> impl Iterator<Item = (u32, &'a Row)> {
        let rows = serials.inspect(|_| hold::touch());
        rows.filter_map(|serial| Some((*serial, self.rows.get(serial)?)))
    }

    fn find(&self, customer: &str, member: u32) -> Option<u32> {
        let mut rows = self.of_customer(customer, 0)?;
        rows.find(|(_, row)| row.member == member)
            .map(|(serial, _)| serial)
    }

    fn drop_row(&mut self, serial: u32) {
        let Some(row) = self.rows.remove(&serial) else {
            return;
        };
        if let Some(until) = row.told_until {
            self.leaving.remove(&(until, serial));
        }
        if let Some(serials) = self.by_customer.get_mut(&row.customer) {
            serials.remove(&serial);
            if serials.is_empty() {
                self.by_customer.remove(&row.customer);
            }
        }
        if let Some(serials) = self.by_member.get_mut(&row.member) {
            serials.remove(&serial);
            if serials.is_empty() {
                self.by_member.remove(&row.member);
            }
        }
    }
}
