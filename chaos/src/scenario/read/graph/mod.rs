//! Services, the calls between them, and the businesses that enter.

mod check;

pub(super) use self::check::check;

use super::{Context, service};
use crate::scenario::{
    Balance, Business, Calls, Edge, Retries, Service,
    document::Value,
    generate,
    keys::{business as business_keys, call as keys, generated, service as service_keys},
    names::Names,
    section::Section,
};

/// What was read.
pub(super) struct Read<'s> {
    pub(super) services: Vec<Service>,
    pub(super) edges: Vec<Edge>,
    /// Where each of the edges stands, if they are written down.
    pub(super) calls: Vec<Section<'s>>,
    pub(super) businesses: Vec<Business>,
    /// Whether it is certain what there is and who calls whom.
    pub(super) is_structured: bool,
    /// Whether anything in these sections is wrong.
    pub(super) has_mistakes: bool,
}

/// Reads the graph, written down or generated, and tells the context what things are called.
pub(super) fn read<'s>(
    of: &dyn Fn(&str) -> Vec<Section<'s>>,
    seed: u64,
    context: &mut Context<'_>,
) -> Read<'s> {
    let before = context.mistakes.count();
    let (services, calls, businesses) = (of("service"), of("call"), of("business"));
    let mut read = if let Some(section) = of("generated").first() {
        for section in services.iter().chain(&calls).chain(&businesses) {
            section.surplus("no such section beside [generated]");
        }
        generated(section, seed, context)
    } else {
        written(&services, &calls, &businesses, context)
    };
    let mut sections = services.iter().chain(&calls).chain(&businesses);
    read.has_mistakes = context.mistakes.count() > before || sections.any(Section::has_odd_keys);
    read
}

fn generated<'s>(section: &Section<'s>, seed: u64, context: &mut Context<'_>) -> Read<'s> {
    let before = context.mistakes.count();
    let services: Option<u32> = section.whole(&generated::SERVICES);
    let instances: Option<u32> = section.whole(&generated::INSTANCES);
    let graph = match (section.word(&generated::KIND), services, instances) {
        (Some(_), Some(services), Some(instances)) if instances >= services => {
            generate::wechat(seed, services, instances)
        }
        (Some(_), Some(services), Some(_)) => {
            let allowed = format!("at least services ({services})");
            section.wrong(&generated::INSTANCES, allowed);
            generate::Graph::default()
        }
        _ => generate::Graph::default(),
    };
    let is_structured = !graph.services.is_empty() && !graph.businesses.is_empty();
    let is_clear = context.mistakes.count() == before && !section.has_odd_keys();
    if !is_structured && is_clear {
        section.wrong(
            &generated::KIND,
            "a kind that draws services and businesses",
        );
    }
    if is_structured {
        context.services = Names::of(graph.services.iter().map(|it| it.name.as_str()));
        context.businesses = Names::of(graph.businesses.iter().map(|it| it.name.as_str()));
    }
    Read {
        services: graph.services,
        edges: graph.edges,
        calls: Vec::new(),
        businesses: graph.businesses,
        is_structured,
        has_mistakes: false,
    }
}

