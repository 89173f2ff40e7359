//! Makes an enterprise from its profile.

use wecom::CorpId;

use super::{Mistake, State, member::Flags};
use crate::profile;

/// Returns what an enterprise of this profile begins with.
///
/// # Errors
///
/// With the id of the enterprise and what is wrong with it.
pub(crate) fn found(corp: &profile::Corp) -> Result<State, Mistake> {
    let within = |wrong: Mistake| Mistake(format!("corp {}: {wrong}", corp.id));
    CorpId::new(&corp.id).map_err(|wrong| Mistake(wrong.to_string()))?;
    if corp.secret.is_empty() && corp.permanent_code.is_none() {
        return Err(within(Mistake(
            "has neither secret nor permanent_code".into(),
        )));
    }
    let mut state = State {
        secret: corp.secret.as_str().into(),
        refused_with: corp.refused_with,
        ..State::default()
    };
    add_departments(&mut state, &corp.departments).map_err(within)?;
    let more = usize::try_from(corp.more_members).unwrap_or_default();
    state
        .members
        .reserve(corp.members.len().saturating_add(more));
    for member in &corp.members {
        state.add_member(member).map_err(within)?;
    }
    for number in 1..=corp.more_members {
        let added = state
            .members
            .add(&format!("m{number}"), [1].into(), Flags::default());
        if !added {
            return Err(within(Mistake(format!(
                "more_members: m{number} is there by hand"
            ))));
        }
    }
    Ok(state)
}

/// Adds departments that may come before their parents.
fn add_departments(state: &mut State, all: &[profile::Department]) -> Result<(), Mistake> {
    let mut left: Vec<_> = all.iter().collect();
    loop {
        let before = left.len();
        let mut wrong = None;
        left.retain(|department| match state.add_department(department) {
            Ok(()) => false,
            Err(why) => {
                wrong.get_or_insert(why);
                true
            }
        });
        match wrong {
            None => return Ok(()),
            Some(wrong) if left.len() == before => return Err(wrong),
            Some(_) => {}
        }
    }
}
