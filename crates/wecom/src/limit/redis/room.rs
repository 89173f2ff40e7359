//! The count of one (corp, API), which is elsewhere: asking for room, and giving it back.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use tokio::{runtime::Handle, time::timeout};

use super::{RedisConnection, office::Office};
use crate::{
    error::{BoxError, RedisFailure},
    limit::{
        book::End,
        desk::{Answer, Desk, Outcome, Room},
        plan::{Micros, duration},
    },
    rank::Rank,
};

/// The count of one (corp, API), elsewhere.
pub(super) struct RedisRoom<C> {
    pub(super) office: Arc<Office<C>>,
    pub(super) keys: Arc<[String; 3]>,
}

/// A lease on a call in flight.
pub(super) struct Lease {
    name: String,
    granted: Micros,
    /// To give it back where there is no runtime.
    runtime: Handle,
}

// === impl RedisRoom ===

impl<C: RedisConnection> RedisRoom<C> {
    /// Gives a lease back without waiting for it, and calls `then`.
    fn give_back(&self, lease: Lease, end: End, then: impl FnOnce() + Send + 'static) {
        let (office, keys) = (Arc::clone(&self.office), Arc::clone(&self.keys));
        let runtime = Handle::try_current().unwrap_or_else(|_| lease.runtime.clone());
        runtime.spawn(async move {
            let whose = (&*lease.name, lease.granted);
            let given = office.give_back(&keys, whose, end, office.calendar());
            // Nobody can be told of a failure, and none needs to be: the lease ends by itself.
            let _ = timeout(office.plan.limits.lease, given).await;
            then();
        });
    }
}

impl<C: RedisConnection> Room for RedisRoom<C> {
    type Grant = Lease;

    fn ask_now(&self, _now: Duration, _rank: Rank) -> Option<Answer<Lease>> {
        None
    }

    async fn ask(&self, rank: Rank, waited: Duration) -> Result<Answer<Lease>, BoxError> {
        let office = &self.office;
        let number = office.leases.fetch_add(1, Ordering::Relaxed);
        let mut lease = Lease {
            name: format!("{}:{number}", office.who),
            granted: 0,
            runtime: Handle::current(),
        };
        let asked = office.ask(&self.keys, &lease.name, (rank, waited), office.calendar());
        let answer = timeout(office.timeout, asked).await;
        let (kind, value, pace) = match answer.unwrap_or_else(|_| Err(RedisFailure::Slow.into())) {
            Ok(answer) => answer,
            Err(error) => {
                // It may have been granted all the same.
                self.give_back(lease, End::Unused, || {});
                return Err(error);
            }
        };
        let pace = duration(pace);
        let outcome = match kind {
            1 => {
                lease.granted = value;
                Outcome::Granted(lease)
            }
            2 => Outcome::Full(Some(duration(value))),
            3 => {
                let ours = office.plan.limits.hour.length();
                let theirs = duration(value);
                return Err(RedisFailure::OtherHour { theirs, ours }.into());
            }
            _ => {
                // So that processes do not all ask for the same room; the credit outlasts it.
                let spread = duration(rand::random_range(0..=office.plan.credit / 4));
                Outcome::After(duration(value) + spread)
            }
        };
        Ok(Answer { outcome, pace })
    }

    fn settle(desk: &Arc<Desk<Self>>, lease: Lease, end: End) {
        let ringing = Arc::clone(desk);
        desk.room.give_back(lease, end, move || ringing.ring());
    }

    fn is_blank(&self, _now: Duration) -> bool {
        true
    }
}
