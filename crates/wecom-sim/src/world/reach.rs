//! Who is in some departments or below them, found a piece at a time.

use std::collections::{BTreeSet, HashSet};

use super::{State, hold::PIECE, member::Seat};

/// A walk through departments; every member is found once.
#[derive(Debug, Default)]
pub(crate) struct Reach {
    /// Departments that are still to be walked.
    open: Vec<u32>,
    /// Departments that were met: one may be named, and lie below another that is.
    met: HashSet<u32>,
    at: Option<At>,
    /// Of those alone to whom a department's code sends customers.
    only_reached: bool,
    found: BTreeSet<u32>,
}

/// Where in a department the walk is: first its members, then the departments right below it.
#[derive(Clone, Copy, Debug)]
enum At {
    Members { of: u32, from: Seat },
    Below { of: u32, from: u32 },
}

// === impl Reach ===

impl Reach {
    /// Returns the walk through these departments.
    pub(crate) fn new(departments: &[u32]) -> Self {
        let open: Vec<u32> = departments.iter().rev().copied().collect();
        Self {
            met: open.iter().copied().collect(),
            open,
            ..Self::default()
        }
    }

    /// Returns the walk through these departments that meets only those to whom a code of theirs sends customers.
    pub(crate) fn of_reached(departments: &[u32]) -> Self {
        Self {
            only_reached: true,
            ..Self::new(departments)
        }
    }

    /// Walks on by [`PIECE`] rows at most; returns whether it is at the end.
    pub(crate) fn step(&mut self, state: &State) -> bool {
        let mut left = PIECE;
        while left > 0 {
            let Some(at) = self.at.take().or_else(|| self.next(state)) else {
                return true;
            };
            // A department without anybody is a row too.
            left -= 1;
            self.at = match at {
                At::Members { of, from } => self.members(state, of, from, &mut left),
                At::Below { of, from } => self.below(state, of, from, &mut left),
            };
        }
        self.at.is_none() && self.open.is_empty()
    }

    /// Returns the numbers of the members found so far, in the order in which they came.
    pub(crate) fn found(&self) -> &BTreeSet<u32> {
        &self.found
    }

    /// Opens the next department that is there.
    fn next(&mut self, state: &State) -> Option<At> {
        loop {
            let of = self.open.pop()?;
            if state.departments.has(of) {
                let from = Seat::FIRST;
                return Some(At::Members { of, from });
            }
        }
    }

    fn members(&mut self, state: &State, of: u32, from: Seat, left: &mut usize) -> Option<At> {
        for seat in state.members.within(of, from, self.only_reached) {
            if *left == 0 {
                return Some(At::Members { of, from: seat });
            }
            *left -= 1;
            self.found.insert(seat.number);
        }
        Some(At::Below { of, from: 0 })
    }

    fn below(&mut self, state: &State, of: u32, from: u32, left: &mut usize) -> Option<At> {
        for id in state.departments.below(of, from) {
            if *left == 0 {
                return Some(At::Below { of, from: id });
            }
            *left -= 1;
            if self.met.insert(id) {
                self.open.push(id);
            }
        }
        None
    }
}
