//! What was done for each task, until it is known whether it was in vain.

use std::{collections::VecDeque, time::Duration};

/// A piece of work that ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Piece {
    /// In which bin.
    pub(super) bin: usize,
    /// Where.
    pub(super) service: usize,
    /// How long it was.
    pub(super) worked: Duration,
}

/// The work of the tasks that are under way.
///
/// Tasks are numbered from 0, so that a queue finds them; it begins with the oldest that has not ended. Of those
/// before it is kept whether they failed, a bit each.
#[derive(Debug, Default)]
pub(super) struct Work {
    tasks: VecDeque<Task>,
    /// The number of the first task in the queue.
    base: u64,
    /// All pieces of all tasks, each with the place of the one before it; places are used again.
    pieces: Vec<(Piece, Option<usize>)>,
    free: Vec<usize>,
    failed: Bits,
}

/// A task in the queue.
#[derive(Clone, Copy, Debug, Default)]
struct Task {
    /// The place of its latest piece.
    latest: Option<usize>,
    ended: bool,
}

/// A set of numbers, 1 bit each.
#[derive(Debug, Default)]
struct Bits(Vec<u64>);

// === impl Work ===

impl Work {
    /// A task came. Its number is near those of the other tasks that came lately.
    pub(super) fn came(&mut self, task: u64) {
        let Some(place) = self.place(task) else {
            return;
        };
        if place >= self.tasks.len() {
            self.tasks.resize(place + 1, Task::default());
        }
    }

    /// Keeps a piece of work; returns whether it is known to be in vain.
    pub(super) fn done(&mut self, task: u64, piece: Piece) -> bool {
        let place = self.place(task);
        let Some(task_here) = place.and_then(|place| self.tasks.get_mut(place)) else {
            return self.failed.contains(task);
        };
        if task_here.ended {
            return self.failed.contains(task);
        }
        let latest = (piece, task_here.latest);
        task_here.latest = Some(match self.free.pop() {
            Some(place) => {
                self.pieces[place] = latest;
                place
            }
            None => {
                self.pieces.push(latest);
                self.pieces.len() - 1
            }
        });
        false
    }

    /// A task ended; gives each piece of its work to `wasted` if it failed.
    pub(super) fn ended(&mut self, task: u64, good: bool, mut wasted: impl FnMut(Piece)) {
        let place = self.place(task);
        let Some(ended) = place.and_then(|place| self.tasks.get_mut(place)) else {
            return;
        };
        if std::mem::replace(&mut ended.ended, true) {
            return;
        }
        let mut latest = ended.latest.take();
        while let Some(place) = latest {
            let (piece, before) = self.pieces[place];
            if !good {
                wasted(piece);
            }
            self.free.push(place);
            latest = before;
        }
        if !good {
            self.failed.insert(task);
        }
        while self.tasks.front().is_some_and(|task| task.ended) {
            self.tasks.pop_front();
            self.base += 1;
        }
    }

    /// All tasks that have not ended fail now.
    pub(super) fn fail_all(&mut self, mut wasted: impl FnMut(Piece)) {
        while !self.tasks.is_empty() {
            self.ended(self.base, false, &mut wasted);
        }
    }

    /// Returns where a task is in the queue, or would be; `None` if it is before it.
    fn place(&self, task: u64) -> Option<usize> {
        let place = task.checked_sub(self.base)?;
        usize::try_from(place).ok()
    }
}

// === impl Bits ===

impl Bits {
    fn insert(&mut self, number: u64) {
        let Some((word, bit)) = Self::place(number) else {
            return;
        };
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= bit;
    }

    fn contains(&self, number: u64) -> bool {
        let place = Self::place(number);
        place.is_some_and(|(word, bit)| self.0.get(word).is_some_and(|bits| bits & bit != 0))
    }

    fn place(number: u64) -> Option<(usize, u64)> {
        let word = usize::try_from(number / 64).ok()?;
        Some((word, 1 << (number % 64)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn piece(bin: usize) -> Piece {
        let worked = Duration::from_millis(1);
        Piece {
            bin,
            service: 0,
            worked,
        }
    }

    fn end(work: &mut Work, task: u64, good: bool) -> Vec<usize> {
        let mut bins = Vec::new();
        work.ended(task, good, |piece| bins.push(piece.bin));
        bins.sort_unstable();
        bins
    }

    #[test]
    fn work_of_a_failed_task_is_given_back_once() {
        let mut work = Work::default();
        for task in 0..3 {
            work.came(task);
        }
        for bin in 0..4 {
            assert!(!work.done(1, piece(bin)));
        }
        assert!(!work.done(0, piece(9)));
        assert_eq!(end(&mut work, 1, false), [0, 1, 2, 3]);
        assert_eq!(end(&mut work, 1, false), [0; 0]);
        assert_eq!(end(&mut work, 0, true), [0; 0]);
        assert_eq!(end(&mut work, 2, false), [0; 0], "nothing was done for it");
    }

    #[test]
    fn late_work_is_in_vain_if_its_task_failed() {
        let mut work = Work::default();
        for task in 0..3 {
            work.came(task);
        }
        // The first is under way, so the others stay in the queue; then all leave it.
        for last in [2, 0] {
            end(&mut work, 1, false);
            end(&mut work, last, true);
            assert!(work.done(1, piece(0)));
            assert!(!work.done(2, piece(0)));
        }
        assert!(work.tasks.is_empty());
        assert!(
            !work.done(7, piece(0)),
            "of a task that never came nothing is known"
        );
    }

    #[test]
    fn memory_is_that_of_the_tasks_under_way() {
        let mut work = Work::default();
        for task in 0..100_000 {
            work.came(task);
            for bin in 0..5 {
                work.done(task, piece(bin));
            }
            if let Some(old) = task.checked_sub(10) {
                end(&mut work, old, old % 2 == 0);
            }
        }
        assert_eq!(work.tasks.len(), 10);
        assert!(work.pieces.len() <= 11 * 5);
        let mut wasted = 0;
        work.fail_all(|_| wasted += 1);
        assert_eq!((wasted, work.tasks.len()), (50, 0));
        assert!(work.done(99_999, piece(0)), "failed with the rest");
    }

    #[test]
    fn tasks_may_come_and_end_in_any_order() {
        let mut work = Work::default();
        for task in [3, 1, 0, 2] {
            work.came(task);
            work.done(task, piece(usize::try_from(task).unwrap()));
        }
        for task in [2, 3, 0, 1] {
            let bin = usize::try_from(task).unwrap();
            assert_eq!(end(&mut work, task, false), [bin]);
        }
        assert_eq!((work.tasks.len(), work.base), (0, 4));
    }
}
