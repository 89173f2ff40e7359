//! What a task of each business needs to succeed: how many requests at which services.
//!
//! Only required calls count. An optimum that is short of capacity leaves the optional ones out.

use std::time::Duration;

use super::{supply, window::Window};
use crate::scenario::{Edge, FaultKind, Scenario, callers_first, visits};

/// What tasks of one business need.
#[derive(Clone, Debug, Default)]
pub(super) struct Need {
    /// The services they must get through, in the scenario's order.
    pub(super) stops: Vec<Stop>,
    /// When some of them cannot succeed, whatever anybody does.
    severed: Vec<Severed>,
}

/// A service that tasks must get through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    /// Its place among the services.
    pub(super) service: usize,
    /// Requests there for each task that comes, on average.
    pub(super) visits: f64,
    /// The share of tasks that go there at all: 1 but for required calls that are made by chance.
    pub(super) reach: f64,
}

/// The ways that tasks of one business go.
struct Ways<'a> {
    /// Their calls, those to a service before those from it.
    edges: Vec<&'a Edge>,
    /// Whether a service is the measured one or calls lead from it there. Tasks that do not get to the measured
    /// service weigh nothing, so that these are taken as certain.
    measured: Vec<bool>,
    /// The chance that a task gets to a service.
    reach: Vec<f64>,
}

/// Calls over an edge that get nowhere for a while, for tasks that need them.
#[derive(Clone, Copy, Debug)]
struct Severed {
    window: Window,
    reach: f64,
}

// === impl Need ===

impl Need {
    /// Returns the needs of all businesses.
    pub(super) fn all(scenario: &Scenario) -> Vec<Self> {
        let mut required = scenario.clone();
        required.edges.retain(|edge| edge.required);
        let businesses = 0..scenario.businesses.len();
        businesses
            .map(|business| Self::of(&required, business))
            .collect()
    }

    fn of(required: &Scenario, business: usize) -> Self {
        let ways = Ways::new(required, business);
        let visits = visits(required, business);
        let stops = visits.iter().zip(&ways.reach).enumerate();
        let stops = stops.filter(|&(_, (&visits, &reach))| visits > 0.0 && reach > 0.0);
        let stops = stops.map(|(service, (&visits, &reach))| Stop {
            service,
            visits,
            reach,
        });
        Self {
            stops: stops.collect(),
            severed: ways.severed(required),
        }
    }

    /// Returns the share of tasks that could succeed in a stretch of time if capacity were no matter.
    pub(super) fn ceiling(&self, window: Window) -> f64 {
        let whole = window.seconds();
        let mut ceiling: f64 = 1.0;
        for cut in &self.severed {
            let from = cut.window.from.max(window.from);
            let until = cut.window.until.min(window.until);
            if whole > 0.0 {
                ceiling = ceiling.min(1.0 - cut.reach * Window::new(from, until).seconds() / whole);
            }
        }
        ceiling.max(0.0)
    }

    /// Returns the moments at which that changes.
    pub(super) fn changes(&self) -> impl Iterator<Item = Duration> {
        self.severed
            .iter()
            .flat_map(|cut| [cut.window.from, cut.window.until])
    }
}

// === impl Ways ===

impl<'a> Ways<'a> {
    fn new(required: &'a Scenario, business: usize) -> Self {
        let services = required.services.len();
        let edges = callers_first(services, &required.edges).into_iter();
        let edges = edges.map(|place| &required.edges[place]);
        let edges: Vec<&Edge> = edges.filter(|edge| edge.is_for(business)).collect();

        let mut measured = vec![false; services];
        if let Some(place) = required.measured {
            measured[place] = true;
        }
        for edge in edges.iter().rev() {
            measured[edge.from] |= measured[edge.to];
        }

        let mut ways = Self {
            edges,
            measured,
            reach: vec![0.0; services],
        };
        ways.reach[required.businesses[business].entry] = 1.0;
        for place in 0..ways.edges.len() {
            let edge = ways.edges[place];
            let missed = (1.0 - ways.reach[edge.to]) * (1.0 - ways.chance(edge));
            ways.reach[edge.to] = 1.0 - missed;
        }
        ways
    }

    /// Returns the chance that a task goes over an edge.
    fn chance(&self, edge: &Edge) -> f64 {
        if self.measured[edge.to] && self.reach[edge.from] > 0.0 {
            return 1.0;
        }
        self.reach[edge.from] * edge.probability
    }

    /// Returns when needed calls get nowhere: partitions from one caller to all instances of a callee.
    fn severed(&self, required: &Scenario) -> Vec<Severed> {
        let mut severed = Vec::new();
        for fault in &required.faults {
            let (FaultKind::Partition, Some(from)) = (&fault.kind, fault.from) else {
                continue;
            };
            let service = &required.services[fault.service];
            let hit = supply::instances(fault, service).len();
            // Around an instance that is cut off there are others.
            if u32::try_from(hit).is_ok_and(|hit| hit < service.instances) {
                continue;
            }
            let until = fault
                .lasts
                .map_or(Duration::MAX, |lasts| fault.at.saturating_add(lasts));
            let window = Window::new(fault.at, until);
            for edge in &self.edges {
                if edge.from == from && edge.to == fault.service {
                    severed.push(Severed {
                        window,
                        reach: self.chance(edge),
                    });
                }
            }
        }
        severed
    }
}
