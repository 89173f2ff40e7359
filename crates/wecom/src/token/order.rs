//! Which of two tokens is the newer, and which are dead.
//!
//! Stores and other processes may bring an older one late, or one that WeCom has refused. By rights the *generation*
//! tells: it grows with every lease. Where it does not, because the last token was fetched without a lease or the store
//! counts from anew, the moment when a life began does, until generations can be believed again.

use std::{collections::VecDeque, time::Duration};

use super::held::Held;
use crate::secret::Secret;

/// What is known of the tokens that this process has had.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// The generation of the last token at hand, and when its life began; an older one is not taken.
    newest: u64,
    begun: Duration,
    /// Generations do not tell which token is older.
    by_time: bool,
    /// The last tokens that WeCom refused, which a store may still have.
    dead: VecDeque<(Secret, u64)>,
}

// === impl Order ===

impl Order {
    /// How many refused tokens are remembered. A store has one at a time, so one would do if all went in step.
    const DEAD: usize = 8;

    /// Notes the generation of a lease. If it is not above all before, the store has lost its memory, and what was
    /// known of older numbers means nothing.
    pub(super) fn leased(&mut self, generation: u64) {
        if generation <= self.newest {
            self.newest = generation.saturating_sub(1);
            self.by_time = true;
            self.dead.clear();
        }
    }

    /// Notes a token that is at hand from now on. Returns whether it may be: not if WeCom has refused it, or if it is
    /// older than the last one.
    pub(super) fn take(&mut self, held: &Held) -> bool {
        if self.is_dead(held) || self.is_older(held) {
            return false;
        }
        self.newest = held.generation;
        self.begun = held.begun();
        self.by_time = false;
        true
    }

    /// Gives a token that was fetched without a lease the number of the last, and notes that it is at hand.
    pub(super) fn take_stray(&mut self, held: &mut Held) {
        held.generation = self.newest;
        self.begun = held.begun();
        self.by_time = true;
    }

    /// Notes that WeCom refused it.
    pub(super) fn bury(&mut self, held: &Held) {
        if self.dead.len() >= Self::DEAD {
            self.dead.pop_front();
        }
        self.dead.push_back((held.token.clone(), held.generation));
    }

    /// Returns whether WeCom has refused it. One of a later generation was fetched after that, even if WeCom gave
    /// the same text out again.
    pub(super) fn is_dead(&self, held: &Held) -> bool {
        self.dead
            .iter()
            .any(|(token, generation)| *token == held.token && *generation >= held.generation)
    }

    /// Returns whether a token from the store is older than the last one at hand: by its number where the numbers
    /// have gone on growing, otherwise by when its life began.
    fn is_older(&self, held: &Held) -> bool {
        let by_time = self.by_time || held.generation < self.newest;
        by_time && held.begun() <= self.begun
    }
}
