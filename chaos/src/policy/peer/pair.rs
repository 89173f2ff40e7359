//! A peer as a policy: what makes its gatekeepers and its senders.

use std::{fmt, sync::Arc, time::Duration};

use super::{Arrival, Gatekeeper, PeerCaller, PeerServer, Reply, Send as Say, Sender, Verdict};
use crate::{
    policy::{Callee, Place, Policy, Served},
    wire::{Call, Link},
};

/// A policy of a gatekeeper `G` in front of every instance and a sender `S` at every caller, or of one of them.
pub struct Peer<G = Nobody, S = Nobody> {
    serve: Option<Box<dyn Fn(&Place<'_>) -> Option<G> + Send + Sync>>,
    call: Option<Box<dyn Fn(&Place<'_>, &Callee<'_>) -> S + Send + Sync>>,
    told_closes: bool,
}

/// The side that a peer does not have.
#[derive(Clone, Copy, Debug)]
pub enum Nobody {}

// === impl Peer ===

impl<G: 'static> Peer<G> {
    /// A peer at the callee alone.
    pub fn callee(serve: impl Fn(&Place<'_>) -> G + Send + Sync + 'static) -> Self {
        Self::callee_where(move |place| Some(serve(place)))
    }

    /// A peer at the callee alone, where it has a gatekeeper; elsewhere the work stands as it is, as for a service
    /// without bound on its workers, which has nothing to run out of.
    pub fn callee_where(serve: impl Fn(&Place<'_>) -> Option<G> + Send + Sync + 'static) -> Self {
        Self {
            serve: Some(Box::new(serve)),
            call: None,
            told_closes: false,
        }
    }
}

impl<S> Peer<Nobody, S> {
    /// A peer at the caller alone.
    pub fn caller(call: impl Fn(&Place<'_>, &Callee<'_>) -> S + Send + Sync + 'static) -> Self {
        Self {
            serve: None,
            call: Some(Box::new(call)),
            told_closes: false,
        }
    }
}

impl<G, S> Peer<G, S> {
    /// A peer at both sides.
    pub fn both(
        serve: impl Fn(&Place<'_>) -> G + Send + Sync + 'static,
        call: impl Fn(&Place<'_>, &Callee<'_>) -> S + Send + Sync + 'static,
    ) -> Self {
        Self {
            serve: Some(Box::new(move |place| Some(serve(place)))),
            call: Some(Box::new(call)),
            told_closes: false,
        }
    }

    /// What the callee tells is the less open the larger it is, as a price.
    #[must_use]
    pub fn told_closes(self) -> Self {
        Self {
            told_closes: true,
            ..self
        }
    }
}

impl<G: Gatekeeper + 'static, S: Sender + 'static> Policy for Peer<G, S> {
    fn serve(&self, place: &Place<'_>, work: Link) -> Served {
        let gate = self.serve.as_ref().and_then(|serve| serve(place));
        let Some(gate) = gate else {
            return Served {
                link: work,
                level: None,
            };
        };
        let server = PeerServer::new(place, gate, work);
        Served {
            level: Some(server.level()),
            link: Arc::new(server),
        }
    }

    fn told_opens(&self) -> bool {
        !self.told_closes
    }

    fn call(&self, place: &Place<'_>, callee: &Callee<'_>, channels: Vec<Link>) -> Vec<Link> {
        match &self.call {
            Some(call) => PeerCaller::links(place.world, call(place, callee), channels),
            None => channels,
        }
    }
}

impl<G, S> fmt::Debug for Peer<G, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peer")
            .field("callee", &self.serve.is_some())
            .field("caller", &self.call.is_some())
            .finish()
    }
}

// === impl Nobody ===

impl Gatekeeper for Nobody {
    fn arrive(&mut self, _: Duration, _: &Arrival, _: usize, _: usize) -> Verdict {
        match *self {}
    }

    fn slots(&self) -> usize {
        match *self {}
    }

    fn finish(&mut self, _: Duration, _: &Arrival, _: Duration, _: bool) {
        match *self {}
    }
}

impl Sender for Nobody {
    fn send(&mut self, _: Duration, _: &Call, _: usize) -> Say {
        match *self {}
    }

    fn heard(&mut self, _: Duration, _: &Call, _: usize, _: &Reply) {
        match *self {}
    }

    fn gave_up(&mut self, _: Duration, _: &Call, _: usize) {
        match *self {}
    }
}
