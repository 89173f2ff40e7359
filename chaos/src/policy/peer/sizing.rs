//! What an operator of a peer knows about a service before it is overloaded.

use std::{sync::OnceLock, time::Duration};

use crate::{
    policy::Place,
    scenario::{Edge, Scenario},
};

/// How long requests hold a worker of each service while nothing waits anywhere: what a test at low load shows, and
/// what peers with constants to choose are sized by. Worked out once a run.
#[derive(Debug, Default)]
pub struct Sizing(OnceLock<Vec<Duration>>);

impl Sizing {
    /// A sizing not yet worked out.
    #[must_use]
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// Returns how long a request holds a worker of this service: its own work, and the calls made meanwhile.
    pub fn held(&self, place: &Place<'_>) -> Duration {
        let held = self.0.get_or_init(|| all_held(place.scenario));
        held[place.service]
    }

    /// Returns how many workers an instance has, if that is bounded, and how many requests they begin within `span`
    /// while they are all busy: how long a line may be for nobody to wait longer than that.
    pub fn line(&self, place: &Place<'_>, span: Duration) -> Option<(usize, f64)> {
        let workers = place.spec().workers?;
        let held = self.held(place).as_secs_f64().max(SHORTEST_HOLD);
        let line = f64::from(workers) * span.as_secs_f64() / held;
        usize::try_from(workers).ok().map(|workers| (workers, line))
    }
}

/// In seconds; so that work that takes no time does not make lines without end.
const SHORTEST_HOLD: f64 = 1e-5;

/// Returns the number, which is no more than some thousands, as a real one.
#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
pub(crate) const fn real(number: usize) -> f64 {
    number as f64
}

/// Returns the whole number below, at least 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped by the cast itself"
)]
pub(crate) const fn whole(number: f64) -> usize {
    number as usize
}

fn all_held(scenario: &Scenario) -> Vec<Duration> {
    let mut from = vec![Vec::new(); scenario.services.len()];
    for edge in &scenario.edges {
        from[edge.from].push(edge);
    }
    let mut held = vec![None; scenario.services.len()];
    let services = 0..scenario.services.len();
    services
        .map(|service| hold(scenario, &from, &mut held, service))
        .collect()
}

/// The graph has no cycle, so this ends; each service is worked out once.
fn hold(
    scenario: &Scenario,
    from: &[Vec<&Edge>],
    held: &mut [Option<Duration>],
    service: usize,
) -> Duration {
    if let Some(known) = held[service] {
        return known;
    }
    let mut sum = scenario.services[service].service_time.mean();
    for edge in &from[service] {
        let there = hold(scenario, from, held, edge.to).saturating_add(2 * scenario.network);
        let once = edge.timeout.map_or(there, |timeout| there.min(timeout));
        let calls = if edge.parallel {
            1.0
        } else {
            edge.calls.mean()
        };
        let made = edge.probability * calls * share(scenario, edge);
        sum = sum.saturating_add(once.mul_f64(made));
    }
    held[service] = Some(sum);
    sum
}

/// The share of tasks that may make these calls at all.
fn share(scenario: &Scenario, edge: &Edge) -> f64 {
    if edge.businesses.is_empty() {
        return 1.0;
    }
    let of = |business: &usize| scenario.businesses[*business].share;
    let all: f64 = scenario
        .businesses
        .iter()
        .map(|business| business.share)
        .sum();
    let some: f64 = edge.businesses.iter().map(of).sum();
    if all > 0.0 { some / all } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        policy::peer::testing::{Bench, edge, scenario, service},
        scenario::Calls,
    };

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_worker_is_held_for_its_work_and_for_its_calls() {
        let services = vec![service(Some(4), 10), service(Some(2), 40), service(None, 5)];
        let mut world = scenario(services);
        world.network = MS;
        let mut second = edge(0, 1);
        second.calls = Calls::OneOf(vec![1, 3]);
        second.probability = 0.5;
        let mut third = edge(0, 2);
        (third.calls, third.parallel) = (Calls::Fixed(9), true);
        world.edges = vec![second, third, edge(1, 2)];
        let bench = Bench::still(world);
        let sizing = Sizing::new();
        let held = |service| sizing.held(&bench.place(service));
        assert_eq!(held(2), 5 * MS);
        assert_eq!(held(1), 40 * MS + 7 * MS);
        // 10, two calls of 49 half of the time, nine at once of 7.
        assert_eq!(held(0), 10 * MS + 49 * MS + 7 * MS);
        let (workers, line) = sizing.line(&bench.place(1), 94 * MS).unwrap();
        assert_eq!(workers, 2);
        assert!((line - 4.0).abs() < 1e-9);
        assert!(sizing.line(&bench.place(2), MS).is_none());
    }

    #[test]
    fn calls_that_time_out_or_that_few_make_hold_less() {
        let mut world = scenario(vec![service(Some(4), 10), service(Some(2), 40)]);
        let mut few = edge(0, 1);
        (few.timeout, few.businesses) = (Some(20 * MS), vec![1]);
        world.edges = vec![few];
        let mut second = world.businesses[0].clone();
        second.share = 3.0;
        world.businesses.push(second);
        let bench = Bench::still(world);
        assert_eq!(Sizing::new().held(&bench.place(0)), 10 * MS + 15 * MS);
    }
}
