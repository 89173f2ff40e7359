//! The network of virtual time: a way takes as long as the scenario says.

use std::{sync::Arc, time::Duration};

use crate::{
    graph::{At, Network, Slot},
    scenario::Scenario,
    wire::{Answering, Exchange, Link, Request},
    world::World,
};

/// Ways of one length between all instances; clients are where their entry is.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    world: World,
    /// One way.
    span: Duration,
    /// The services' names, as they may stand in a URI.
    names: Vec<String>,
}

/// A channel to one instance.
struct Channel {
    world: World,
    span: Duration,
    slot: Arc<Slot>,
}

impl Ways {
    /// The network of a scenario.
    pub(super) fn new(world: &World, scenario: &Scenario) -> Self {
        let names = scenario.services.iter().map(|service| host(&service.name));
        Self {
            world: world.clone(),
            span: scenario.network,
            names: names.collect(),
        }
    }
}

impl Network for Ways {
    fn address(&self, at: At) -> String {
        format!("{}-{}", self.names[at.service], at.instance)
    }

    fn channel(&self, from: Option<At>, slot: &Arc<Slot>) -> Link {
        Arc::new(Channel {
            world: self.world.clone(),
            span: from.map_or(Duration::ZERO, |_| self.span),
            slot: Arc::clone(slot),
        })
    }
}

impl Exchange for Channel {
    /// A refused connection takes the way there and back, like any answer.
    fn send(&self, request: Request) -> Answering {
        let (world, span, slot) = (self.world.clone(), self.span, Arc::clone(&self.slot));
        Box::pin(async move {
            if !span.is_zero() {
                world.sleep(span).await;
            }
            let answer = slot.receive(request).await;
            if !span.is_zero() {
                world.sleep(span).await;
            }
            answer
        })
    }
}

/// Returns a service's name with all that a host's name may not have as dashes.
pub(crate) fn host(name: &str) -> String {
    let letter = |letter: char| match letter.to_ascii_lowercase() {
        letter @ ('a'..='z' | '0'..='9') => letter,
        _ => '-',
    };
    name.chars().map(letter).collect()
}
