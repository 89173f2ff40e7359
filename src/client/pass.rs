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
