//! The members of one enterprise and its departments.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use crate::profile::MemberFlag;

/// The members, by number and by userid. A number is never given twice: codes hold numbers.
#[derive(Debug, Default)]
pub(crate) struct Members {
    rows: Vec<Row>,
    /// Looked up, never walked: its order is not the seed's.
    numbers: HashMap<Arc<str>, u32>,
}

/// One member.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) userid: Arc<str>,
    pub(crate) departments: Box<[u32]>,
    pub(crate) flags: Flags,
    /// Removed: only codes and customers still know of it.
    pub(crate) gone: bool,
}

/// The flags of a member, one bit each.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Flags(u16);

/// The departments, by id; 1 is the root and always there.
#[derive(Debug)]
pub(crate) struct Departments(BTreeMap<u32, Department>);

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

    /// Whether it has the customer-contact feature and may use it: it is on the follow-user list.
    pub(crate) fn may_follow(self) -> bool {
        let left = Self(self.0 & !bit(MemberFlag::Full));
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

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut Row> {
        self.rows.get_mut(usize::try_from(number).ok()?)
    }

    /// Those that are there, in the order in which they came.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Row)> {
        (0..).zip(&self.rows).filter(|(_, row)| !row.gone)
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
        self.rows.push(Row {
            userid,
            departments,
            flags,
            gone: false,
        });
        true
    }

    pub(crate) fn remove(&mut self, userid: &str) -> bool {
        let row = self
            .numbers
            .remove(userid)
            .and_then(|number| self.get_mut(number));
        row.map(|row| row.gone = true).is_some()
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

// === impl Departments ===

impl Departments {
    pub(crate) fn has(&self, id: u32) -> bool {
        self.0.contains_key(&id)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Department)> {
        self.0.iter().map(|(id, department)| (*id, department))
    }

    pub(crate) fn add(&mut self, id: u32, name: &str, parent: u32) {
        self.0.insert(
            id,
            Department {
                name: name.into(),
                parent,
            },
        );
    }

    pub(crate) fn remove(&mut self, id: u32) -> bool {
        self.0.remove(&id).is_some()
    }

    /// Whether it lies in one of these, or is one.
    pub(crate) fn is_within(&self, id: u32, of: &[u32]) -> bool {
        let mut at = id;
        // No deeper than there are departments: every parent was there before its child.
        for _ in 0..=self.0.len() {
            if of.contains(&at) {
                return true;
            }
            match self.0.get(&at) {
                Some(department) if department.parent != 0 => at = department.parent,
                _ => return false,
            }
        }
        false
    }

    /// Returns the numbers of those who are in these departments or below, in the members' order.
    pub(crate) fn expand(&self, of: &[u32], members: &Members) -> Vec<u32> {
        if of.is_empty() {
            return Vec::new();
        }
        let ids = self.0.keys().copied();
        let reached: BTreeSet<u32> = ids.filter(|id| self.is_within(*id, of)).collect();
        let in_one = |row: &Row| row.departments.iter().any(|id| reached.contains(id));
        let within = members.iter().filter(|(_, row)| in_one(row));
        within.map(|(number, _)| number).collect()
    }
}

impl Default for Departments {
    fn default() -> Self {
        let root = Department {
            name: "root".into(),
            parent: 0,
        };
        Self(BTreeMap::from([(1, root)]))
    }
}
