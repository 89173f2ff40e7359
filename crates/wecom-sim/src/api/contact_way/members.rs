//! Who may be on a code. One who may not rejects the whole list, and nobody is named.

use crate::{
    api::parse::Text,
    world::{Reach, State},
};

/// The most members of a code, those of its departments counted (41041).
const MOST: usize = 100;

/// Returns the numbers of these members, each once.
///
/// # Errors
///
/// With the `errcode` of the first one that may not be on a code.
pub(super) fn users(state: &State, users: &[Text<'_>]) -> Result<Box<[u32]>, i64> {
    let mut numbers: Vec<u32> = Vec::with_capacity(users.len());
    for user in users {
        let number = state.members.number(user.as_str()).ok_or(60111)?;
        let row = state.members.get(number).ok_or(60111)?;
        if let Some(errcode) = row.flags.errcode_on_code() {
            return Err(errcode);
        }
        // Lists are short, and longer ones are refused in a moment.
        if numbers.len() > MOST || !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    Ok(numbers.into())
}

/// Checks that departments are there.
pub(super) fn departments(state: &State, parties: &[u32]) -> Result<(), i64> {
    if parties.iter().all(|party| state.departments.has(*party)) {
        return Ok(());
    }
    Err(60123)
}

/// Checks how many members a code has with these.
pub(super) fn count(state: &State, users: &[u32], parties: &[u32]) -> Result<(), i64> {
    let mut count = users.len();
    let mut reach = Reach::new(parties);
    let mut is_done = false;
    // As far as it takes to know: departments may hold any number.
    while !is_done && count <= MOST {
        is_done = reach.step(state);
        let more = reach.found().iter();
        count = users.len() + more.filter(|number| !users.contains(number)).count();
    }
    if count > MOST { Err(41041) } else { Ok(()) }
}
