//! How much each service can do, moment by moment: its capacity, less what its faults take away.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use super::window::Window;
use crate::scenario::{Balance, Calls, Edge, Fault, FaultKind, Scenario, Service, capacity};

/// The capacity of every service over a run.
#[derive(Clone, Debug)]
pub(super) struct Supply(Vec<Steps>);

/// Requests a second from each of these moments on, in order; the first is the start.
#[derive(Clone, Debug)]
struct Steps(Vec<(Duration, f64)>);

/// What is left of the speed of some instances for a while.
#[derive(Clone, Copy, Debug)]
struct Loss {
    from: Duration,
    until: Duration,
    speed: f64,
}

/// No run lasts longer.
const END: Duration = Duration::MAX;

// === impl Supply ===

impl Supply {
    pub(super) fn new(scenario: &Scenario) -> Self {
        let even = even(scenario);
        let services = scenario.services.iter().zip(even).enumerate();
        let steps = services.map(|(place, (service, even))| {
            let losses = losses(scenario, place, service);
            if losses.is_empty() && !even {
                return Steps(vec![(Duration::ZERO, capacity(scenario, place))]);
            }
            Steps::new(service, even, &losses)
        });
        Self(steps.collect())
    }

    /// Returns how many requests a service can do in a stretch of time.
    pub(super) fn amount(&self, service: usize, window: Window) -> f64 {
        self.0
            .get(service)
            .map_or(0.0, |steps| steps.amount(window))
    }

    /// Returns the moments at which some capacity changes.
    pub(super) fn changes(&self) -> impl Iterator<Item = Duration> {
        let steps = self.0.iter().flat_map(|steps| &steps.0);
        steps.map(|&(at, _)| at).filter(|at| !at.is_zero())
    }
}

// === impl Steps ===

impl Steps {
    fn new(service: &Service, even: bool, losses: &BTreeMap<u32, Vec<Loss>>) -> Self {
        let all = losses.values().flatten();
        let edges: BTreeSet<Duration> = all.flat_map(|loss| [loss.from, loss.until]).collect();
        let mut steps = vec![(Duration::ZERO, left(service, even, losses, Duration::ZERO))];
        for at in edges {
            let now = left(service, even, losses, at);
            let (before, last) = steps[steps.len() - 1];
            if before == at {
                steps.pop();
            } else if last.total_cmp(&now).is_eq() {
                continue;
            }
            steps.push((at, now));
        }
        Self(steps)
    }

    fn amount(&self, window: Window) -> f64 {
        let mut sum = 0.0;
        for (place, &(from, rate)) in self.0.iter().enumerate() {
            let until = self.0.get(place + 1).map_or(END, |&(at, _)| at);
            let part = Window::new(from.max(window.from), until.min(window.until));
            // A service without a bound has an infinite rate, of which no time is not a number.
            if part.until > part.from {
                sum += rate * part.seconds();
            }
        }
        sum
    }
}

/// Returns the requests a second that a service can do at a moment.
///
/// An instance that is held to a quota loses nothing while its speed is above it. Where calls go to all instances
/// evenly, all that are there can do no more than the slowest.
fn left(service: &Service, even: bool, losses: &BTreeMap<u32, Vec<Loss>>, at: Duration) -> f64 {
    let own = own_rate(service);
    let quota = service.quota.unwrap_or(f64::INFINITY);
    let speed = |instance: u32| {
        let losses = losses.get(&instance).map_or(&[][..], Vec::as_slice);
        let active = losses
            .iter()
            .filter(|loss| loss.from <= at && at < loss.until);
        service.speed(instance) * active.map(|loss| loss.speed).product::<f64>()
    };
    // Of no bound no part is a number; half the speed is still no bound.
    let there = (0..service.instances)
        .map(speed)
        .filter(|&speed| speed > 0.0);
    let rates = there.map(|speed| (speed * own).min(quota));
    if even {
        let (count, slowest) = rates.fold(
            (0.0, f64::INFINITY),
            |(count, slowest): (f64, f64), rate| (count + 1.0, slowest.min(rate)),
        );
        return if count > 0.0 { count * slowest } else { 0.0 };
    }
    rates.sum()
}

/// Returns, for each service, whether every task calls each of its instances the same number of times: all calls to
/// it go in turn, and go around.
fn even(scenario: &Scenario) -> Vec<bool> {
    let goes_around = |edge: &Edge, instances: u32| {
        let whole = matches!(edge.calls, Calls::Fixed(calls) if calls % instances.max(1) == 0);
        edge.balance == Balance::RoundRobin && whole
    };
    let mut even = vec![false; scenario.services.len()];
    for edge in &scenario.edges {
        even[edge.to] = true;
    }
    for edge in &scenario.edges {
        even[edge.to] &= goes_around(edge, scenario.services[edge.to].instances);
    }
    for business in &scenario.businesses {
        even[business.entry] = false;
    }
    even
}

/// Returns requests a second of one instance at speed 1, whatever its callees do.
fn own_rate(service: &Service) -> f64 {
    let mean = service.service_time.mean().as_secs_f64();
    let workers = service.workers.map_or(f64::INFINITY, f64::from);
    if mean > 0.0 {
        workers / mean
    } else {
        f64::INFINITY
    }
}

/// Returns what the faults take from each instance of a service.
fn losses(scenario: &Scenario, place: usize, service: &Service) -> BTreeMap<u32, Vec<Loss>> {
    let mut losses: BTreeMap<u32, Vec<Loss>> = BTreeMap::new();
    for fault in scenario
        .faults
        .iter()
        .filter(|fault| fault.service == place)
    {
        let hit = instances(fault, service);
        for (turn, instance) in (0_u32..).zip(hit) {
            losses
                .entry(instance)
                .or_default()
                .extend(losses_of(fault, turn));
        }
    }
    losses.retain(|_, of_one| !of_one.is_empty());
    losses
}

/// Returns the instances that a fault hits, in order.
pub(super) fn instances(fault: &Fault, service: &Service) -> Vec<u32> {
    if fault.instances.is_empty() {
        return (0..service.instances).collect();
    }
    fault.instances.clone()
}

/// Returns what a fault takes from the instance whose turn it is.
fn losses_of(fault: &Fault, turn: u32) -> Vec<Loss> {
    let end = fault
        .lasts
        .map_or(END, |lasts| fault.at.saturating_add(lasts));
    let loss = |from, until, speed| Loss { from, until, speed };
    match fault.kind {
        FaultKind::Speed(speed) => vec![loss(fault.at, end, speed)],
        FaultKind::Dead | FaultKind::Pause => vec![loss(fault.at, end, 0.0)],
        // A partition from one caller severs calls, see `needs`; the instances work on.
        FaultKind::Partition if fault.from.is_none() => vec![loss(fault.at, end, 0.0)],
        FaultKind::ColdRestart { cold, warm } => {
            let warmed = end.saturating_add(warm);
            vec![loss(fault.at, end, 0.0), loss(end, warmed, cold)]
        }
        FaultKind::DeployWave { down, every } => {
            let from = fault.at.saturating_add(every.saturating_mul(turn));
            vec![loss(from, from.saturating_add(down), 0.0)]
        }
        FaultKind::Partition
        | FaultKind::Delay(_)
        | FaultKind::LevelLost(_)
        | FaultKind::LevelForged(_)
        | FaultKind::ClockJump(_)
        | FaultKind::HotKey(_) => Vec::new(),
    }
}
