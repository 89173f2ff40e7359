//! The members of one enterprise and its departments.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use super::hold;
use crate::profile::MemberFlag;

/// The members, by number and by userid. A number is never given twice: codes hold numbers.
#[derive(Debug, Default)]
pub(crate) struct Members {
    rows: Vec<Row>,
    /// Looked up, never walked: its order is not the seed's.
    numbers: HashMap<Arc<str>, u32>,
    /// Department and seat of each that is there.
    by_department: BTreeSet<(u32, Seat)>,
}

/// One member.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) userid: Arc<str>,
    departments: Box<[u32]>,
    pub(crate) flags: Flags,
    /// Removed: only codes and customers still know of it.
    pub(crate) gone: bool,
}

/// Where a member is in a department: those whom its codes reach first, then by number.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Seat {
    is_left_out: bool,
    pub(crate) number: u32,
}

/// The flags of a member, one bit each.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Flags(u16);

/// The departments, by id; 1 is the root and always there.
#[derive(Debug)]
pub(crate) struct Departments {
    by_id: BTreeMap<u32, Department>,
    /// Parent and id of each.
    by_parent: BTreeSet<(u32, u32)>,
}

#[derive(Debug)]
pub(crate) struct Department {
    pub(crate) name: Box<str>,
    pub(crate) parent: u32,
}

/// Every flag and the `errcode` of a code that names such a member, the first that applies.
const FLAGS: [(MemberFlag, Option<i64>); 10] = [
    (MemberFlag::Missing, Some(60111)),
    (MemberFlag::MissingAsInvalid, Some(40003)),
    (MemberFlag::Left, Some(40003)),
    (MemberFlag::OutOfScope, Some(50002)),
    (MemberFlag::NoPrivilege, Some(60011)),
    (MemberFlag::NotVerified, Some(40098)),
    (MemberFlag::NotActivated, Some(41054)),
    (MemberFlag::NoPermission, Some(84074)),
    (MemberFlag::Full, Some(40099)),
    (MemberFlag::Disabled, None),
];

// === impl Flags ===

impl Flags {
    pub(crate) fn of(flags: &[MemberFlag]) -> Self {
        let mut all = Self::default();
        for flag in flags {
            all.set(*flag);
        }
        all
    }

    pub(crate) fn has(self, flag: MemberFlag) -> bool {
        self.0 & bit(flag) != 0
    }

    pub(crate) fn set(&mut self, flag: MemberFlag) {
        self.0 |= bit(flag);
    }

    pub(crate) fn clear(&mut self, flag: MemberFlag) {
        self.0 &= !bit(flag);
    }

    pub(crate) fn list(self) -> Vec<MemberFlag> {
        let flags = FLAGS.iter().map(|(flag, _)| *flag);
        flags.filter(|flag| self.has(*flag)).collect()
    }

    /// What a code that names the member is answered with.
    pub(crate) fn errcode_on_code(self) -> Option<i64> {
        FLAGS
            .iter()
            .find(|(flag, _)| self.has(*flag))
            .and_then(|(_, errcode)| *errcode)
    }

    /// What a read of the member is answered with.
    pub(crate) fn errcode_on_read(self) -> Option<i64> {
        let hidden = [
            MemberFlag::Missing,
            MemberFlag::MissingAsInvalid,
            MemberFlag::OutOfScope,
            MemberFlag::NoPrivilege,
        ];
        let hides =
            |(flag, _): &&(MemberFlag, Option<i64>)| hidden.contains(flag) && self.has(*flag);
        FLAGS.iter().find(hides).and_then(|(_, errcode)| *errcode)
    }

    /// `status` of `user/get`: 1 active, 2 disabled, 4 not activated, 5 left.
    pub(crate) fn status(self) -> u8 {
        if self.has(MemberFlag::Left) {
            5
        } else if self.has(MemberFlag::Disabled) {
            2
        } else if self.has(MemberFlag::NotActivated) {
            4
        } else {
            1
        }
    }

