//! Call graphs that are drawn instead of written down.
//!
//! [`wechat`] draws one of the kind that WeChat's is said to be (some 3,000 services on some 20,000 machines): services
//! where tasks enter, services that those and others share, and basic ones, which call nobody. Published
//! are these sizes and kinds, nothing else: the distributions are ours.
//!
//! | what | how it is drawn |
//! |---|---|
//! | tiers | entries (one for a hundred services, at most 30), two tiers of shared services (5 % and 25 % of all), basic services (the rest) |
//! | businesses | one for a hundred services, 8 to 30; shares fall as 1 / (rank + 6), importance is drawn apart from them |
//! | who calls whom | each service has one caller in the tier above for certain, so that all are reached; entries and the upper tier call some of the others' callees too; every service that calls, calls one or two popular basic services, whose ranks are drawn as 1 / (rank + 14) |
//! | how often | from its entry, a task makes 14/9 calls to the upper tier and 2 to basic services; from there, 1 to the lower tier and 1 to a basic service; from there 1.5 to basic services. Among a service's callees of a tier they fall as 1 / rank, for entries as 1 / rank squared |
//! | size of a task | 10 requests on the average, its own included; nine tasks in ten have 5 to 15 |
//! | instances | by the requests that come: 7 to 14 a second each, drawn for each service, then scaled so that it is 10 over all; at least 1, which more than half of the services have |
//! | service times | lognormal, sigma 0.5; of basic services such that their two workers work 65 to 75 % of the time, but at most 300 ms; of the others 5 ms |
//! | workers of those that call | as many as are busy 35 % of the time, the calls that they wait for included: an overload meets basic services first |
//! | the rest | calls are made once, one after the other, and required; two choices; no bound of queues |
//!
//! A task takes about a second, nearly all of it at basic services. These have 10 requests a second and are 70 %
//! busy, so that requests wait for 80 ms as it is: thresholds and deadlines must be long, say 400 ms and 5 s.

mod fleet;
mod links;
#[cfg(test)]
mod tests;
mod tiers;

use self::{fleet::Fitted, links::Link, tiers::Tiers};
use super::{Balance, Business, Calls, Edge, Protocol, Retries, Service};
use crate::world::Chance;

/// A call graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// The services.
    pub services: Vec<Service>,
    /// The calls between them.
    pub edges: Vec<Edge>,
    /// The kinds of tasks.
    pub businesses: Vec<Business>,
    /// Tasks a second, of all businesses by their shares, at which 10 requests a second come to an instance, on
    /// the average over all.
    pub tasks_per_s: f64,
}

/// Draws a graph of so many services (at least 10) and instances (at least as many as services).
///
/// The same for the same arguments, on every machine.
#[must_use]
pub fn wechat(seed: u64, services: u32, instances: u32) -> Graph {
    let tiers = Tiers::new(services);
    let businesses = businesses(seed, &tiers);
    let links = links::draw(seed, &tiers);
    let fleet = fleet::fit(seed, &tiers, &links, &businesses, instances);
    let services = (0..).zip(&fleet.services);
    Graph {
        services: services
            .map(|(place, fitted)| service(tiers.name(place), fitted))
            .collect(),
        edges: links.iter().map(edge).collect(),
        tasks_per_s: fleet.tasks_per_s,
        businesses,
    }
}

fn businesses(seed: u64, tiers: &Tiers) -> Vec<Business> {
    let many = tiers.businesses();
    let mut chance = Chance::new(seed, "businesses", 0);
    // From 10 on, so that there is room for more important ones.
    let mut numbers: Vec<u8> = (10..).take(many).collect();
    for last in (1..many).rev() {
        numbers.swap(last, chance.below(last + 1));
    }
    let numbered = (0..).zip(numbers);
    let businesses = numbered.map(|(rank, number): (usize, u8)| Business {
        name: format!("business-{}", rank + 1),
        number,
        share: links::weight(rank + FLAT),
        entry: rank % tiers.entries.len(),
        users: USERS,
        forged: 0.0,
    });
    businesses.collect()
}

fn service(name: String, fitted: &Fitted) -> Service {
    Service {
        name,
        instances: fitted.instances,
        workers: Some(fitted.workers),
        service_time: fitted.service_time.clone(),
        queue: None,
        protected: true,
        speeds: Vec::new(),
        cpu_share: 0.0,
        protocol: Protocol::default(),
        quota: None,
    }
}

fn edge(link: &Link) -> Edge {
    Edge {
        from: link.from,
        to: link.to,
        calls: Calls::Fixed(1),
        parallel: false,
        cancel: false,
        required: true,
        probability: link.probability,
        timeout: None,
        retries: Retries::default(),
        balance: Balance::TwoChoices,
        businesses: Vec::new(),
    }
}

/// Shares fall as 1 / (rank + this): the first business has a tenth of the tasks, not a quarter.
const FLAT: usize = 6;

/// Of each business. The same people use all of them.
const USERS: u32 = 1_000_000;
