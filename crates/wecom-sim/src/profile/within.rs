//! What the parts of an enterprise say of each other: ids that are there once, departments that are there.

use std::collections::{HashMap, HashSet};

use super::corp::{Corp, Department, Member, ROOT};
use crate::given::Section;

/// Reads members and departments into `corp`.
pub(super) fn read(corp: &mut Corp, members: Vec<Section<'_>>, departments: Vec<Section<'_>>) {
    let parents = read_departments(corp, departments);
    let mut seen = HashMap::new();
    for (index, table) in members.into_iter().enumerate() {
        let (mistakes, line, path) = (table.mistakes(), table.line(), table.at("userid"));
        let at = table.at("departments");
        let member = Member::read(table);
        let told = format!("{:?}", member.userid);
        if made_up(&member.userid).is_some_and(|number| number <= corp.more_members) {
            let expected = "an id that is not among those of `more_members`";
            mistakes.push(line, &path, Some(&told), expected);
        }
        if let Some(first) = seen.insert(member.userid.clone(), index)
            && !member.userid.is_empty()
        {
            let expected = format!("an id that no other member has; member[{first}] has it");
            mistakes.push(line, &path, Some(&told), expected);
        }
        for id in &member.departments {
            if *id != ROOT && !parents.contains_key(id) {
                mistakes.push(line, &at, Some(&id.to_string()), DEPARTMENT);
            }
        }
        corp.members.push(member);
    }
}

/// Reads the departments, and returns what is above each.
fn read_departments(corp: &mut Corp, departments: Vec<Section<'_>>) -> HashMap<u32, u32> {
    let mut parents = HashMap::new();
    let mut places = Vec::new();
    for table in departments {
        let (mistakes, line) = (table.mistakes(), table.line());
        let (path, parent) = (table.at("id"), table.at("parent"));
        let department = Department::read(table);
        if department.id != 0 && parents.insert(department.id, department.parent).is_some() {
            let told = department.id.to_string();
            mistakes.push(
                line,
                &path,
                Some(&told),
                "an id that no other department has",
            );
        }
        places.push((mistakes, line, parent));
        corp.departments.push(department);
    }
    for (department, (mistakes, line, path)) in corp.departments.iter().zip(places) {
        let told = department.parent.to_string();
        if department.parent != ROOT && !parents.contains_key(&department.parent) {
            mistakes.push(line, &path, Some(&told), DEPARTMENT);
        } else if department.id != 0 && !reaches_root(department.id, &parents) {
            mistakes.push(
                line,
                &path,
                Some(&told),
                "a department that is not below this one",
            );
        }
    }
    parents
}

/// Whether the way up from a department ends; one that ends where nothing is, is somebody else's mistake.
fn reaches_root(id: u32, parents: &HashMap<u32, u32>) -> bool {
    let mut seen = HashSet::new();
    let mut at = id;
    while let Some(parent) = parents.get(&at) {
        if !seen.insert(at) {
            // A ring somewhere above is told where it is: at those that are part of it.
            return at != id;
        }
        at = *parent;
    }
    true
}

/// Returns which of the members by number an id is.
fn made_up(userid: &str) -> Option<u32> {
    let number = userid.strip_prefix('m')?;
    let number: u32 = number.parse().ok()?;
    (number > 0 && userid == format!("m{number}")).then_some(number)
}

const DEPARTMENT: &str = "1, the root, or the id of a department of this enterprise";
