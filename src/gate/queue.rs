//! Who waits, in two orders: by importance and by deadline. A plain structure without clock or waker.

use std::collections::{BTreeMap, BTreeSet};

use crate::priority::{Priority, Progress};

/// Where a waiting request stands: importance first, then who came first.
///
/// 24 bits of importance and 40 of arrival number. The number wraps after 2^40 waits (12 days at a
/// million waits a second); the only effect is that two equally important requests that wait across
/// the wrap swap places.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Place(u64);

/// Requests waiting for a permit. `T` is how the owner finds the request again.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    by_place: BTreeMap<Place, (u64, T)>,
    by_deadline: BTreeSet<(u64, Place)>,
    arrivals: u64,
}

// === impl Place ===

impl Place {
    const ARRIVAL_BITS: u32 = 40;

    /// Orders by business, then tasks in progress before new ones, then user, then arrival.
    fn new(priority: Priority, progress: Progress, arrival: u64) -> Self {
        let (business, user) = (u64::from(priority.business().get()), priority.user());
        let user = u64::from(user.level()) << 8 | u64::from(user.sub_level());
        let new = u64::from(progress == Progress::New);
        let importance = business << 16 | new << 15 | user;
        let arrival = arrival & ((1 << Self::ARRIVAL_BITS) - 1);
        Self(importance << Self::ARRIVAL_BITS | arrival)
    }
}

// === impl Queue ===

impl<T: Copy> Queue<T> {
    pub(crate) const fn new() -> Self {
        Self {
            by_place: BTreeMap::new(),
            by_deadline: BTreeSet::new(),
            arrivals: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.by_place.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_place.is_empty()
    }

    /// Returns the place the next arrival of this importance would take.
    pub(crate) fn place(&mut self, priority: Priority, progress: Progress) -> Place {
        self.arrivals = self.arrivals.wrapping_add(1);
        Place::new(priority, progress, self.arrivals)
    }

    pub(crate) fn insert(&mut self, place: Place, deadline: u64, who: T) {
        self.by_place.insert(place, (deadline, who));
        self.by_deadline.insert((deadline, place));
    }

    /// Removes one that gave up; `None` if it no longer waits.
    pub(crate) fn remove(&mut self, place: Place) -> Option<T> {
        let (deadline, who) = self.by_place.remove(&place)?;
        self.by_deadline.remove(&(deadline, place));
        Some(who)
    }

    /// Removes the most important.
    pub(crate) fn pop_best(&mut self) -> Option<T> {
        let (place, (deadline, who)) = self.by_place.pop_first()?;
        self.by_deadline.remove(&(deadline, place));
        Some(who)
    }

    /// Removes the least important if `place` stands before it.
    pub(crate) fn pop_worse_than(&mut self, place: Place) -> Option<T> {
        let (&worst, _) = self.by_place.last_key_value()?;
        if worst <= place {
            return None;
        }
        self.remove(worst)
    }

    /// Removes one whose deadline is not after `now`.
    pub(crate) fn pop_expired(&mut self, now: u64) -> Option<T> {
        let &(deadline, place) = self.by_deadline.first()?;
        if deadline > now {
            return None;
        }
        self.remove(place)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::priority::{Business, User};

    fn priority(business: u8, level: u8) -> Priority {
        Priority::new(Business::new(business), User::new(level, 0).unwrap())
    }

    #[test]
    fn order_is_business_then_progress_then_user_then_arrival() {
        let mut queue = Queue::new();
        let order = [
            (priority(1, 9), Progress::New),
            (priority(1, 0), Progress::New),
            (priority(0, 127), Progress::New),
            (priority(1, 127), Progress::InProgress),
            (priority(1, 9), Progress::New),
        ];
        for (number, (priority, progress)) in order.into_iter().enumerate() {
            let place = queue.place(priority, progress);
            queue.insert(place, 0, number);
        }
        let popped: Vec<_> = std::iter::from_fn(|| queue.pop_best()).collect();
        assert_eq!(popped, [2, 3, 1, 0, 4]);
        assert!(queue.by_deadline.is_empty());
    }

    proptest! {
        /// Whatever comes and goes, both indices hold the same requests and every end is the right one.
        #[test]
        fn both_indices_agree(steps in prop::collection::vec((0u8..6, 0u8..4, 0u8..128, 0u64..50), 1..200)) {
            let mut queue = Queue::new();
            let mut model: Vec<(Place, u64)> = Vec::new();
            for (step, business, user, number) in steps {
                match step {
                    0..=2 => {
                        let place = queue.place(priority(business, user), Progress::New);
                        queue.insert(place, number, place);
                        model.push((place, number));
                    }
                    3 => {
                        let best = model.iter().map(|entry| entry.0).min();
                        prop_assert_eq!(queue.pop_best(), best);
                        model.retain(|entry| Some(entry.0) != best);
                    }
                    4 => {
                        let place = queue.place(priority(business, user), Progress::New);
                        let worst = model.iter().map(|entry| entry.0).max().filter(|worst| *worst > place);
                        prop_assert_eq!(queue.pop_worse_than(place), worst);
                        model.retain(|entry| Some(entry.0) != worst);
                    }
                    _ => {
                        let expired = queue.pop_expired(number);
                        let earliest = model.iter().map(|entry| entry.1).min();
                        prop_assert_eq!(expired.is_some(), earliest.is_some_and(|at| at <= number));
                        model.retain(|entry| Some(entry.0) != expired);
                    }
                }
                prop_assert_eq!(queue.len(), model.len());
                prop_assert_eq!(queue.by_deadline.len(), model.len());
            }
        }
    }
}
