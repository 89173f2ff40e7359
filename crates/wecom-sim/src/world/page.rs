//! A part of one of an enterprise's lists, read a piece at a time.

use parking_lot::MutexGuard;

use super::{
    Code, Corp, Row, State,
    hold::{self, PIECE},
    member,
};

/// A part of a list.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Page<T> {
    /// What it holds.
    pub items: Vec<T>,
    /// Where the next part begins; `None`: this is the last one.
    pub next: Option<u32>,
}

/// The rows of a list from a place on, each with its own.
pub(crate) type Rows<'a, R> = Box<dyn Iterator<Item = (u32, &'a R)> + 'a>;

// === impl Page ===

impl<T> Page<T> {
    /// The `limit` that means all.
    pub(crate) const ALL: usize = usize::MAX;
}

// === impl Corp ===

impl Corp {
    /// Returns at most `limit` items of a list from the place `from` on, as `show` makes them of the rows, or not. At
    /// most [`PIECE`] rows are walked under one hold of the lock, however many are not to be shown.
    pub(crate) fn page<R, T>(
        &self,
        from: u32,
        limit: usize,
        rows: for<'a> fn(&'a State, u32) -> Rows<'a, R>,
        show: impl Fn(&State, u32, &R) -> Option<T>,
    ) -> Page<T> {
        let mut items = Vec::new();
        let mut at = from;
        let mut state = self.state();
        loop {
            let (mut walked, mut rest) = (0, None);
            for (place, row) in rows(&state, at) {
                let item = show(&state, place, row);
                if item.is_some() && items.len() == limit {
                    let next = Some(place);
                    return Page { items, next };
                }
                if walked == PIECE {
                    rest = Some(place);
                    break;
                }
                walked += 1;
                items.extend(item);
            }
            let Some(place) = rest else {
                return Page { items, next: None };
            };
            at = place;
            let_others_in(&mut state);
        }
    }
}

/// Gives the lock to whoever waits for it, and takes it again.
pub(crate) fn let_others_in(state: &mut MutexGuard<'_, State>) {
    MutexGuard::bump(state);
    hold::begin();
}

// === impl State ===

impl State {
    /// The members from a number on, also those that are gone.
    pub(crate) fn member_rows(&self, from: u32) -> Rows<'_, member::Row> {
        Box::new(self.members.from(from))
    }

    /// The departments from an id on.
    pub(crate) fn department_rows(&self, from: u32) -> Rows<'_, member::Department> {
        Box::new(self.departments.from(from))
    }

    /// The codes from an index on, also deleted ones.
    pub(crate) fn code_rows(&self, from: u32) -> Rows<'_, Code> {
        Box::new(self.codes.from(from))
    }

    /// The customers from a serial on, also removed ones.
    pub(crate) fn contact_rows(&self, from: u32) -> Rows<'_, Row> {
        Box::new(self.contacts.from(from))
    }
}
