//! An enterprise's directory as it looks and is changed from outside the calls.

use std::collections::BTreeSet;

use super::{
    Corp, MemberView, Mistake, Page, State,
    hold::{self, PIECE},
    member::{Flags, Row},
};
use crate::profile::{Department, Member, MemberFlag};

/// The longest userid and `external_userid`, in bytes (path/90195).
const LONGEST_ID: usize = 64;

impl Corp {
    /// Returns a member; `None` if there is none of this userid.
    #[must_use]
    pub fn member(&self, userid: &str) -> Option<MemberView> {
        let state = self.state();
        let number = state.members.number(userid)?;
        state.members.get(number).map(view)
    }

    /// Returns all members, in the order in which they came.
    #[must_use]
    pub fn members(&self) -> Vec<MemberView> {
        self.members_from(0, Page::<MemberView>::ALL).items
    }

    /// Returns at most `limit` members from a place on, in the order in which they came; 0 is the first one's.
    #[must_use]
    pub fn members_from(&self, from: u32, limit: usize) -> Page<MemberView> {
        self.page(from, limit, State::member_rows, |_, _, row| {
            (!row.gone).then(|| view(row))
        })
    }

    /// Returns the first of these members, of all unless given, who have no flag and are `wanted`: at most `limit`, in one
    /// hold, so found among the first [`PIECE`]; and whether there may be more.
    pub(crate) fn without_flag(
        &self,
        these: Option<&BTreeSet<String>>,
        wanted: impl Fn(&str) -> bool,
        limit: usize,
    ) -> (Vec<String>, bool) {
        let state = self.state();
        let of = |userid: &String| {
            hold::touch();
            let number = state.members.number(userid)?;
            state.members.get(number)
        };
        let rows: Box<dyn Iterator<Item = Option<&Row>>> = match these {
            Some(these) => Box::new(these.iter().map(of)),
            None => Box::new(state.members.from(0).map(|(_, row)| Some(row))),
        };
        let places = these.map_or_else(|| state.members.places(), BTreeSet::len);
        let mut found = Vec::new();
        for row in rows.take(PIECE).flatten() {
            let is_fit = !row.gone && row.flags == Flags::default() && wanted(&row.userid);
            if is_fit && found.len() == limit {
                return (found, true);
            }
            if is_fit {
                found.push(row.userid.to_string());
            }
        }
        (found, places > PIECE)
    }

    /// Returns how many members there are.
    #[must_use]
    pub fn member_count(&self) -> usize {
        self.state().members.count()
    }

    /// Adds a member. One who left and comes back under the same userid is another: codes do not know it.
    ///
    /// # Errors
    ///
    /// If there is one, the userid is empty or longer than 64 bytes, or a department is not there.
    pub fn add_member(&self, member: &Member) -> Result<(), Mistake> {
        self.state().add_member(member)
    }

    /// Removes a member; codes go on naming it until they are updated. Returns whether it was there.
    pub fn remove_member(&self, userid: &str) -> bool {
        self.state().members.remove(userid)
    }

    /// Gives a member another userid; its codes and customers stay with it.
    ///
    /// # Errors
    ///
    /// If the first is not there, or the second is there or no userid.
    pub fn rename_member(&self, userid: &str, new: &str) -> Result<(), Mistake> {
        check_id("userid", new)?;
        if self.state().members.rename(userid, new) {
            return Ok(());
        }
        Err(Mistake(
            "userid: the old one is not there, or the new one is".into(),
        ))
    }

    /// Sets a flag of a member; returns whether the member is there.
    pub fn set_flag(&self, userid: &str, flag: MemberFlag) -> bool {
        let mut state = self.state();
        state.members.flag(userid, |flags| flags.set(flag))
    }

    /// Clears a flag of a member; returns whether the member is there.
    pub fn clear_flag(&self, userid: &str, flag: MemberFlag) -> bool {
        let mut state = self.state();
        state.members.flag(userid, |flags| flags.clear(flag))
    }

    /// Puts a member in these departments alone; in the root if there are none.
    ///
    /// # Errors
    ///
    /// If the member or a department is not there.
    pub fn move_member(&self, userid: &str, departments: &[u32]) -> Result<(), Mistake> {
        let departments = self.state().departments_or_root(departments)?;
        if self.state().members.put(userid, departments) {
            return Ok(());
        }
        Err(Mistake("userid: there is no such member".into()))
    }

    /// Returns all departments, by id.
    #[must_use]
    pub fn departments(&self) -> Vec<Department> {
        self.departments_from(0, Page::<Department>::ALL).items
    }

    /// Returns at most `limit` departments from an id on, by id.
    #[must_use]
    pub fn departments_from(&self, from: u32, limit: usize) -> Page<Department> {
        self.page(from, limit, State::department_rows, |_, id, department| {
            Some(Department {
                id,
                name: department.name.to_string(),
                parent: department.parent,
            })
        })
    }

    /// Returns how many departments there are, the root too.
    #[must_use]
    pub fn department_count(&self) -> usize {
        self.state().departments.count()
    }

    /// Adds a department; a parent of 0 is the root.
    ///
    /// # Errors
    ///
    /// If there is one, its id is 0, or its parent is not there.
    pub fn add_department(&self, department: &Department) -> Result<(), Mistake> {
        self.state().add_department(department)
    }

    /// Removes a department; members and codes keep it by number, where it holds nobody any more. Returns whether
    /// it was there.
    ///
    /// # Errors
    ///
    /// If it is the root or has departments below it.
    pub fn remove_department(&self, id: u32) -> Result<bool, Mistake> {
        let mut state = self.state();
        if id == 1 || state.departments.below(id, 0).next().is_some() {
            return Err(Mistake(format!(
                "department {id}: is the root or has others below it"
            )));
        }
        Ok(state.departments.remove(id))
    }
}

// === impl State ===

impl State {
    pub(crate) fn add_member(&mut self, member: &Member) -> Result<(), Mistake> {
        check_id("userid", &member.userid)?;
        let departments = self.departments_or_root(&member.departments)?;
        let flags = Flags::of(&member.flags);
        if self.members.add(&member.userid, departments, flags) {
            return Ok(());
        }
        Err(Mistake("userid: there is such a member already".into()))
    }

    pub(crate) fn add_department(&mut self, department: &Department) -> Result<(), Mistake> {
        let (id, parent) = (department.id, department.parent.max(1));
        if id == 0 || self.departments.has(id) {
            return Err(Mistake(format!(
                "department {id}: is 0, the root or there already"
            )));
        }
        if !self.departments.has(parent) {
            return Err(Mistake(format!(
                "department {id}: its parent {parent} is not there"
            )));
        }
        self.departments.add(id, &department.name, parent);
        Ok(())
    }

    fn departments_or_root(&self, ids: &[u32]) -> Result<Box<[u32]>, Mistake> {
        self.known_departments(if ids.is_empty() { &[1] } else { ids })
    }
}

fn view(row: &Row) -> MemberView {
    MemberView {
        userid: row.userid.to_string(),
        departments: row.departments().to_vec(),
        flags: row.flags.list(),
    }
}

/// Says what is wrong with a userid or `external_userid`; does not repeat it, for it is a person's.
pub(crate) fn check_id(name: &str, id: &str) -> Result<(), Mistake> {
    if id.is_empty() || id.len() > LONGEST_ID || id.chars().any(char::is_control) {
        let length = id.len();
        return Err(Mistake(format!(
            "{name}: has {length} bytes, not 1 to {LONGEST_ID}, or control characters"
        )));
    }
    Ok(())
}
