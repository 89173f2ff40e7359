//! The most that could have succeeded: what goodput is held against.
//!
//! What really came, and what the services could do. The window is cut where load or capacity changes, into bins
//! where they change all the time. In each segment every business gets the largest share of what it offered that
//! the services on its required path can do together, all businesses alike; a task asks of the measured service
//! as many requests as it weighs, of the others as many as it makes on average. With one bottleneck at the
//! measured service that is min(offered weight, capacity x length).
//!
//! Chance and time are not held against it: that balancing at random leaves one instance idle while tasks wait at
//! another, that a deadline is short for what a slow service still does. What no policy can change is: calls that
//! go around all instances in turn get no further than the slowest.
//!
//! A moment may do better than its optimum, never a long window: what waits at the end of one segment is served
//! in the next.

use std::{collections::BTreeMap, ops::Range};

use super::{
    fill::{Demand, Stand, fill},
    needs::{Need, Stop},
    segments::Segments,
    supply::Supply,
    window::{Window, begin_of, total},
};
use crate::{measure::Outcome, scenario::Scenario};

/// What does not change from run to run of a scenario.
#[derive(Clone, Debug)]
pub struct Optimum {
    measured: Option<usize>,
    needs: Vec<Need>,
    supply: Supply,
    segments: Segments,
    /// The services that some business needs, each with who does and what of it.
    stops: Vec<(usize, Vec<(usize, Stop)>)>,
}

/// What came of one business.
#[derive(Clone, Copy, Debug, Default)]
struct Came {
    tasks: f64,
    weight: f64,
}

impl Optimum {
    /// Works out what tasks need and what services can do.
    #[must_use]
    pub fn new(scenario: &Scenario) -> Self {
        let (needs, supply) = (Need::all(scenario), Supply::new(scenario));
        let changes = supply.changes().chain(needs.iter().flat_map(Need::changes));
        let segments = Segments::new(&scenario.loads, changes);
        let mut stops: BTreeMap<usize, Vec<(usize, Stop)>> = BTreeMap::new();
        for (business, need) in needs.iter().enumerate() {
            for &stop in &need.stops {
                stops
                    .entry(stop.service)
                    .or_default()
                    .push((business, stop));
            }
        }
        Self {
            measured: scenario.measured,
            needs,
            supply,
            segments,
            stops: stops.into_iter().collect(),
        }
    }

    /// Returns the weight of tasks that could have succeeded of those that came in a window.
    #[must_use]
    pub fn over(&self, outcome: &Outcome, window: Window) -> f64 {
        let segments = self.segments.of(window.bins(outcome.bins()));
        segments
            .into_iter()
            .map(|bins| self.of(outcome, bins))
            .sum()
    }

    /// Returns the same of each bin by itself.
    #[must_use]
    pub fn bins(&self, outcome: &Outcome, bins: Range<usize>) -> Vec<f64> {
        bins.map(|bin| self.of(outcome, bin..bin + 1)).collect()
    }

    fn of(&self, outcome: &Outcome, bins: Range<usize>) -> f64 {
        let window = Window::new(begin_of(bins.start), begin_of(bins.end));
        let came = outcome.businesses.iter().map(|tasks| Came {
            tasks: total(&tasks.offered, &bins),
            weight: total(&tasks.offered_weight, &bins),
        });
        let came: Vec<Came> = came.collect();
        let shares = self.needs.iter().map(|need| need.ceiling(window)).collect();
        let shares = fill(shares, &self.stands(&came, window));
        came.iter()
            .zip(shares)
            .map(|(came, share)| came.weight * share)
            .sum()
    }

    /// Returns the services of which more is asked than they can do.
    fn stands(&self, came: &[Came], window: Window) -> Vec<Stand> {
        let short = self.stops.iter().filter_map(|(service, stops)| {
            let requests = |&(business, stop): &(usize, Stop)| {
                let came = came.get(business).copied().unwrap_or_default();
                if self.measured == Some(stop.service) {
                    came.weight
                } else {
                    came.tasks * stop.visits
                }
            };
            let supply = self.supply.amount(*service, window);
            if stops.iter().map(requests).sum::<f64>() <= supply {
                return None;
            }
            let demands = stops.iter().map(|stop| Demand {
                business: stop.0,
                requests: requests(stop),
                reach: stop.1.reach,
            });
            Some(Stand {
                supply,
                demands: demands.collect(),
            })
        });
        short.collect()
    }
}
