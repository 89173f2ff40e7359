//! Which of many names name nothing: a slip of the hand must not make a list that means nobody.

use super::{
    Corp, Mistake, State,
    hold::{self, PIECE},
    page::let_others_in,
};

/// Names that name nothing: the first few, and how many there are.
#[derive(Debug, Default)]
pub(crate) struct Unknown {
    first: Vec<String>,
    count: usize,
}

impl Corp {
    /// Says which of these are not the userid of a member.
    ///
    /// # Errors
    ///
    /// If there are any, with the first ones.
    pub(crate) fn check_members<'a>(
        &self,
        key: &str,
        userids: impl Iterator<Item = &'a str>,
    ) -> Result<(), Mistake> {
        let expected = format!("members of enterprise {:?}", self.id());
        let unknown = self.unknown(userids, |state, userid| {
            state.members.number(userid).is_some()
        });
        unknown.none_or(key, &expected, ())
    }

    /// Says which of these are not the `config_id` of a code that is or was there.
    ///
    /// # Errors
    ///
    /// If there are any, with the first ones.
    pub(crate) fn check_codes<'a>(
        &self,
        key: &str,
        config_ids: impl Iterator<Item = &'a str>,
    ) -> Result<(), Mistake> {
        let expected = format!(
            "codes that are or were in enterprise {:?}, by their config_id",
            self.id()
        );
        let unknown = self.unknown(config_ids, |state, config_id| {
            let index = self.code_index(config_id);
            index.is_some_and(|index| state.codes.had(index))
        });
        unknown.none_or(key, &expected, ())
    }

    fn unknown<'a>(
        &self,
        names: impl Iterator<Item = &'a str>,
        is_known: impl Fn(&State, &str) -> bool,
    ) -> Unknown {
        let mut unknown = Unknown::default();
        let mut state = self.state();
        for (place, name) in names.enumerate() {
            if place > 0 && place % PIECE == 0 {
                let_others_in(&mut state);
            }
            hold::touch();
            if !is_known(&state, name) {
                unknown.add(name);
            }
        }
        unknown
    }
}

// === impl Unknown ===

impl Unknown {
    pub(crate) fn add(&mut self, name: &str) {
        self.count += 1;
        if self.first.len() < MOST_NAMED {
            self.first.push(format!("{name:?}"));
        }
    }

    /// Returns `done`, unless there are any.
    pub(crate) fn none_or<T>(self, key: &str, expected: &str, done: T) -> Result<T, Mistake> {
        if self.count == 0 {
            return Ok(done);
        }
        let first = self.first.join(", ");
        let more = match self.count - self.first.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Err(Mistake(format!(
            "{key} = {first}{more}, expected {expected}"
        )))
    }
}

/// Enough to see what kind of slip it was.
const MOST_NAMED: usize = 3;
