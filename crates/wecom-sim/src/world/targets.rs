//! Among whom a scan of a code chooses, drawn without a list of all: a department may hold any number.
//!
//! A list that is found in one piece is drawn from as it is. For a longer one places among all members of the
//! enterprise are drawn until one is on the list, so that each on it is as likely; where so few are on it that some
//! thousand draws met none, it is found to its end, a piece at a time, and drawn from then. Members whom a department
//! does not reach are not walked, so a list that is rarely met is short as well, unless there are very many members.
//! Between two pieces the caller has no lock, and can let others have their turn.

use std::{collections::HashSet, sync::Arc};

use parking_lot::MutexGuard;

use super::{
    Corp, Random, Reach, State,
    hold::{self, PIECE},
    member::Flags,
    page::let_others_in,
};

/// The list of a code at one moment, as far as it is known.
#[derive(Debug)]
pub(crate) struct Targets {
    /// Each once, as set.
    users: Vec<u32>,
    named: HashSet<u32>,
    parties: HashSet<u32>,
    reach: Reach,
    is_whole: bool,
    were_places_drawn: bool,
}

/// Who was drawn.
#[derive(Debug)]
pub(crate) enum Drawn {
    /// There is nobody.
    Nobody,
    /// The one of this userid.
    Member(Arc<str>),
    /// It is not known yet: draw again.
    Later,
}

// === impl Corp ===

impl Corp {
    /// Returns among whom a scan of a code chooses now; `None` as for [`scan_targets`](Self::scan_targets).
    pub(crate) fn targets(&self, config_id: &str) -> Option<Targets> {
        let index = self.code_index(config_id)?;
        let now_s = self.shared().now_s();
        let state = self.state();
        let code = state.codes.get(index);
        let code = code.filter(|code| !code.has_ended(now_s))?;
        let mut targets = Targets::new(&code.users, &code.parties);
        targets.is_whole = targets.reach.step(&state);
        Some(targets)
    }
}

// === impl Targets ===

impl Targets {
    fn new(users: &[u32], parties: &[u32]) -> Self {
        let mut named = HashSet::new();
        let users = users.iter().copied();
        Self {
            users: users.filter(|number| named.insert(*number)).collect(),
            named,
            parties: parties.iter().copied().collect(),
            reach: Reach::of_reached(parties),
            is_whole: false,
            were_places_drawn: false,
        }
    }

    /// Draws one, each as likely, or comes a piece nearer to it.
    pub(crate) fn draw(&mut self, corp: &Corp, random: &Random) -> Drawn {
        if self.is_whole {
            return self.draw_from_all(corp, random);
        }
        if self.were_places_drawn {
            self.walk(corp);
            return Drawn::Later;
        }
        self.were_places_drawn = true;
        let drawn = self.draw_places(corp, random);
        drawn.map_or(Drawn::Later, Drawn::Member)
    }

    /// Walks on by a piece; returns whether all are found.
    pub(crate) fn walk(&mut self, corp: &Corp) -> bool {
        self.is_whole = self.is_whole || self.reach.step(&corp.state());
        self.is_whole
    }

    /// How many are found.
    pub(crate) fn count(&self) -> usize {
        self.numbers().count()
    }

    /// Returns the userids of the first that are found, at most `limit`.
    pub(crate) fn userids(&self, corp: &Corp, limit: usize) -> Vec<String> {
        let numbers: Vec<u32> = self.numbers().take(limit).collect();
        let pieces = numbers.chunks(PIECE);
        pieces
            .flat_map(|piece| corp.state().userids(piece))
            .collect()
    }

    /// Returns the first that are found, as many as one hold allows, and whether each is there without a flag.
    pub(crate) fn head(&self, corp: &Corp) -> Vec<(String, bool)> {
        let numbers: Vec<u32> = self.numbers().take(PIECE).collect();
        let state = corp.state();
        let shown = numbers.into_iter().filter_map(|number| {
            hold::touch();
            let userid = &state.members.get(number)?.userid;
            // By userid, as a customer is added.
            let there = state.members.number(userid);
            let row = there.and_then(|number| state.members.get(number));
            let has_no_flag = row.is_some_and(|row| row.flags == Flags::default());
            Some((userid.to_string(), has_no_flag))
        });
        shown.collect()
    }

    /// Those found so far: those named first, then others in the order in which they came.
    fn numbers(&self) -> impl Iterator<Item = u32> {
        let others = self.reach.found().iter().copied();
        let others = others.filter(|number| !self.named.contains(number));
        self.users.iter().copied().chain(others)
    }

    fn draw_from_all(&self, corp: &Corp, random: &Random) -> Drawn {
        let mut all: Vec<u32> = self.numbers().collect();
        let mut state = corp.state();
        let mut rows = 0;
        while !all.is_empty() {
            next_row(&mut state, &mut rows);
            let number = all.swap_remove(random.below(all.len()));
            let row = state.members.get(number);
            // Whoever was found may have gone since.
            let is_on_it = |reached| reached || self.named.contains(&number);
            if let Some(row) = row.filter(|row| is_on_it(row.is_reached())) {
                return Drawn::Member(Arc::clone(&row.userid));
            }
        }
        Drawn::Nobody
    }

    /// Draws places among all members, for about as long as a piece is walked.
    fn draw_places(&self, corp: &Corp, random: &Random) -> Option<Arc<str>> {
        let mut state = corp.state();
        let mut rows = 0;
        // Whether there is another draw depends only on those that failed, so it favours nobody.
        while rows < PIECE {
            next_row(&mut state, &mut rows);
            let place = random.below(state.members.places());
            let number = u32::try_from(place).ok()?;
            if self.named.contains(&number) || self.reaches(&mut state, number, &mut rows) {
                let row = state.members.get(number)?;
                return Some(Arc::clone(&row.userid));
            }
        }
        None
    }

    /// Whether a member is in one of the departments, or below one.
    fn reaches(&self, state: &mut MutexGuard<'_, State>, number: u32, rows: &mut usize) -> bool {
        let row = state.members.get(number).filter(|row| row.is_reached());
        let departments = row.map(|row| Vec::from(row.departments()));
        for department in departments.into_iter().flatten() {
            let mut at = department;
            while let Some(parent) = state.departments.parent(at) {
                if self.parties.contains(&at) {
                    return true;
                }
                next_row(state, rows);
                at = parent;
            }
        }
        false
    }
}

/// Counts one more row, before which others may have the lock.
fn next_row(state: &mut MutexGuard<'_, State>, rows: &mut usize) {
    if *rows > 0 && rows.is_multiple_of(PIECE) {
        let_others_in(state);
    }
    *rows += 1;
    hold::touch();
}