fn written<'s>(
    services: &[Section<'s>],
    calls: &[Section<'s>],
    businesses: &[Section<'s>],
    context: &mut Context<'_>,
) -> Read<'s> {
    if services.is_empty() {
        context.lacks("[[service]]", "at least one: who works");
    }
    if businesses.is_empty() {
        context.lacks("[[business]]", "at least one: where tasks enter");
    }
    context.services = Names::read(
        services,
        &service_keys::NAME,
        context.mistakes,
        context.is_complete,
    );
    context.businesses = Names::read(
        businesses,
        &business_keys::NAME,
        context.mistakes,
        context.is_complete,
    );
    let edges = calls
        .iter()
        .filter_map(|it| Some((*it, edge(it, context)?)));
    let (call_sections, edges): (Vec<_>, Vec<_>) = edges.unzip();
    let mut has_entries = !businesses.is_empty();
    let businesses = businesses.iter().map(|it| {
        let business = business(it, context);
        has_entries &= business.is_some();
        business.unwrap_or_else(nobody)
    });
    let businesses: Vec<Business> = businesses.collect();
    let is_structured = context.is_complete
        && context.services.are_sure()
        && context.businesses.are_sure()
        && edges.len() == calls.len()
        && has_entries
        && !services.is_empty();
    Read {
        services: services
            .iter()
            .map(|it| service::read(it, context))
            .collect(),
        edges,
        calls: call_sections,
        businesses,
        is_structured,
        has_mistakes: false,
    }
}

/// Reads everything of a call, so that all mistakes are found; `None` if it is not clear between whom it is.
fn edge(section: &Section<'_>, context: &Context<'_>) -> Option<Edge> {
    let from = section.one_of(&keys::FROM, &context.services);
    let to = section.one_of(&keys::TO, &context.services);
    let calls = calls(section);
    let retries = retries(section);
    let balance = match section.word(&keys::BALANCE) {
        Some("two-choices") => Balance::TwoChoices,
        Some("round-robin") => Balance::RoundRobin,
        Some("by-user") => Balance::ByUser,
        _ => Balance::Random,
    };
    let businesses = section.some_of(&keys::BUSINESSES, &context.businesses);
    let (parallel, cancel) = (section.flag(&keys::PARALLEL), section.flag(&keys::CANCEL));
    let required = section.flag(&keys::REQUIRED);
    let probability = section.number(&keys::PROBABILITY);
    let timeout = section.millis(&keys::TIMEOUT);
    Some(Edge {
        from: from?,
        to: to?,
        calls: calls.unwrap_or(Calls::Fixed(1)),
        parallel: parallel.unwrap_or_default(),
        cancel: cancel.unwrap_or_default(),
        required: required.unwrap_or_default(),
        probability: probability.unwrap_or_default(),
        timeout,
        retries,
        balance,
        businesses: businesses.unwrap_or_default(),
    })
}

fn calls(section: &Section<'_>) -> Option<Calls> {
    if section.given(&keys::CALLS).is_none() {
        return Some(Calls::Fixed(1));
    }
    let range = keys::CALLS.takes.range()?;
    let count = |value: &Value| u32::try_from(value.whole_in(range)?).ok();
    section.read(&keys::CALLS, |value| match value {
        Value::List(values) if !(1..=MOST_CHOICES).contains(&values.len()) => None,
        Value::List(_) => value.list(count).map(Calls::OneOf),
        _ => count(value).map(Calls::Fixed),
    })
}

fn retries(section: &Section<'_>) -> Retries {
    let most: Option<u32> = section.whole(&keys::RETRIES);
    if most == Some(0) {
        for key in [keys::RETRY_BUDGET, keys::BACKOFF, keys::RETRY_REFUSED] {
            if section.given(&key).is_some() {
                section.wrong(&key, "only with retries of at least 1");
            }
        }
    }
    Retries {
        most: most.unwrap_or_default(),
        budget: section.number(&keys::RETRY_BUDGET),
        backoff: section.millis(&keys::BACKOFF).unwrap_or_default(),
        refused: section.flag(&keys::RETRY_REFUSED).unwrap_or_default(),
    }
}

/// Reads one; `None` if nobody knows where its tasks enter.
fn business(section: &Section<'_>, context: &Context<'_>) -> Option<Business> {
    let entry = section.one_of(&business_keys::ENTRY, &context.services);
    let business = Business {
        name: section.name_again(&business_keys::NAME),
        number: section.whole(&business_keys::NUMBER).unwrap_or_default(),
        share: section.number(&business_keys::SHARE).unwrap_or_default(),
        entry: 0,
        users: section.whole(&business_keys::USERS).unwrap_or(1),
        forged: section.number(&business_keys::FORGED).unwrap_or_default(),
    };
    entry.map(|entry| Business { entry, ..business })
}

/// Holds the place of one that could not be read.
const fn nobody() -> Business {
    Business {
        name: String::new(),
        number: 0,
        share: 0.0,
        entry: 0,
        users: 1,
        forged: 0.0,
    }
}

/// Of how many numbers of calls one is drawn.
const MOST_CHOICES: usize = 100;
