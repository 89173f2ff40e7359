//! How long the request that waits longest has waited, for peers that go by it.

use std::{collections::VecDeque, time::Duration};

/// When those came that wait, first come, first served.
///
/// One that leaves the line unasked is noticed when a later one starts or the line is empty; until then the age is
/// its, which is at most one start too long.
#[derive(Clone, Debug, Default)]
pub(super) struct Standing(VecDeque<Duration>);

impl Standing {
    /// A request joins the line.
    pub(super) fn join(&mut self, now: Duration) {
        self.0.push_back(now);
    }

    /// The one that came at this time is next; so are none who came before it.
    pub(super) fn start(&mut self, came: Duration) {
        while self.0.front().is_some_and(|&at| at <= came) {
            self.0.pop_front();
        }
    }

    /// Returns the age of the oldest, zero if none of `waiting` waits.
    pub(super) fn age(&mut self, now: Duration, waiting: usize) -> Duration {
        if waiting == 0 {
            self.0.clear();
        }
        let oldest = self.0.front();
        oldest.map_or(Duration::ZERO, |&at| now.saturating_sub(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn the_oldest_that_is_left_counts() {
        let mut standing = Standing::default();
        assert_eq!(standing.age(MS, 0), Duration::ZERO);
        for at in [1, 3, 7] {
            standing.join(at * MS);
        }
        assert_eq!(standing.age(10 * MS, 3), 9 * MS);
        // The first left by itself: the start of the second shows it.
        standing.start(3 * MS);
        assert_eq!(standing.age(10 * MS, 1), 3 * MS);
        assert_eq!(standing.age(11 * MS, 0), Duration::ZERO);
    }
}
