//! The decision without a service around it, for clients that are none.

use super::{
    Callee, Sign,
    sent::{Caller, Sent},
};
use crate::{
    error::Withheld,
    priority::{Priority, Progress},
    task::Task,
};

/// Leave to make one call, by the level inferred of the instance; made by [`Callee::decide`].
///
/// The call is outstanding until this is settled. Dropped instead, as when the call is cancelled, it
/// counts as neither served nor refused.
#[derive(Debug)]
#[must_use = "settle it when the call's result is known"]
pub struct Pass {
    sent: Sent,
    /// What it was judged by, its business as counted.
    rank: (Priority, Progress),
}

impl Callee {
    /// Decides on a call of `priority` to `instance` by the level inferred of it; see
    /// [`feedback`](super::feedback) for the law and an example.
    ///
    /// For clients that are no tower service of `http` requests. An instance is whatever is refused as
    /// a whole: an address, or a tenant with a quota of its own. The business counts up to the callee's
    /// [`businesses`](super::Builder::businesses).
    ///
    /// # Errors
    ///
    /// If the call is to be withheld: it would be refused. It must not be made then.
    pub fn decide(&self, instance: &str, priority: Priority) -> Result<Pass, Withheld> {
        self.pass(instance, Caller::priority(priority))
    }

    /// Decides like [`decide`](Self::decide) on a call that belongs to `task`, which remembers whether
    /// this callee served it.
    ///
    /// # Errors
    ///
    /// If the call is to be withheld: it would be refused. It must not be made then.
    pub fn decide_for(&self, instance: &str, task: &Task) -> Result<Pass, Withheld> {
        self.pass(instance, Caller::task(task.clone(), self))
    }

    fn pass(&self, instance: &str, caller: Caller) -> Result<Pass, Withheld> {
        let now = self.now();
        let instance = self.find(instance, now);
        let (priority, progress) = caller.rank();
        self.judge_by_inference(&instance, (priority, progress), now)?;
        Ok(Pass {
            sent: Sent::new(self, &instance, caller.task),
            rank: (self.counted(priority), progress),
        })
    }
}

impl Pass {
    /// Notes what the call's result says of the instance.
    pub fn settle(self, sign: Sign) {
        self.sent.classified(sign);
    }

    /// Returns whether the level as it is now admits such a call: another one would be sent.
    ///
    /// For calls that wait long before they are refused, such as those in a line of the caller's own. A refusal of one
    /// that would not be sent any more says nothing that the level has not answered already. Settled as refused, those
    /// that were in the line when it fell would push it down for as long as they wait, below calls that are served.
    #[must_use]
    pub fn is_still_admitted(&self) -> bool {
        let (priority, progress) = self.rank;
        self.sent.instance().level().admits(priority, progress)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{
        clock::Clock,
        priority::{Business, User},
    };

    #[test]
    fn a_call_is_no_longer_admitted_once_the_level_has_fallen_below_it() {
        let (clock, hand) = Clock::manual();
        let callee = Callee::builder("quota").clock(clock).build().unwrap();
        let least = Priority::new(Business::new(7), User::LEAST_IMPORTANT);
        let waits = callee.decide("a", least).unwrap();
        let beyond = Priority::new(Business::new(200), User::MOST_IMPORTANT);
        let counted_as_the_last = callee.decide("a", beyond).unwrap();
        let important = callee.decide("a", Priority::MOST_IMPORTANT).unwrap();
        assert!(waits.is_still_admitted() && important.is_still_admitted());

        for _ in 0..10 {
            hand.advance(Duration::from_secs(1));
            if let Ok(pass) = callee.decide("a", least) {
                pass.settle(Sign::Refused { retry_after: None });
            }
        }
        assert!(callee.decide("a", least).is_err());
        assert!(!waits.is_still_admitted());
        assert!(important.is_still_admitted());
        assert_eq!(
            counted_as_the_last.is_still_admitted(),
            callee.decide("a", beyond).is_ok()
        );
    }
}
