//! The most that could have succeeded: what goodput is held against.
//!
//! What really came, and what the services could do. The window is cut where load or capacity changes, into bins
//! where they change all the time. In each segment every business gets the largest share of what it offered that
//! the services on its required path can do together, all businesses alike; a task asks of the measured service
//! as many requests as it weighs, of the others as many as it makes on average. With one bottleneck at the
//! measured service that is min(offered weight, capacity x length).
//!
//! A moment may do better than its optimum, never a long window: what waits at the end of one segment is served
//! in the next.

use std::ops::Range;

use super::{
    fill::{Demand, Stand, fill},
    needs::Need,
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
    /// Services that some business needs.
    stops: Vec<usize>,
}

impl Optimum {
    /// Works out what tasks need and what services can do.
    #[must_use]
    pub fn new(scenario: &Scenario) -> Self {
        let (needs, supply) = (Need::all(scenario), Supply::new(scenario));
        let changes = supply.changes().chain(needs.iter().flat_map(Need::changes));
        let segments = Segments::new(&scenario.loads, changes);
        let stops = needs
            .iter()
            .flat_map(|need| &need.stops)
            .map(|stop| stop.service);
        let mut stops: Vec<usize> = stops.collect();
        stops.sort_unstable();
        stops.dedup();
        Self {
            measured: scenario.measured,
            needs,
            supply,
            segments,
            stops,
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
        let shares = self.needs.iter().map(|need| need.ceiling(window)).collect();
        let shares = fill(shares, &self.stands(outcome, &bins, window));
        let weights = outcome.businesses.iter().zip(shares);
        weights
            .map(|(tasks, share)| total(&tasks.offered_weight, &bins) * share)
            .sum()
    }

    /// Returns the services of which more was asked than they could do.
    fn stands(&self, outcome: &Outcome, bins: &Range<usize>, window: Window) -> Vec<Stand> {
        let mut demands: Vec<Vec<Demand>> = vec![Vec::new(); self.supply.len()];
        for (business, (need, tasks)) in self.needs.iter().zip(&outcome.businesses).enumerate() {
            let came = total(&tasks.offered, bins);
            for stop in &need.stops {
                let requests = if self.measured == Some(stop.service) {
                    total(&tasks.offered_weight, bins)
                } else {
                    came * stop.visits
                };
                if requests > 0.0 {
                    demands[stop.service].push(Demand {
                        business,
                        requests,
                        reach: stop.reach,
                    });
                }
            }
        }
        let stands = self.stops.iter().map(|&service| Stand {
            supply: self.supply.amount(service, window),
            demands: std::mem::take(&mut demands[service]),
        });
        stands.filter(Stand::is_short).collect()
    }
}
