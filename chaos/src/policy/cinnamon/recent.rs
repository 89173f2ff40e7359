//! The priorities of the last requests, and their quantiles.

use std::collections::{BTreeMap, VecDeque};

/// So many of the last priorities; smaller is more important.
#[derive(Clone, Debug)]
pub(super) struct Recent {
    most: usize,
    last: VecDeque<u32>,
    counts: BTreeMap<u32, usize>,
}

impl Recent {
    pub(super) const fn new(most: usize) -> Self {
        Self {
            most,
            last: VecDeque::new(),
            counts: BTreeMap::new(),
        }
    }

    /// A request of this priority came, whatever becomes of it.
    pub(super) fn count(&mut self, priority: u32) {
        if self.last.len() >= self.most
            && let Some(oldest) = self.last.pop_front()
            && let Some(count) = self.counts.get_mut(&oldest)
        {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&oldest);
            }
        }
        self.last.push_back(priority);
        *self.counts.entry(priority).or_default() += 1;
    }

    /// Returns the last priority that is let through so that this share is not.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a thousand at most"
    )]
    pub(super) fn cut(&self, refused: f64) -> u32 {
        let through = ((1.0 - refused) * self.last.len() as f64).ceil() as usize;
        if through >= self.last.len() {
            return u32::MAX;
        }
        let mut below = 0;
        let cut = self.counts.iter().find(|(_, count)| {
            below += **count;
            below >= through
        });
        cut.map_or(u32::MAX, |(&priority, _)| priority)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cut_is_the_quantile_of_the_last_ones() {
        let mut recent = Recent::new(100);
        assert_eq!(recent.cut(0.5), u32::MAX);
        // These are forgotten.
        for _ in 0..50 {
            recent.count(7);
        }
        for priority in 0..100 {
            recent.count(priority);
        }
        assert_eq!(recent.cut(0.0), u32::MAX);
        assert_eq!(recent.cut(0.25), 74);
        assert_eq!(recent.cut(0.999), 0);
        assert_eq!(recent.counts.values().sum::<usize>(), 100);
    }
}
