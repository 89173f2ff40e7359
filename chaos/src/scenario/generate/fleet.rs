//! How many instances there are, and how fast they are.

use std::{ops::Range, time::Duration};

use super::{links::Link, tiers::Tiers};
use crate::{
    scenario::{Business, ServiceTime},
    world::Chance,
};

/// What each service has.
pub(super) struct Fleet {
    pub(super) tasks_per_s: f64,
    /// By place.
    pub(super) services: Vec<Fitted>,
}

/// What a service has for the requests that come to it.
#[derive(Clone, Debug)]
pub(super) struct Fitted {
    pub(super) instances: u32,
    pub(super) workers: u32,
    pub(super) service_time: ServiceTime,
}

/// Fits all services to the requests that come at the load that this is made for.
pub(super) fn fit(
    seed: u64,
    tiers: &Tiers,
    links: &[Link],
    businesses: &[Business],
    instances: u32,
) -> Fleet {
    let visits = visits(tiers, links, businesses);
    let tasks_per_s = REQUESTS_PER_S * f64::from(instances) / visits.iter().sum::<f64>();
    let rates = || visits.iter().map(|visits| visits * tasks_per_s);
    let mut chance = Chance::new(seed, "fleet", 0);
    let wanted: Vec<f64> = rates()
        .map(|rate| rate / between(&mut chance, PER_INSTANCE))
        .collect();
    let instances = apportion(instances, &wanted);
    let loads = rates().zip(&instances);
    let loads: Vec<f64> = loads.map(|(rate, many)| rate / f64::from(*many)).collect();

    let mut times = vec![FORWARDING; tiers.all()];
    for place in tiers.basic.clone() {
        let busy = between(&mut chance, BASIC_BUSY);
        let time = busy * f64::from(BASIC_WORKERS) / loads[place];
        times[place] = f64::min(time, BASIC_LONGEST);
    }
    let held = held(&times, tiers, links);
    let services = (0..tiers.all()).map(|place| Fitted {
        instances: instances[place],
        workers: if tiers.basic.contains(&place) {
            BASIC_WORKERS
        } else {
            at_least(loads[place] * held[place] / BUSY)
        },
        service_time: ServiceTime::Lognormal {
            median: Duration::from_secs_f64(times[place] * libm::exp(-SIGMA * SIGMA / 2.0)),
            sigma: SIGMA,
        },
    });
    Fleet {
        tasks_per_s,
        services: services.collect(),
    }
}

/// Returns the requests that a task is expected to make at each service.
fn visits(tiers: &Tiers, links: &[Link], businesses: &[Business]) -> Vec<f64> {
    let mut visits = vec![0.0; tiers.all()];
    let shares: f64 = businesses.iter().map(|business| business.share).sum();
    for business in businesses {
        visits[business.entry] += business.share / shares;
    }
    // By caller, and callers come before whom they call.
    for link in links {
        visits[link.to] += visits[link.from] * link.probability;
    }
    visits
}

/// Returns how long a request is at each service, its calls included, in seconds.
fn held(times: &[f64], tiers: &Tiers, links: &[Link]) -> Vec<f64> {
    let mut held = times.to_vec();
    for place in tiers.basic.clone() {
        held[place] += times[place] * BASIC_WAIT;
    }
    for link in links.iter().rev() {
        held[link.from] += held[link.to] * link.probability;
    }
    held
}

/// Shares `all` out as these want it, at least 1 each.
fn apportion(all: u32, wanted: &[f64]) -> Vec<u32> {
    let mut got = vec![1_u32; wanted.len()];
    let mut left = all.saturating_sub(u32::try_from(wanted.len()).unwrap_or(u32::MAX));
    // Those that want less than the 1 that they have are out; without them the others' part is smaller.
    let mut open: Vec<usize> = (0..wanted.len()).collect();
    let part = loop {
        let many = u32::try_from(open.len()).unwrap_or(u32::MAX);
        let sum: f64 = open.iter().map(|place| wanted[*place]).sum();
        let part = f64::from(left.saturating_add(many)) / sum;
        let before = open.len();
        open.retain(|place| wanted[*place] * part >= 1.0);
        if open.len() == before {
            break part;
        }
    };
    let mut rests = Vec::with_capacity(open.len());
    for place in open {
        let exact = wanted[place] * part - 1.0;
        let whole = floor(exact).min(left);
        got[place] += whole;
        left -= whole;
        rests.push((exact - f64::from(whole), place));
    }
    // The largest remainders get what is left, the first of equal ones first.
    rests.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    for (_, place) in rests
        .iter()
        .cycle()
        .take(usize::try_from(left).unwrap_or(0))
    {
        got[*place] += 1;
    }
    got
}

fn between(chance: &mut Chance, range: Range<f64>) -> f64 {
    range.start + (range.end - range.start) * chance.unit()
}

/// Returns the whole number below, of a number that a fleet is counted in.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "what is out of range becomes the end of it"
)]
const fn floor(number: f64) -> u32 {
    number as u32
}

/// Returns the whole number above, at least 1.
fn at_least(number: f64) -> u32 {
    let whole = floor(number);
    let above = if f64::from(whole) < number {
        whole.saturating_add(1)
    } else {
        whole
    };
    above.max(1)
}

/// Requests a second that come to an instance, on the average over all.
const REQUESTS_PER_S: f64 = 10.0;
/// The same, as services differ; what they want is scaled to the instances that there are.
const PER_INSTANCE: Range<f64> = 7.0..14.0;
/// Of an instance of a basic service.
const BASIC_WORKERS: u32 = 2;
/// The share of the time in which they work.
const BASIC_BUSY: Range<f64> = 0.65..0.75;
/// Seconds that a basic service works at most: those that are hardly called have one instance that is idle.
const BASIC_LONGEST: f64 = 0.3;
/// How long requests wait at a basic service, by how long it works: two workers that are busy 70 % of the time and
/// times of this variance, by the formula of Allen and Cunneen.
const BASIC_WAIT: f64 = 0.6;
/// Seconds that the others work themselves.
const FORWARDING: f64 = 0.005;
/// The share of the time in which their workers work or wait for calls: half of what basic services are, so that
/// these are what an overload meets first.
const BUSY: f64 = 0.35;
/// Standard deviation of the logarithm of service times.
const SIGMA: f64 = 0.5;
