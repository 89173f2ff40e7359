//! How much is done under one hold of a lock, so that no list is so long that everybody waits for whoever reads it.
//!
//! Long lists are read a piece at a time, and whoever waits for the lock is let in between two pieces. Places in a
//! list never move (a number is never given twice), so a walk goes on where it was: what was there all the time is
//! met once, what comes or goes meanwhile perhaps. In tests the rows that are walked are counted.

/// The most rows of a list that are walked under one hold of a lock: some 50 µs.
pub(crate) const PIECE: usize = 1000;

/// Begins to count anew: a lock was taken.
pub(crate) fn begin() {
    #[cfg(test)]
    counting::begin();
}

/// Counts a row.
pub(crate) fn touch() {
    #[cfg(test)]
    counting::touch();
}

#[cfg(test)]
pub(crate) mod counting {
    use std::cell::Cell;

    thread_local! {
        static NOW: Cell<usize> = const { Cell::new(0) };
        static MOST: Cell<usize> = const { Cell::new(0) };
        static ALL: Cell<usize> = const { Cell::new(0) };
    }

    pub(super) fn begin() {
        NOW.set(0);
    }

    pub(super) fn touch() {
        NOW.set(NOW.get() + 1);
        ALL.set(ALL.get() + 1);
        MOST.set(MOST.get().max(NOW.get()));
    }

    /// Returns how many rows this thread walked under one hold at most, and in all, since it was asked last.
    pub(crate) fn taken() -> (usize, usize) {
        (MOST.take(), ALL.take())
    }
}
