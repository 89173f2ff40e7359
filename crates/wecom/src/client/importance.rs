//! How important a call is: what the client was told, else what the task is that it belongs to.
//!
//! Who says nothing is the most important, as [`Rank`] is by default: then nobody goes before
//! anybody, and nothing is left over for others.

#[cfg(feature = "dagor")]
use dagor::{Business, Priority, Task, User};

use crate::rank::Rank;

/// What a client was told of its calls' importance; what was said last holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Importance {
    /// Nothing.
    Unsaid,
    /// A rank.
    Rank(Rank),
    /// A priority.
    #[cfg(feature = "dagor")]
    Priority(Priority),
}

/// The importance of one call.
#[derive(Clone, Debug)]
pub(super) struct Weight {
    pub(super) rank: Rank,
    #[cfg(feature = "dagor")]
    pub(super) priority: Priority,
    /// The task it belongs to, unless its importance was told.
    #[cfg(feature = "dagor")]
    pub(super) task: Option<Task>,
}

// === impl Importance ===

impl Importance {
    #[cfg(not(feature = "dagor"))]
    pub(super) fn weigh(self) -> Weight {
        match self {
            Self::Unsaid => Weight {
                rank: Rank::default(),
            },
            Self::Rank(rank) => Weight { rank },
        }
    }

    #[cfg(feature = "dagor")]
    pub(super) fn weigh(self) -> Weight {
        let task = match self {
            Self::Unsaid => Task::current(),
            Self::Rank(_) | Self::Priority(_) => None,
        };
        let (rank, priority) = match self {
            Self::Rank(rank) => (rank, priority_of(rank)),
            Self::Priority(priority) => (rank_of(priority), priority),
            Self::Unsaid => {
                let priority = task.as_ref().map(Task::priority);
                let priority = priority.unwrap_or(Priority::MOST_IMPORTANT);
                (rank_of(priority), priority)
            }
        };
        Weight {
            rank,
            priority,
            task,
        }
    }
}

/// Businesses that have ranks of their own: dagor's default. Larger numbers count as the last of them, as they do
/// in a service that tells fewer apart, so that the usual eight spread over all ranks.
#[cfg(feature = "dagor")]
const BUSINESSES: u16 = 8;

/// Ranks of a business; four sub-levels of a user share one.
#[cfg(feature = "dagor")]
const PER_BUSINESS: u16 = 8192;

/// Returns the rank of a priority; a more important one never has a larger rank.
#[cfg(feature = "dagor")]
pub(crate) fn rank_of(priority: Priority) -> Rank {
    let business = u16::from(priority.business().get()).min(BUSINESSES - 1);
    let user = priority.user();
    let user = u16::from_be_bytes([user.level(), user.sub_level()]) / 4;
    Rank::new(business * PER_BUSINESS + user)
}

/// Returns the first priority of a rank.
#[cfg(feature = "dagor")]
fn priority_of(rank: Rank) -> Priority {
    let [level, sub_level] = (rank.get() % PER_BUSINESS * 4).to_be_bytes();
    let business = u8::try_from(rank.get() / PER_BUSINESS).unwrap_or(u8::MAX);
    // At most 127: 8191 times 4 has 15 bits.
    let user = User::new(level, sub_level).unwrap_or(User::LEAST_IMPORTANT);
    Priority::new(Business::new(business), user)
}

#[cfg(all(test, feature = "dagor"))]
mod tests {
    use super::*;

    #[test]
    fn ranks_keep_the_order_of_priorities_and_use_the_whole_range() {
        let mut last = Rank::MOST_IMPORTANT;
        for business in 0..=u8::MAX {
            for level in 0..128 {
                for sub_level in [0, 3, 4, 255] {
                    let user = User::new(level, sub_level).unwrap();
                    let rank = rank_of(Priority::new(Business::new(business), user));
                    let begins_last = business > 7 && (level, sub_level) == (0, 0);
                    assert!(
                        rank >= last || begins_last,
                        "{business} {level} {sub_level}"
                    );
                    last = rank;
                }
            }
        }
        assert_eq!(rank_of(Priority::MOST_IMPORTANT), Rank::MOST_IMPORTANT);
        assert_eq!(rank_of(Priority::LEAST_IMPORTANT), Rank::LEAST_IMPORTANT);
    }

    #[test]
    fn a_rank_and_the_priority_it_stands_for_lead_to_each_other() {
        for rank in 0..=u16::MAX {
            let rank = Rank::new(rank);
            assert_eq!(rank_of(priority_of(rank)), rank);
        }
    }

    #[test]
    fn what_was_told_comes_before_the_task_and_the_task_before_nothing() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let priority = |business| Priority::new(Business::new(business), User::MOST_IMPORTANT);
        let weigh = |importance: Importance| importance.weigh().priority;
        runtime.block_on(Task::new(priority(3)).scope(async {
            assert_eq!(weigh(Importance::Unsaid), priority(3));
            assert_eq!(weigh(Importance::Priority(priority(5))), priority(5));
            assert_eq!(weigh(Importance::Rank(Rank::new(8192))), priority(1));
        }));
        assert_eq!(weigh(Importance::Unsaid), Priority::MOST_IMPORTANT);
    }
}
