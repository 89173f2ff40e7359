//! Peers as plain state, and what puts them into a run.
//!
//! The callee's side is a [`Gatekeeper`] in front of a queue and a number of slots; the caller's side is a
//! [`Sender`]. Neither reads a clock: `now` is the time since the start of the run. [`Peer`] makes a policy of
//! either or both, on any executor.
//!
//! Requests wait at a gatekeeper only as long as their clients do: one whose deadline has passed is refused when it is
//! first in line, whatever the peer, for deadlines travel with calls. Most of the peers' own papers do without, and it
//! does all of them good.
//!
//! The figures in the pages of the peers at the callee are from the small plant that their tests run in, where
//! hundreds of sets of constants could be tried; in the engine of virtual time the same cells come out some
//! hundredths higher (`chaos table`).

mod caller;
mod limiter;
mod line;
mod pair;
#[cfg(test)]
pub(crate) mod plant;
mod server;
pub(crate) mod sizing;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use self::{
    caller::PeerCaller,
    limiter::{Limit, Limiter},
    pair::{Nobody, Peer},
    server::PeerServer,
    sizing::Sizing,
};
use crate::{
    policy::Place,
    wire::{Call, Ending},
    world::Chance,
};

/// A request at the gatekeeper.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// Whose it is.
    pub call: Call,
    /// When it came.
    pub at: Duration,
    /// What the caller's side sent with it.
    pub ask: Option<String>,
}

/// What the gatekeeper says to a request that comes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verdict {
    /// Wait in line for a slot; the smallest number is next, equal ones in the order they came.
    Queue(u64),
    /// Refused.
    Refuse,
}

/// The callee's side of a peer, one for each instance.
pub trait Gatekeeper: std::marker::Send {
    /// A request comes; `waiting` and `running` are without it.
    fn arrive(
        &mut self,
        now: Duration,
        request: &Arrival,
        waiting: usize,
        running: usize,
    ) -> Verdict;

    /// How many may run at once now.
    fn slots(&self) -> usize;

    /// How many may wait; when one more comes the last in line is refused (which may be the newcomer).
    fn queue_bound(&self) -> usize {
        usize::MAX
    }

    /// A request is next, whether it waited or not; `waiting` is without it. `false` refuses it instead (dropped
    /// from the head). Those whose deadline has passed are refused before, without being asked about here.
    fn start(&mut self, now: Duration, request: &Arrival, waiting: usize) -> bool {
        let _ = (now, request, waiting);
        true
    }

    /// A request's work ended, begun at `began`; `served` if it succeeded. Once for each that was let
    /// [`start`](Self::start), and not served if it was given up.
    fn finish(&mut self, now: Duration, request: &Arrival, began: Duration, served: bool);

    /// How often [`tick`](Self::tick) is called; `None` for never.
    fn period(&self) -> Option<Duration> {
        None
    }

    /// Time passed.
    fn tick(&mut self, now: Duration, waiting: usize, running: usize) {
        let _ = (now, waiting, running);
    }

    /// What goes with the answer to this request, refusals included.
    fn tell(&mut self, now: Duration, request: &Arrival) -> Option<String> {
        let _ = (now, request);
        None
    }

    /// How open it is, 0 to 1.
    fn level(&self) -> f64 {
        1.0
    }
}

/// What the caller's side says to a call.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Send {
    /// Send it, with this.
    Go(Option<String>),
    /// Do not.
    Withhold,
}

/// How a call ended.
#[derive(Clone, Debug)]
pub struct Reply {
    /// How.
    pub ending: Ending,
    /// What the gatekeeper told.
    pub told: Option<String>,
    /// How long it took.
    pub took: Duration,
}

/// The caller's side of a peer, one for each caller instance and callee service.
pub trait Sender: std::marker::Send {
    /// A call to this instance is about to be sent.
    fn send(&mut self, now: Duration, call: &Call, instance: usize) -> Send;

    /// A call that was sent ended.
    fn heard(&mut self, now: Duration, call: &Call, instance: usize, reply: &Reply);

    /// A call that was sent was given up before an answer came.
    fn gave_up(&mut self, now: Duration, call: &Call, instance: usize);
}

impl Place<'_> {
    /// Returns the stream of chance of this name for this start of this instance.
    #[must_use]
    pub fn chance(&self, name: &str) -> Chance {
        let name = format!("{name} {}", self.spec().name);
        let number = u64::from(self.start) << 32 | u64::from(self.instance);
        Chance::new(self.seed, &name, number)
    }
}
