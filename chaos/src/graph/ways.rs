//! The ways from instances and clients to instances: what is put together between them.

use std::sync::Arc;

use super::{
    At, Fabric, Slot,
    balance::Balancer,
    caller::{Callees, Caller},
    channel::{Channel, Ends, Troubled, Way},
    fields::Forger,
    timeline::cuts,
};
use crate::{
    policy::{Callee, Place},
    scenario::Balance,
    wire::Link,
    world::{Chance, World},
};

impl Fabric {
    /// Returns a link to an instance from the clients outside, without a policy.
    pub(super) fn client_link(&self, at: At) -> Link {
        let slot = self.slot(at);
        let raw = self.network.channel(None, slot);
        self.troubled(None, slot, &raw, 0).unwrap_or(raw)
    }

    /// Returns what an instance calls with, one for each edge from its service.
    pub(super) fn callers(&self, at: At, place: &Place<'_>) -> Vec<Caller> {
        let mut known: Vec<(usize, Callees)> = Vec::new();
        let mut callers = Vec::new();
        for &edge in &self.edges[at.service] {
            let spec = &self.run.scenario.edges[edge];
            let callees = match known.iter().find(|(service, _)| *service == spec.to) {
                Some((_, callees)) => callees.clone(),
                None => {
                    let callees = self.callees(at, place, spec.to);
                    known.push((spec.to, callees.clone()));
                    callees
                }
            };
            let balancer = self.balancer(at, place, edge, callees.links.len());
            callers.push(Caller::new(
                &self.run,
                edge,
                callees,
                balancer,
                self.is_alone(),
            ));
        }
        callers
    }

    fn balancer(&self, at: At, place: &Place<'_>, edge: usize, instances: usize) -> Balancer {
        let kind: Balance = self.run.scenario.edges[edge].balance;
        let number = super::stream(at.instance, place.start, edge);
        let chance = Chance::new(self.run.seed, "balance", number);
        // Callers do not begin with the same one.
        Balancer::new(kind, instances, at.instance as usize, chance)
    }

    /// The links of one caller instance to all instances of a callee.
    fn callees(&self, at: At, place: &Place<'_>, service: usize) -> Callees {
        let slots = self.slots[service].iter();
        let channels = slots
            .map(|slot| self.channel(at, slot, place.start))
            .collect();
        let links = if place.spec().protected {
            let instances = &self.addresses[service];
            self.policy
                .call(place, &Callee { service, instances }, channels)
        } else {
            channels
        };
        Callees {
            links: links.into(),
            addresses: Arc::clone(&self.uris[service]),
        }
    }

    fn channel(&self, from: At, slot: &Arc<Slot>, start: u32) -> Link {
        let raw = self.network.channel(Some(from), slot);
        let way = self.troubled(Some(from), slot, &raw, start);
        let run = self.run.clone();
        Arc::new(Channel {
            run,
            raw: way.unwrap_or(raw),
        })
    }

    /// Returns the way with what may go wrong on it; `None` if no fault of the scenario concerns it.
    fn troubled(&self, from: Option<At>, slot: &Arc<Slot>, raw: &Link, start: u32) -> Option<Link> {
        let caller = from.and_then(|from| self.slot(from).trouble());
        let ends = Ends {
            from: from.map(|from| from.service),
            caller: caller.map(Arc::clone),
            callee: slot.trouble().map(Arc::clone),
        };
        if ends.caller.is_none() && ends.callee.is_none() {
            return None;
        }
        let (to, raw) = (slot.at(), Arc::clone(raw));
        let from = from.map_or(u64::MAX, |from| {
            super::stream(from.instance, start, from.service)
        });
        let number = super::spread(from) ^ super::stream(to.instance, 0, to.service);
        let chance = Chance::new(self.run.seed, "fields", number);
        let forger = Forger::new(&self.run.scenario, self.policy.told_opens());
        Some(Arc::new(Troubled(Arc::new(Way::new(
            &self.run, raw, ends, chance, forger,
        )))))
    }

    /// Whether a caller cannot count on being dropped when the client gives up. Over sockets that takes its time,
    /// and a cut way does not let it through.
    fn is_alone(&self) -> bool {
        let scenario = &self.run.scenario;
        !scenario.hang_up || cuts(scenario) || matches!(self.run.world, World::Real(_))
    }
}