    /// Whether it is on the follow-user list: it has the customer-contact feature and may use it, which those who are
    /// not verified perhaps do.
    pub(crate) fn may_follow(self, unverified_may: bool) -> bool {
        let mut left = self;
        left.clear(MemberFlag::Full);
        if unverified_may {
            left.clear(MemberFlag::NotVerified);
        }
        left == Self::default()
    }

    /// Whether a department's code sends customers to it: all that a code could name, full or disabled or not.
    pub(crate) fn is_reached_by_department(self) -> bool {
        let left = Self(self.0 & !bit(MemberFlag::Full) & !bit(MemberFlag::Disabled));
        left == Self::default()
    }
}

fn bit(flag: MemberFlag) -> u16 {
    let place = FLAGS.iter().position(|(there, _)| *there == flag);
    place.map_or(0, |place| 1 << place)
}

// === impl Members ===

impl Members {
    pub(crate) fn number(&self, userid: &str) -> Option<u32> {
        self.numbers.get(userid).copied()
    }

    pub(crate) fn get(&self, number: u32) -> Option<&Row> {
        self.rows.get(usize::try_from(number).ok()?)
    }

    fn get_mut(&mut self, number: u32) -> Option<&mut Row> {
        self.rows.get_mut(usize::try_from(number).ok()?)
    }

    /// How many are there.
    pub(crate) fn count(&self) -> usize {
        self.numbers.len()
    }

    /// How many ever were there.
    pub(crate) fn places(&self) -> usize {
        self.rows.len()
    }

    /// All from this number on, in the order in which they came, also those that are gone.
    pub(crate) fn from(&self, number: u32) -> impl Iterator<Item = (u32, &Row)> {
        let skipped = usize::try_from(number).unwrap_or(usize::MAX);
        let rest = self.rows.get(skipped..).unwrap_or_default();
        (number..).zip(rest).inspect(|_| hold::touch())
    }

    /// The seats, from this one on, of those that are in this department itself, or of those alone whom it reaches.
    pub(crate) fn within(
        &self,
        department: u32,
        from: Seat,
        only_reached: bool,
    ) -> impl Iterator<Item = Seat> {
        let last = Seat {
            is_left_out: !only_reached,
            number: u32::MAX,
        };
        let those = (department, from)..=(department, last);
        let those = self.by_department.range(those).inspect(|_| hold::touch());
        those.map(|(_, seat)| *seat)
    }

    pub(crate) fn reserve(&mut self, more: usize) {
        self.rows.reserve_exact(more);
        self.numbers.reserve(more);
    }

    /// Adds one; `false` if there is one of this userid.
    pub(crate) fn add(&mut self, userid: &str, departments: Box<[u32]>, flags: Flags) -> bool {
        let Ok(number) = u32::try_from(self.rows.len()) else {
            return false;
        };
        if self.numbers.contains_key(userid) {
            return false;
        }
        let userid: Arc<str> = userid.into();
        self.numbers.insert(Arc::clone(&userid), number);
        let seat = Seat::of(number, flags);
        let seats = departments.iter().map(|id| (*id, seat));
        self.by_department.extend(seats);
        self.rows.push(Row {
            userid,
            departments,
            flags,
            gone: false,
        });
        true
    }

    pub(crate) fn remove(&mut self, userid: &str) -> bool {
        let Some(number) = self.numbers.remove(userid) else {
            return false;
        };
        self.leave(number);
        self.get_mut(number).map(|row| row.gone = true).is_some()
    }

    /// Puts one in these departments alone; returns whether it is there.
    pub(crate) fn put(&mut self, userid: &str, departments: Box<[u32]>) -> bool {
        let Some(number) = self.number(userid) else {
            return false;
        };
        self.leave(number);
        let row = self.get_mut(number);
        let is_there = row.map(|row| row.departments = departments).is_some();
        self.enter(number);
        is_there
    }

    /// Changes the flags of one; returns whether it is there.
    pub(crate) fn flag(&mut self, userid: &str, change: impl FnOnce(&mut Flags)) -> bool {
        let Some(number) = self.number(userid) else {
            return false;
        };
        let Some(row) = self.get_mut(number) else {
            return false;
        };
        let mut flags = row.flags;
        change(&mut flags);
        if Seat::of(number, flags) == Seat::of(number, row.flags) {
            row.flags = flags;
            return true;
        }
        self.leave(number);
        let row = self.get_mut(number);
        let is_there = row.map(|row| row.flags = flags).is_some();
        self.enter(number);
        is_there
    }

