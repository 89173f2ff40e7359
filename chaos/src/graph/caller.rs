//! The calls that one instance makes along one edge of the graph.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use http::Uri;

use super::{Run, balance::Balancer, budget::Budget, lock, within::within};
use crate::{
    scenario::Edge,
    wire::{Body, Call, Ending, Link, Request},
};

/// One caller instance's way along one edge.
pub(super) struct Caller {
    run: Run,
    /// The edge's place in the scenario.
    edge: usize,
    /// The callee's instances, behind the policy.
    links: Arc<[Link]>,
    /// Where each is.
    addresses: Arc<[Uri]>,
    balancer: Balancer,
    budget: Option<Mutex<Budget>>,
    /// Whether a call needs a timer of its own to end at the task's deadline. Where hanging up gets through to
    /// everybody, the client's does.
    alone: bool,
}

/// The callee of a caller: its instances' links, and where each is.
#[derive(Clone)]
pub(super) struct Callees {
    pub(super) links: Arc<[Link]>,
    pub(super) addresses: Arc<[Uri]>,
}

impl Caller {
    /// Calls along the edge at this place.
    pub(super) fn new(
        run: &Run,
        edge: usize,
        callees: Callees,
        balancer: Balancer,
        alone: bool,
    ) -> Self {
        let budget = run.scenario.edges[edge].retries.budget;
        Self {
            run: run.clone(),
            edge,
            links: callees.links,
            addresses: callees.addresses,
            balancer,
            budget: budget.map(|share| Mutex::new(Budget::new(share))),
            alone,
        }
    }

    /// Makes all calls that this task makes here; `false` if the task has failed with them.
    pub(super) async fn make_calls(&self, call: &Call) -> bool {
        let edge = self.edge();
        if !edge.is_for(call.business) {
            return true;
        }
        let many = edge.makes(self.edge, call.draw);
        let good = match many {
            0 => true,
            1 => self.call(call).await,
            _ if edge.parallel => self.at_once(call, many).await,
            _ => self.in_turn(call, many).await,
        };
        good || !edge.required
    }

    async fn in_turn(&self, call: &Call, many: u32) -> bool {
        let mut good = true;
        for _ in 0..many {
            good &= self.call(call).await;
            if !good && self.edge().required {
                return false;
            }
        }
        good
    }

    async fn at_once(&self, call: &Call, many: u32) -> bool {
        let mut calls: FuturesUnordered<_> = (0..many).map(|_| self.call(call)).collect();
        let mut good = true;
        while let Some(served) = calls.next().await {
            good &= served;
            if !good && self.edge().cancel {
                // The others are dropped.
                return false;
            }
        }
        good
    }

    /// Makes one call, with its retries.
    async fn call(&self, call: &Call) -> bool {
        let (world, retries) = (&self.run.world, &self.edge().retries);
        let now = world.now();
        if now >= call.deadline {
            return false;
        }
        self.run.recorder.wanted();
        if let Some(budget) = &self.budget {
            lock(budget).call(now);
        }
        let mut again = 0;
        loop {
            let ending = self.attempt(call).await;
            let may = match ending {
                Ending::Served => return true,
                Ending::Refused | Ending::Withheld => retries.refused,
                Ending::Failed => true,
            };
            let at = world.now().saturating_add(retries.backoff);
            if !may || again >= retries.most || at >= call.deadline || !self.spend() {
                return false;
            }
            again += 1;
            if !retries.backoff.is_zero() {
                world.sleep_until(at).await;
            }
        }
    }

    /// Takes a retry from the budget, if there is one.
    fn spend(&self) -> bool {
        let budget = self.budget.as_ref();
        budget.is_none_or(|budget| lock(budget).retry(self.run.world.now()))
    }

    async fn attempt(&self, call: &Call) -> Ending {
        let chosen = self.balancer.choose(&self.links, call.user);
        let _under_way = self.balancer.begin(chosen);
        let answering = self.links[chosen].send(self.request(chosen, call));
        let answer = match self.until(call) {
            Some(at) => within(&self.run.world, at, answering).await,
            None => Some(answering.await),
        };
        let ending = answer.as_ref().map_or(Ending::Failed, Ending::of);
        if ending == Ending::Withheld {
            let (now, callee) = (self.run.world.now(), self.edge().to);
            self.run.recorder.withheld(now, callee);
        }
        ending
    }

    /// Returns when to give a call up that is made now; `None` if somebody else sees to it.
    fn until(&self, call: &Call) -> Option<Duration> {
        let timeout = self.edge().timeout;
        let timeout = timeout.map(|timeout| self.run.world.now().saturating_add(timeout));
        match timeout.filter(|at| *at < call.deadline) {
            None => self.alone.then_some(call.deadline),
            earlier => earlier,
        }
    }

    fn request(&self, chosen: usize, call: &Call) -> Request {
        let mut request = Request::new(Body::empty());
        *request.uri_mut() = self.addresses[chosen].clone();
        request.extensions_mut().insert(*call);
        request
    }

    fn edge(&self) -> &Edge {
        &self.run.scenario.edges[self.edge]
    }
}
