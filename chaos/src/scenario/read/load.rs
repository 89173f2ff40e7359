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

/// Reads all of them into `scenario`; capacities are asked for only if they can be told.
pub(super) fn read(
    sections: &[Section<'_>],
    scenario: &mut Scenario,
    context: &Context<'_>,
    can_count: bool,
) {
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
        .map(|section| load(section, scenario, context, can_count))
        .collect();
    let are_sure = loads.iter().all(Option::is_some);
    scenario.loads = loads.into_iter().flatten().collect();
    if are_sure {
        amount(sections, scenario, context);
        if can_count {
            shares(sections, scenario);
        }
    }
}

fn load(
    section: &Section<'_>,
    scenario: &Scenario,
    context: &Context<'_>,
    can_count: bool,
) -> Option<Load> {
    let window = Window {
        from: keys::FROM,
        until: keys::UNTIL,
        preset_from: Some(Duration::ZERO),
    };
    let has_business = section.given(&keys::BUSINESS).is_some();
    let business = section.one_of(&keys::BUSINESS, &context.businesses);
    let window = window.read(section, context);
    let shape = shape::read(section, window.map(|(from, until)| until - from), context);
    let rate = rate(section, scenario, business, can_count);
    let (from, until) = window?;
    Some(Load {
        business: if has_business { Some(business?) } else { None },
        from,
        until,
        rate: rate?,
        shape: shape?,
    })
}

fn rate(
    section: &Section<'_>,
    scenario: &Scenario,
    business: Option<usize>,
    can_count: bool,
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
                Some(business) if can_count => tasks_capacity_of(scenario, business),
                None if can_count => tasks_capacity(scenario),
                _ => return None,
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

/// So much that a run would not end, or not fit into memory.
fn amount(sections: &[Section<'_>], scenario: &Scenario, context: &Context<'_>) {
    let mut all = 0.0;
    for (section, load) in sections.iter().zip(&scenario.loads) {
        let length = load.until - load.from;
        let (mean, most) = shape::bounds(&load.shape, length);
        all += load.rate * mean * length.as_secs_f64();
        let most = load.rate * most;
        if most > MOST_RATE {
            let key = [keys::TASKS, keys::TIMES_CAPACITY, keys::FILE];
            let key = key.into_iter().find(|key| section.given(key).is_some());
            let allowed = format!("at most {MOST_RATE} tasks a second at its height, not {most}");
            section.wrong(&key.unwrap_or(keys::TASKS), allowed);
        }
    }
    if all > MOST_TASKS {
        let allowed = format!("at most {MOST_TASKS} tasks in a run, not {all}");
        context.whole(&allowed);
    }
}

/// Businesses that get no tasks, and loads whose tasks have no business.
fn shares(sections: &[Section<'_>], scenario: &Scenario) {
    let _ = business::SHARE;
    let sum: f64 = scenario
        .businesses
        .iter()
        .map(|business| business.share)
        .sum();
    for (section, load) in sections.iter().zip(&scenario.loads) {
        if load.business.is_none() && sum <= 0.0 {
            section.missing(&keys::BUSINESS, "it, because every business has share = 0");
        }
    }
}

/// A load for each of a thousand businesses, or hours of bursts.
const MOST_LOADS: usize = 1_000;

/// More than any machine makes.
const MOST_RATE: f64 = 1e7;

/// Each that succeeds takes twelve bytes.
const MOST_TASKS: f64 = 1e8;
