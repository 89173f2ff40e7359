//! The waiting line of one (corp, API) in one process: the most important first, and among equals who came first.
//!
//! Pure: knows neither time nor tasks. It is bounded by whoever pushes.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use crate::rank::Rank;

/// A place in the line: smaller is nearer to its head.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Place {
    rank: Rank,
    number: u64,
}

/// Who waits, until when, and how to answer them (`T`).
#[derive(Debug)]
pub(super) struct Waiter<T> {
    /// When they came.
    pub(super) since: Duration,
    /// Until when they can wait.
    pub(super) deadline: Duration,
    /// Whether room was asked for in their name: everybody at the head is asked for once, whatever their
    /// deadline.
    pub(super) asked: bool,
    pub(super) answer: T,
}

/// The line.
#[derive(Debug)]
pub(super) struct Line<T> {
    /// By rank first, so that those ahead can be counted without a walk.
    ranks: BTreeMap<Rank, BTreeMap<u64, Waiter<T>>>,
    deadlines: BTreeSet<(Duration, Place)>,
    next: u64,
}

// === impl Place ===

impl Place {
    pub(super) const fn rank(self) -> Rank {
        self.rank
    }
}

// === impl Line ===

impl<T> Line<T> {
    pub(super) fn push(&mut self, rank: Rank, waiter: Waiter<T>) -> Place {
        let place = Place {
            rank,
            number: self.next,
        };
        self.next += 1;
        self.deadlines.insert((waiter.deadline, place));
        let equals = self.ranks.entry(rank).or_default();
        equals.insert(place.number, waiter);
        place
    }

    /// Returns who goes first.
    pub(super) fn best(&mut self) -> Option<(Place, &mut Waiter<T>)> {
        let (rank, equals) = self.ranks.iter_mut().next()?;
        let (number, waiter) = equals.iter_mut().next()?;
        let (rank, number) = (*rank, *number);
        Some((Place { rank, number }, waiter))
    }

    /// Returns the place of who goes first.
    pub(super) fn first(&self) -> Option<Place> {
        let (rank, equals) = self.ranks.first_key_value()?;
        let (number, _) = equals.first_key_value()?;
        let (rank, number) = (*rank, *number);
        Some(Place { rank, number })
    }

    /// Returns the place of who goes last.
    pub(super) fn last(&self) -> Option<Place> {
        let (rank, equals) = self.ranks.last_key_value()?;
        let (number, _) = equals.last_key_value()?;
        let (rank, number) = (*rank, *number);
        Some(Place { rank, number })
    }

    pub(super) fn remove(&mut self, place: Place) -> Option<Waiter<T>> {
        let equals = self.ranks.get_mut(&place.rank)?;
        let waiter = equals.remove(&place.number)?;
        if equals.is_empty() {
            self.ranks.remove(&place.rank);
        }
        self.deadlines.remove(&(waiter.deadline, place));
        Some(waiter)
    }

    /// Takes out who has the earliest deadline, if it is not after `moment`; spares the first as long as nobody has
    /// asked for them. What was `heard` for a rank was heard for all that are not more important.
    pub(super) fn take_expired(
        &mut self,
        moment: Duration,
        heard: Option<Rank>,
    ) -> Option<Waiter<T>> {
        let unheard = |place: &Place| heard.is_none_or(|rank| place.rank < rank);
        let spared = self.best().and_then(|(place, waiter)| {
            let spared = !waiter.asked && unheard(&place);
            spared.then_some(place)
        });
        let mut due = self.deadlines.iter().take_while(|(at, _)| *at <= moment);
        let place = due.find(|(_, place)| Some(*place) != spared)?.1;
        self.remove(place)
    }

    /// Returns the earliest deadline.
    pub(super) fn next_deadline(&self) -> Option<Duration> {
        self.deadlines.first().map(|(at, _)| *at)
    }

    /// Returns how many would go before a newcomer of this rank.
    pub(super) fn ahead(&self, rank: Rank) -> usize {
        self.ranks.range(..=rank).map(|(_, some)| some.len()).sum()
    }

    /// Lets all go. Places are not given out again.
    pub(super) fn clear(&mut self) {
        self.ranks.clear();
        self.deadlines.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.deadlines.len()
    }
}

impl<T> Default for Line<T> {
    fn default() -> Self {
        Self {
            ranks: BTreeMap::new(),
            deadlines: BTreeSet::new(),
            next: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn until(deadline: u64, answer: char) -> Waiter<char> {
        Waiter {
            since: Duration::ZERO,
            deadline: Duration::from_secs(deadline),
            asked: false,
            answer,
        }
    }

    #[test]
    fn the_most_important_goes_first_and_among_equals_who_came_first() {
        let mut line = Line::default();
        for (rank, name) in [(7, 'c'), (3, 'a'), (7, 'd'), (3, 'b'), (9, 'e')] {
            line.push(Rank::new(rank), until(1, name));
        }
        assert_eq!(line.last().map(Place::rank), Some(Rank::new(9)));
        let mut order = String::new();
        while let Some(first) = line.first() {
            assert_eq!(line.best().map(|(place, _)| place), Some(first));
            order.extend(line.remove(first).map(|waiter| waiter.answer));
        }
        assert_eq!(order, "abcde");
        assert_eq!(line.len(), 0);
    }

    #[test]
    fn counts_equals_as_ahead_of_a_newcomer() {
        let mut line = Line::default();
        for rank in [1, 1, 2, 5] {
            line.push(Rank::new(rank), until(1, 'x'));
        }
        let ahead = |rank| line.ahead(Rank::new(rank));
        assert_eq!([0, 1, 2, 4, 5].map(ahead), [0, 2, 3, 3, 4]);
    }

    #[test]
    fn takes_out_who_can_wait_no_longer_but_spares_the_first_until_asked_for() {
        let mut line = Line::default();
        line.push(Rank::new(0), until(1, 'a'));
        line.push(Rank::new(1), until(3, 'b'));
        line.push(Rank::new(2), until(2, 'c'));
        let mut due = |moment| {
            let moment = Duration::from_secs(moment);
            line.take_expired(moment, None).map(|waiter| waiter.answer)
        };
        assert_eq!([due(2), due(2)], [Some('c'), None]);
        line.best().unwrap().1.asked = true;
        assert_eq!(line.next_deadline(), Some(Duration::from_secs(1)));
        let mut due = |moment| line.take_expired(moment, None).map(|waiter| waiter.answer);
        assert_eq!(due(Duration::from_secs(2)), Some('a'));
    }

    #[test]
    fn what_was_heard_for_one_is_heard_for_all_after_them() {
        let mut line = Line::default();
        line.push(Rank::new(1), until(1, 'a'));
        line.push(Rank::new(1), until(1, 'b'));
        let mut due = |heard| {
            let expired = line.take_expired(Duration::from_secs(1), heard);
            expired.map(|waiter| waiter.answer)
        };
        assert_eq!(due(Some(Rank::new(2))), Some('b'));
        assert_eq!(due(Some(Rank::new(2))), None);
        assert_eq!(due(Some(Rank::new(1))), Some('a'));
    }

    #[test]
    fn a_place_that_was_left_is_left_for_good() {
        let mut line = Line::default();
        let place = line.push(Rank::default(), until(1, 'a'));
        assert!(line.remove(place).is_some());
        assert!(line.remove(place).is_none());
        assert_eq!(line.next_deadline(), None);
    }
}
