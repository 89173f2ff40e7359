//! The line in front of a gatekeeper's slots, as plain state.

use std::{collections::BTreeMap, time::Duration, vec::Drain};

use super::{Arrival, Gatekeeper, Verdict};

/// Where a waiting request stands: the gatekeeper's number, then who came first.
pub(super) type Spot = (u64, u64);

/// What is said to a request that waits.
#[derive(Debug)]
pub(super) enum Turn {
    /// Its work begins; it has a slot since then.
    Begin(Arrival, Duration),
    /// It is refused, and told this.
    Refused(Option<String>),
}

/// What is said to a request that comes.
#[derive(Debug)]
pub(super) enum Entry {
    /// What is said to those that wait, at once.
    Now(Turn),
    /// It has to [`wait`](Line::wait), by this number of the gatekeeper's.
    Wait(u64, Arrival),
}

/// A gatekeeper, its line and its slots. `T` is how the owner finds a request that waits again.
#[derive(Debug)]
pub(super) struct Line<G, T> {
    gate: G,
    waiting: BTreeMap<Spot, (Arrival, T)>,
    running: usize,
    arrivals: u64,
    turns: Vec<(T, Turn)>,
}

impl<G: Gatekeeper, T> Line<G, T> {
    pub(super) const fn new(gate: G) -> Self {
        Self {
            gate,
            waiting: BTreeMap::new(),
            running: 0,
            arrivals: 0,
            turns: Vec::new(),
        }
    }

    pub(super) const fn gate(&self) -> &G {
        &self.gate
    }

    /// Takes what there is to say to those that waited; to be asked after every other call.
    pub(super) fn turns(&mut self) -> Drain<'_, (T, Turn)> {
        self.turns.drain(..)
    }

    /// A request comes.
    pub(super) fn arrive(&mut self, now: Duration, request: Arrival) -> Entry {
        let verdict = self
            .gate
            .arrive(now, &request, self.waiting.len(), self.running);
        let number = match verdict {
            Verdict::Queue(number) => number,
            Verdict::Refuse => return Entry::Now(Turn::Refused(self.gate.tell(now, &request))),
        };
        if self.waiting.is_empty() && self.running < self.gate.slots() {
            Entry::Now(self.call_up(now, request))
        } else {
            Entry::Wait(number, request)
        }
    }

    /// It joins the line; its turn is among the [`turns`](Self::turns), perhaps already.
    pub(super) fn wait(&mut self, now: Duration, number: u64, request: Arrival, ticket: T) -> Spot {
        let spot = (number, self.arrivals);
        self.arrivals += 1;
        self.waiting.insert(spot, (request, ticket));
        self.advance(now);
        spot
    }

    /// A request that waits has gone away. Returns `false` if it does not wait any more.
    pub(super) fn leave(&mut self, spot: Spot) -> bool {
        self.waiting.remove(&spot).is_some()
    }

    /// The work that was begun at `began` is over or was given up. Returns what goes with the answer.
    pub(super) fn finish(
        &mut self,
        now: Duration,
        request: &Arrival,
        began: Duration,
        served: bool,
    ) -> Option<String> {
        self.running -= 1;
        self.gate.finish(now, request, began, served);
        let told = self.gate.tell(now, request);
        self.advance(now);
        told
    }

    /// Time passed.
    pub(super) fn tick(&mut self, now: Duration) {
        self.gate.tick(now, self.waiting.len(), self.running);
        self.advance(now);
    }

    /// Fills the slots that are free, then cuts the line to its bound.
    fn advance(&mut self, now: Duration) {
        while self.running < self.gate.slots()
            && let Some((_, (request, ticket))) = self.waiting.pop_first()
        {
            let turn = self.call_up(now, request);
            self.turns.push((ticket, turn));
        }
        while self.waiting.len() > self.gate.queue_bound()
            && let Some((_, (request, ticket))) = self.waiting.pop_last()
        {
            let told = self.gate.tell(now, &request);
            self.turns.push((ticket, Turn::Refused(told)));
        }
    }

    /// A request is first and there is a slot. One whose client has given up is refused without a word to the
    /// gatekeeper: deadlines travel with calls, and every peer gets to use them.
    fn call_up(&mut self, now: Duration, request: Arrival) -> Turn {
        if request.call.deadline > now && self.gate.start(now, &request, self.waiting.len()) {
            self.running += 1;
            Turn::Begin(request, now)
        } else {
            Turn::Refused(self.gate.tell(now, &request))
        }
    }
}