    /// Puts one into the index of departments.
    fn enter(&mut self, number: u32) {
        let Self {
            rows,
            by_department,
            ..
        } = self;
        let row = usize::try_from(number).ok().and_then(|at| rows.get(at));
        if let Some(row) = row {
            let seat = Seat::of(number, row.flags);
            by_department.extend(row.departments.iter().map(|id| (*id, seat)));
        }
    }

    /// Takes one out of the index of departments.
    fn leave(&mut self, number: u32) {
        let Self {
            rows,
            by_department,
            ..
        } = self;
        let row = usize::try_from(number).ok().and_then(|at| rows.get(at));
        let Some(row) = row else {
            return;
        };
        let seat = Seat::of(number, row.flags);
        for id in &row.departments {
            by_department.remove(&(*id, seat));
        }
    }

    /// Gives one another userid that nobody has; `false` if it is not there or somebody has.
    pub(crate) fn rename(&mut self, userid: &str, new: &str) -> bool {
        if self.numbers.contains_key(new) {
            return false;
        }
        let Some(number) = self.numbers.remove(userid) else {
            return false;
        };
        let new: Arc<str> = new.into();
        self.numbers.insert(Arc::clone(&new), number);
        if let Some(row) = self.get_mut(number) {
            row.userid = new;
        }
        true
    }
}

// === impl Row ===

impl Row {
    pub(crate) fn departments(&self) -> &[u32] {
        &self.departments
    }

    /// Whether a code of its departments sends customers to it.
    pub(crate) fn is_reached(&self) -> bool {
        !self.gone && self.flags.is_reached_by_department()
    }
}

// === impl Seat ===

impl Seat {
    /// No seat is before it.
    pub(crate) const FIRST: Self = Self {
        is_left_out: false,
        number: 0,
    };

    fn of(number: u32, flags: Flags) -> Self {
        Self {
            is_left_out: !flags.is_reached_by_department(),
            number,
        }
    }
}

// === impl Departments ===

impl Departments {
    pub(crate) fn has(&self, id: u32) -> bool {
        self.by_id.contains_key(&id)
    }

    /// The one right above another, 0 above the root; `None` if the other is not there.
    pub(crate) fn parent(&self, id: u32) -> Option<u32> {
        self.by_id.get(&id).map(|department| department.parent)
    }

    /// How many there are, the root too.
    pub(crate) fn count(&self) -> usize {
        self.by_id.len()
    }

    /// All from this id on, by id.
    pub(crate) fn from(&self, id: u32) -> impl Iterator<Item = (u32, &Department)> {
        let those = self.by_id.range(id..).inspect(|_| hold::touch());
        those.map(|(id, department)| (*id, department))
    }

    /// The ids, from this one on, of those right below another.
    pub(crate) fn below(&self, parent: u32, from: u32) -> impl Iterator<Item = u32> {
        let those = self
            .by_parent
            .range((parent, from)..=(parent, u32::MAX))
            .inspect(|_| hold::touch());
        those.map(|(_, id)| *id)
    }

    pub(crate) fn add(&mut self, id: u32, name: &str, parent: u32) {
        self.by_parent.insert((parent, id));
        self.by_id.insert(
            id,
            Department {
                name: name.into(),
                parent,
            },
        );
    }

    pub(crate) fn remove(&mut self, id: u32) -> bool {
        let removed = self.by_id.remove(&id);
        if let Some(department) = &removed {
            self.by_parent.remove(&(department.parent, id));
        }
        removed.is_some()
    }
}

impl Default for Departments {
    fn default() -> Self {
        let root = Department {
            name: "root".into(),
            parent: 0,
        };
        Self {
            by_id: BTreeMap::from([(1, root)]),
            by_parent: BTreeSet::from([(0, 1)]),
        }
    }
}
