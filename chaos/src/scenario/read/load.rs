//! `[[load]]`.

use std::time::Duration;

use super::{Context, shape, window::Window};
use crate::scenario::{
    Load, Scenario,
    capacity::{tasks_capacity, tasks_capacity_of},
    key::Key,
    keys::{business, load as keys},
    section::Section,
};

/// Reads all of them into `scenario`.
pub(super) fn read<'s>(
    of: &dyn Fn(&str) -> Vec<Section<'s>>,
    scenario: &mut Scenario,
    context: &Context<'_>,
) {
    let sections = of("load");
    if sections.is_empty() {
        context.lacks("[[load]]", "at least one: what comes when");
        return;
    }
    if sections.len() > MOST_LOADS {
        context.whole(&format!("at most {MOST_LOADS} [[load]]"));
        return;
    }
    let loads: Vec<Option<Load>> = sections
        .iter()
        .map(|section| load(section, scenario, context))
        .collect();
    let are_sure = loads.iter().all(Option::is_some);
    scenario.loads = loads.into_iter().flatten().collect();
    if are_sure {
        amount(scenario, context);
        if context.can_count {
            brought(&of("business"), scenario);
        }
    }
}

fn load(section: &Section<'_>, scenario: &Scenario, context: &Context<'_>) -> Option<Load> {
    let window = Window {
        from: keys::FROM,
        until: keys::UNTIL,
        preset_from: Some(Duration::ZERO),
    };
    let has_business = section.given(&keys::BUSINESS).is_some();
    let business = section.one_of(&keys::BUSINESS, &context.businesses);
    let window = window.read(section, context);
    let nobody_has_share = scenario
        .businesses
        .iter()
        .all(|business| business.share <= 0.0);
    if !has_business && nobody_has_share && context.can_count {
        let allowed = "the name of a business, because all of them have share = 0";
        section.missing(&keys::BUSINESS, allowed);
        return None;
    }
    let shape = shape::read(section, window.map(|(from, until)| until - from), context);
    let rate = rate(section, scenario, business, context);
    let (from, until) = window?;
    let load = Load {
        business: if has_business { Some(business?) } else { None },
        from,
        until,
        rate: rate?,
        shape: shape?,
    };
    height(section, &load);
    Some(load)
}

fn rate(
    section: &Section<'_>,
    scenario: &Scenario,
    business: Option<usize>,
    context: &Context<'_>,
) -> Option<f64> {
    if section.switch()? == "replay" {
        return match section.given(&keys::FACTOR) {
            None => Some(1.0),
            Some(_) => section.number(&keys::FACTOR),
        };
    }
    let is_given = |key: &Key| section.given(key).is_some();
    match (is_given(&keys::TASKS), is_given(&keys::TIMES_CAPACITY)) {
        (true, false) => section.number(&keys::TASKS),
        (false, true) => {
            let times = section.number(&keys::TIMES_CAPACITY)?;
            let capacity = match business {
                _ if !context.can_count => return None,
                Some(business) => tasks_capacity_of(scenario, business),
                None => *context
                    .told
                    .capacity
                    .get_or_init(|| tasks_capacity(scenario)),
            };
            if capacity.is_infinite() {
                let allowed = "tasks_per_s instead, because no service has a capacity";
                section.wrong(&keys::TIMES_CAPACITY, allowed);
                return None;
            }
            Some(times * capacity)
        }
        (true, true) => {
            section.wrong(
                &keys::TIMES_CAPACITY,
                "only one of tasks_per_s and times_capacity",
            );
            None
        }
        (false, false) => {
            section.missing(
                &keys::TASKS,
                format!("{}, or times_capacity", keys::TASKS.takes),
            );
            None
        }
    }
}

/// More than any machine makes.
fn height(section: &Section<'_>, load: &Load) {
    let (_, most) = shape::bounds(&load.shape, load.until - load.from);
    let most = load.rate * most;
    if most > MOST_RATE {
        let keys = [keys::TASKS, keys::TIMES_CAPACITY, keys::FILE];
        let key = keys.into_iter().find(|key| section.given(key).is_some());
        let allowed = format!("at most {MOST_RATE} tasks a second at its height, not {most}");
        section.wrong(&key.unwrap_or(keys::TASKS), allowed);
    }
}

/// So much that a run would not end, or not fit into memory.
fn amount(scenario: &Scenario, context: &Context<'_>) {
    let tasks = scenario.loads.iter().map(|load| {
        let length = load.until - load.from;
        load.rate * shape::bounds(&load.shape, length).0 * length.as_secs_f64()
    });
    let tasks: f64 = tasks.sum();
    if tasks > MOST_TASKS {
        context.whole(&format!(
            "at most {MOST_TASKS} tasks in a run, not {tasks:.0}"
        ));
    }
}

/// Businesses that no load brings.
fn brought(businesses: &[Section<'_>], scenario: &Scenario) {
    let is_drawn = scenario.loads.iter().any(|load| load.business.is_none());
    for (place, section) in businesses.iter().enumerate() {
        let is_named = scenario
            .loads
            .iter()
            .any(|load| load.business == Some(place));
        let is_drawn = is_drawn && scenario.businesses[place].share > 0.0;
        if !is_named && !is_drawn {
            section.wrong(&business::NAME, "a business that some load brings");
        }
    }
}

/// A load for each of a thousand businesses, or hours of bursts.
const MOST_LOADS: usize = 1_000;

/// A second.
const MOST_RATE: f64 = 1e7;

/// Each that succeeds takes twelve bytes.
const MOST_TASKS: f64 = 1e8;
