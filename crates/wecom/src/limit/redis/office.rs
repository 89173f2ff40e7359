//! What all (corp, API) of one limiter share: the connection, the scripts, and how they are asked.

use std::{
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use redis::Script;
use tokio::time::timeout;

use super::{RedisConnection, arguments};
use crate::{
    clock::Clock,
    error::{BoxError, RedisFailure},
    keyspace::run,
    limit::{
        book::End,
        plan::{Micros, Plan, micros},
    },
    rank::Rank,
};

/// What all (corp, API) need to ask.
pub(super) struct Office<C> {
    pub(super) connection: C,
    pub(super) plan: Arc<Plan>,
    pub(super) clock: Clock,
    pub(super) tells_time: bool,
    acquire: Script,
    settle: Script,
    /// Tells this limiter from others; the beginning of its leases.
    pub(super) who: Box<str>,
    pub(super) leases: AtomicU64,
    /// How long a question may take.
    pub(super) timeout: Duration,
}

/// How often to ask while all that is known is that too many calls are in flight.
pub(super) const POLL: Duration = Duration::from_millis(10);

// === impl Office ===

impl<C: Clone> Office<C> {
    /// Returns one of a limiter that waits for 1 s, and does not know yet whether it is told the time.
    pub(super) fn new(connection: C, plan: Plan) -> Self {
        Self {
            connection,
            plan: Arc::new(plan),
            clock: Clock::system(),
            tells_time: false,
            acquire: Script::new(concat!(
                include_str!("common.lua"),
                include_str!("acquire.lua")
            )),
            settle: Script::new(concat!(
                include_str!("common.lua"),
                include_str!("settle.lua")
            )),
            who: new_name(),
            leases: AtomicU64::new(0),
            timeout: Duration::from_secs(1),
        }
    }

    /// Returns another one with the same settings.
    pub(super) fn again(&self) -> Self {
        Self {
            connection: self.connection.clone(),
            plan: Arc::clone(&self.plan),
            clock: self.clock,
            tells_time: self.tells_time,
            acquire: self.acquire.clone(),
            settle: self.settle.clone(),
            who: new_name(),
            leases: AtomicU64::new(0),
            timeout: self.timeout,
        }
    }
}

impl<C: RedisConnection> Office<C> {
    /// Returns whether scripts are told the time.
    pub(super) async fn probe(&self) -> Result<bool, BoxError> {
        let mut connection = self.connection.clone();
        let script = Script::new("return redis.pcall('TIME').err and 0 or 1");
        let invocation = script.prepare_invoke();
        let asked = run::<i64>(&invocation, &mut connection);
        let told = timeout(self.timeout, asked).await;
        Ok(told.map_err(|_| RedisFailure::Slow)?? == 1)
    }

    /// Asks, in the name of a new lease. The time is used by a Redis that tells none.
    pub(super) async fn ask(
        &self,
        keys: &[String; 3],
        lease: &str,
        (rank, waited): (Rank, Duration),
        now: Micros,
    ) -> Result<(i64, Micros, Micros), BoxError> {
        let mut connection = self.connection.clone();
        let mut invocation = self.acquire.key(keys);
        invocation.arg(now).arg(lease).arg(&*self.who);
        let numbers = arguments::acquire(&self.plan, rank, waited, POLL);
        invocation.arg(&numbers);
        run(&invocation, &mut connection).await
    }

    /// Gives a lease back. `granted` is 0 where it is not known.
    pub(super) async fn give_back(
        &self,
        keys: &[String; 3],
        (lease, granted): (&str, Micros),
        end: End,
        now: Micros,
    ) -> Result<(), BoxError> {
        let mut connection = self.connection.clone();
        let mut invocation = self.settle.key(keys);
        invocation.arg(now).arg(lease).arg(granted);
        let (name, arguments) = arguments::settle(&self.plan, end);
        invocation.arg(name);
        for (name, value) in arguments {
            invocation.arg(name).arg(value);
        }
        run::<i64>(&invocation, &mut connection).await.map(drop)
    }

    pub(super) fn calendar(&self) -> Micros {
        micros(self.clock.calendar())
    }
}

/// Returns a name that no other limiter has.
fn new_name() -> Box<str> {
    format!("{:016x}", rand::random::<u64>()).into()
}
