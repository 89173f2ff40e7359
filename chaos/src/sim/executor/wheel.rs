//! Moments in order: a radix queue, in which a moment never moves but to where it is looked at more closely.
//!
//! Moments are numbers of eleven digits to the base 64. The time that was reached last is one of them; every
//! other is kept by its first digit that differs from that: a level for which digit it is, a slot for the
//! digit. The lowest slot of the lowest level has the next moment. When it is opened, time reaches its
//! earliest entry, and the others, which agree with that in one digit more, go to lower levels. An entry is thus
//! moved at most ten times, two or three as a rule, and always next to each other in memory, which is what a
//! heap is slower for.
//!
//! Entries of one moment are always in one slot, in the order they came, so that order needs no number.

/// Entries by moment; `T` is what is kept with each.
pub(super) struct Wheel<T> {
    /// The time that was reached; no entry is before it.
    reached: u64,
    levels: Vec<Level<T>>,
    /// How many entries there are.
    len: usize,
    /// Memory for a slot while it is opened.
    opened: Vec<Entry<T>>,
}

struct Level<T> {
    /// Which slots have something in them.
    occupied: u64,
    slots: [Vec<Entry<T>>; SLOTS],
}

/// What is kept, and for when.
#[derive(Clone, Copy, Debug)]
struct Entry<T> {
    at: u64,
    what: T,
}

/// Bits in a digit.
const BITS: u32 = 6;
const SLOTS: usize = 1 << BITS;
/// Enough for 64 bits.
const LEVELS: usize = 11;

// === impl Wheel ===

impl<T: Copy> Wheel<T> {
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// Adds an entry; `at` must not be before the time that was reached.
    pub(super) fn insert(&mut self, at: u64, what: T) {
        debug_assert!(at >= self.reached, "time does not go back");
        self.len += 1;
        self.put(Entry { at, what });
    }

    /// Adds to `due` all entries of the earliest moment that has one that `is_live`, in the order they came, and
    /// returns that moment; nothing if it is after `bound`. Entries that are not live are left out, and forgotten
    /// on the way.
    pub(super) fn next(
        &mut self,
        bound: u64,
        is_live: impl Fn(T) -> bool,
        due: &mut Vec<T>,
    ) -> Option<u64> {
        loop {
            let level = self.levels.iter_mut().find(|level| level.occupied != 0)?;
            let digit = level.occupied.trailing_zeros();
            // Lossless, as all digits and levels: they are below 64.
            let slot = &mut level.slots[digit as usize];
            let before = slot.len();
            slot.retain(|entry| is_live(entry.what));
            self.len -= before - slot.len();
            let earliest = slot.iter().map(|entry| entry.at).min();
            if earliest.is_some_and(|at| at > bound) {
                return None;
            }
            level.occupied &= !(1 << digit);
            if let Some(at) = earliest {
                std::mem::swap(slot, &mut self.opened);
                self.open(at, due);
                return Some(at);
            }
        }
    }

    /// Moves time to the earliest entry of a slot, whose others find their places anew.
    fn open(&mut self, at: u64, due: &mut Vec<T>) {
        self.reached = at;
        let mut opened = std::mem::take(&mut self.opened);
        for entry in opened.drain(..) {
            if entry.at == at {
                self.len -= 1;
                due.push(entry.what);
            } else {
                self.put(entry);
            }
        }
        self.opened = opened;
    }

    /// Forgets all entries that are not live.
    pub(super) fn retain(&mut self, is_live: impl Fn(T) -> bool) {
        self.len = 0;
        for level in &mut self.levels {
            for (digit, slot) in level.slots.iter_mut().enumerate() {
                slot.retain(|entry| is_live(entry.what));
                self.len += slot.len();
                if slot.is_empty() {
                    level.occupied &= !(1 << digit);
                }
            }
        }
    }

    fn put(&mut self, entry: Entry<T>) {
        let (level, digit) = self.place(entry.at);
        let level = &mut self.levels[level];
        level.occupied |= 1 << digit;
        level.slots[digit].push(entry);
    }

    /// Returns the level and the slot of a moment.
    #[expect(clippy::cast_possible_truncation, reason = "a digit is below 64")]
    const fn place(&self, at: u64) -> (usize, usize) {
        // The lowest bit is set so that the moment that was reached itself has a place: the lowest digit's.
        let differs = 63 - ((at ^ self.reached) | 1).leading_zeros();
        let level = differs / BITS;
        let digit = (at >> (level * BITS)) % SLOTS as u64;
        (level as usize, digit as usize)
    }
}

impl<T> Default for Wheel<T> {
    fn default() -> Self {
        Self {
            reached: 0,
            levels: (0..LEVELS).map(|_| Level::default()).collect(),
            len: 0,
            opened: Vec::new(),
        }
    }
}

impl<T> Default for Level<T> {
    fn default() -> Self {
        Self {
            occupied: 0,
            slots: [const { Vec::new() }; SLOTS],
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::world::Chance;

    #[test]
    fn gives_what_a_sorted_map_gives() {
        for seed in 0..40 {
            let mut chance = Chance::new(seed, "wheel", 0);
            let mut wheel = Wheel::default();
            let mut model: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
            let (mut now, mut dead) = (0_u64, BTreeSet::new());
            for number in 0..400 {
                // Of all magnitudes, up to the end of time; small ones meet often.
                let step = chance.bits() >> chance.below(64);
                let at = now.saturating_add(step);
                wheel.insert(at, number);
                model.entry(at).or_default().push(number);
                if chance.unit() < 0.3 {
                    dead.insert(u32::try_from(chance.below(400)).unwrap());
                }
                if chance.unit() < 0.1 {
                    wheel.retain(|number| !dead.contains(&number));
                }
                for _ in 0..chance.below(3) {
                    let bound = now.saturating_add(chance.bits() >> chance.below(64));
                    let mut due = Vec::new();
                    let found = wheel.next(bound, |number| !dead.contains(&number), &mut due);
                    let expected = pop(&mut model, &dead, bound);
                    assert_eq!(found.map(|at| (at, due)), expected, "seed {seed}");
                    now = found.unwrap_or(now);
                }
            }
        }
    }

    /// As the wheel does, from a sorted map.
    fn pop(
        model: &mut BTreeMap<u64, Vec<u32>>,
        dead: &BTreeSet<u32>,
        bound: u64,
    ) -> Option<(u64, Vec<u32>)> {
        model.retain(|_, numbers| {
            numbers.retain(|number| !dead.contains(number));
            !numbers.is_empty()
        });
        let entry = model.first_entry()?;
        (*entry.key() <= bound).then(|| entry.remove_entry())
    }
}
