//! The keys above all sections.

use std::time::Duration;

use super::{Context, Told};
use crate::{
    Engine,
    policy::Name,
    scenario::{
        Quick, Scenario, calendar, document::Value, files::Folder, key::Key, keys::top as keys,
        mistake::Mistakes, names::Names, section::Section,
    },
};

/// Reads them into a scenario that has nothing else yet.
pub(super) fn read<'a>(
    top: &Section<'_>,
    name: String,
    file: &'a str,
    folder: Folder<'a>,
    mistakes: &'a Mistakes,
) -> (Scenario, Context<'a>) {
    let duration = top.seconds(&keys::DURATION);
    let warm_up = warm_up(top, duration);
    let deadline = top.millis(&keys::DEADLINE);
    let engines = engines(top);
    let policies = run_policies(top, engines.as_deref());
    let scenario = Scenario {
        name,
        purpose: top.text(&keys::PURPOSE).unwrap_or_default(),
        source: top.text(&keys::SOURCE),
        seed: top.whole(&keys::SEED).unwrap_or_default(),
        duration: duration.unwrap_or_default(),
        warm_up: warm_up.unwrap_or_default(),
        engines: engines.unwrap_or_default(),
        policies: policies.clone().unwrap_or_default(),
        deadline: deadline.unwrap_or_default(),
        network: top.millis(&keys::NETWORK).unwrap_or_default(),
        refusal_cost: top.number(&keys::REFUSAL_COST).unwrap_or_default(),
        hang_up: top.flag(&keys::HANG_UP).unwrap_or_default(),
        threshold: top.millis(&keys::THRESHOLD).unwrap_or_default(),
        measured: None,
        services: Vec::new(),
        edges: Vec::new(),
        businesses: Vec::new(),
        loads: Vec::new(),
        faults: Vec::new(),
        criteria: Vec::new(),
        published: Vec::new(),
        quick: Quick::default(),
        calendar: calendar(top).unwrap_or_default(),
    };
    let context = Context {
        file,
        folder,
        mistakes,
        duration,
        warm_up,
        deadline,
        policies,
        services: Names::default(),
        businesses: Names::default(),
        is_complete: false,
        can_count: false,
        told: Told::default(),
    };
    (scenario, context)
}

/// Returns the policies that a key lists, of those that are run; `None` if it is not given.
pub(super) fn policies(
    section: &Section<'_>,
    key: &Key,
    context: &Context<'_>,
) -> Option<Vec<Name>> {
    let list = policy_list(section, key)?;
    let run = context.policies.as_ref()?;
    let missing = list.iter().find(|policy| !run.contains(policy));
    if let Some(missing) = missing {
        section.wrong(
            key,
            format!("policies that are run, which {missing} is not"),
        );
    }
    Some(list)
}

fn policy_list(section: &Section<'_>, key: &Key) -> Option<Vec<Name>> {
    let names = Names::of(Name::ALL.map(Name::as_str));
    let places = section.some_of(key, &names)?;
    Some(places.into_iter().map(|place| Name::ALL[place]).collect())
}

fn warm_up(top: &Section<'_>, duration: Option<Duration>) -> Option<Duration> {
    let warm_up = top.seconds(&keys::WARM_UP)?;
    match duration {
        Some(duration) if warm_up >= duration => {
            let allowed = format!("less than duration_s ({})", duration.as_secs_f64());
            top.wrong(&keys::WARM_UP, allowed);
            None
        }
        _ => Some(warm_up),
    }
}

fn engines(top: &Section<'_>) -> Option<Vec<Engine>> {
    if top.given(&keys::ENGINES).is_none() {
        return Some(vec![Engine::Sim]);
    }
    let engine = |value: &Value| value.text()?.parse().ok();
    let engines = top.read(&keys::ENGINES, |value| value.list(engine))?;
    top.check_set(&keys::ENGINES, &engines)?;
    Some(engines)
}

fn run_policies(top: &Section<'_>, engines: Option<&[Engine]>) -> Option<Vec<Name>> {
    if top.given(&keys::POLICIES).is_none() {
        let simulated = Name::ALL.into_iter().filter(|name| name.is_simulated());
        return Some(simulated.collect());
    }
    let policies = policy_list(top, &keys::POLICIES)?;
    if engines.is_some_and(|engines| !engines.contains(&Engine::Live))
        && let Some(policy) = policies.iter().find(|policy| !policy.is_simulated())
    {
        let allowed =
            format!("policies that virtual time can run, or \"live\" among engines for {policy}");
        top.wrong(&keys::POLICIES, allowed);
    }
    Some(policies)
}

fn calendar(top: &Section<'_>) -> Option<Duration> {
    if top.given(&keys::CALENDAR).is_none() {
        return Some(calendar::PRESET);
    }
    top.read(&keys::CALENDAR, |value| match value {
        Value::Date(moment) => calendar::since_epoch(moment),
        // Quotes around a moment are easily put there, and mean nothing else.
        Value::Text(text) => calendar::since_epoch(&text.parse().ok()?),
        _ => None,
    })
}
