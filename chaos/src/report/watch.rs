//! Which services are drawn: all of a small graph, the busiest of a large one.

use crate::scenario::{CriterionKind, FaultKind, Scenario, capacity, visits};

/// As many lines as can be told apart in a chart.
pub(super) const MOST: usize = 6;

/// Returns the services that time series are kept of, in the scenario's order: the measured one, those that a fault or
/// a criterion is about, and then the busiest.
pub(super) fn watched(scenario: &Scenario) -> Vec<usize> {
    let busy = busy(scenario);
    let mut services: Vec<usize> = (0..scenario.services.len()).collect();
    // Sorting keeps the order of those that are equal.
    services.sort_by(|&one, &two| busy[two].total_cmp(&busy[one]));
    services.sort_by_key(|&service| {
        (
            scenario.measured != Some(service),
            !is_named(scenario, service),
        )
    });
    services.truncate(MOST);
    services.sort_unstable();
    services
}

/// Returns whether the scenario has something to say of this service in particular.
fn is_named(scenario: &Scenario, place: usize) -> bool {
    let fault = scenario
        .faults
        .iter()
        .any(|fault| fault.service == place && !matches!(fault.kind, FaultKind::HotKey(_)));
    let criterion = scenario.criteria.iter().any(|criterion| {
        matches!(criterion.kind, CriterionKind::MeanWait { service, .. } if service == place)
    });
    fault || criterion
}

/// Returns what is asked of each service by what it can do, relative to each other.
fn busy(scenario: &Scenario) -> Vec<f64> {
    let mut asked = vec![0.0; scenario.services.len()];
    let shares: f64 = scenario
        .businesses
        .iter()
        .map(|business| business.share)
        .sum();
    for (place, business) in scenario.businesses.iter().enumerate() {
        let share = if shares > 0.0 {
            business.share / shares
        } else {
            0.0
        };
        let rates = scenario.loads.iter().map(|load| match load.business {
            Some(only) if only == place => load.rate,
            Some(_) => 0.0,
            None => load.rate * share,
        });
        let rate: f64 = rates.sum();
        for (asked, visits) in asked.iter_mut().zip(visits(scenario, place)) {
            *asked += rate * visits;
        }
    }
    let busy = asked.into_iter().enumerate();
    busy.map(|(service, asked)| asked / capacity(scenario, service))
        .collect()
}
