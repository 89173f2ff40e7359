//! Whether a graph can be run: no cycles, nobody left alone, not too large.

use crate::scenario::{
    Scenario,
    capacity::fewest_and_most,
    keys::{business, call, service},
    order::{by_caller, cycles},
    read::Context,
    section::Section,
};

/// Puts down what is wrong with the graph as a whole, as far as that is certain; `calls` are where the calls stand.
/// Returns whether everything is certain and there is no cycle.
pub(in crate::scenario::read) fn check<'s>(
    scenario: &Scenario,
    calls: &[Section<'_>],
    of: &dyn Fn(&str) -> Vec<Section<'s>>,
    context: &Context<'_>,
    is_structured: bool,
) -> bool {
    let cycles = cycles(scenario.services.len(), &scenario.edges);
    for (place, path) in &cycles {
        let names = path.iter().chain(path.first());
        let names: Vec<&str> = names
            .map(|it| scenario.services[*it].name.as_str())
            .collect();
        let allowed = format!("no cycle: {}", names.join(" -> "));
        match calls.get(*place) {
            Some(section) => section.wrong(&call::TO, allowed),
            None => context.whole(&allowed),
        }
    }
    let fits = sizes(scenario, &of("service"), context);
    if is_structured && fits {
        reached(scenario, &of("service"));
        if cycles.is_empty() {
            calls_of_a_task(scenario, &of("business"), context);
        }
    }
    is_structured && fits && cycles.is_empty()
}

/// Services that no task gets to.
fn reached(scenario: &Scenario, sections: &[Section<'_>]) {
    let from = by_caller(scenario.services.len(), &scenario.edges);
    let mut reached = vec![false; scenario.services.len()];
    for (place, business) in scenario.businesses.iter().enumerate() {
        let mut seen = vec![false; scenario.services.len()];
        let mut next = vec![business.entry];
        while let Some(service) = next.pop() {
            if !std::mem::replace(&mut seen[service], true) {
                reached[service] = true;
                let calls = from[service].iter().map(|call| &scenario.edges[*call]);
                next.extend(calls.filter(|call| call.is_for(place)).map(|call| call.to));
            }
        }
    }
    for (section, reached) in sections.iter().zip(reached) {
        if !reached {
            section.wrong(
                &service::NAME,
                "a service that tasks get to: an entry, or one that is called",
            );
        }
    }
}

/// What would take all memory before the first task comes; returns whether all of it fits.
fn sizes(scenario: &Scenario, sections: &[Section<'_>], context: &Context<'_>) -> bool {
    let before = context.mistakes.count();
    let instances = |service: usize| u64::from(scenario.services[service].instances);
    let all: u64 = (0..scenario.services.len()).map(instances).sum();
    if all > MOST_INSTANCES
        && let Some(section) = sections.last()
    {
        let allowed =
            format!("at most {MOST_INSTANCES} instances of all services together, not {all}");
        section.wrong(&service::INSTANCES, allowed);
    }
    let ways = scenario
        .edges
        .iter()
        .map(|edge| instances(edge.from) * instances(edge.to));
    let ways = ways.fold(0, u64::saturating_add);
    if ways > MOST_CHANNELS {
        let allowed =
            format!("at most {MOST_CHANNELS} from instance to instance over all calls, not {ways}");
        context.whole(&allowed);
    }
    let seconds = context.duration.map_or(0, |duration| duration.as_secs());
    let rows = scenario.services.len() + scenario.businesses.len();
    let cells = seconds.saturating_mul(u64::try_from(rows).unwrap_or(u64::MAX));
    if cells > MOST_CELLS {
        let allowed =
            format!("at most {MOST_CELLS} seconds times services and businesses, not {cells}");
        context.whole(&allowed);
    }
    if scenario.businesses.len() > MOST_BUSINESSES {
        let allowed = format!("at most {MOST_BUSINESSES} businesses");
        context.whole(&allowed);
    }
    context.mistakes.count() == before
}

fn calls_of_a_task(scenario: &Scenario, sections: &[Section<'_>], context: &Context<'_>) {
    for place in 0..scenario.businesses.len() {
        let calls: f64 = fewest_and_most(scenario, place).1.iter().sum();
        // Infinite or worse if there are thousands of services in a row.
        if (0.0..=MOST_CALLS).contains(&calls) {
            continue;
        }
        let allowed = format!("at most {MOST_CALLS} calls a task at all services, not {calls}");
        match sections.get(place) {
            Some(section) => section.wrong(&business::NAME, allowed),
            None => context.whole(&allowed),
        }
    }
}

/// Of all services.
const MOST_INSTANCES: u64 = 100_000;

/// Each caller's instance has a channel to each of the callee's: some hundred bytes, so that all of them fit into a few
/// gigabytes.
const MOST_CHANNELS: u64 = 20_000_000;

/// Each second of each service and business has ten bins of some fifty bytes.
const MOST_CELLS: u64 = 2_000_000;

/// What a byte tells apart.
const MOST_BUSINESSES: usize = 256;

/// Ten times what the largest fan-outs of published systems are.
const MOST_CALLS: f64 = 100_000.0;
