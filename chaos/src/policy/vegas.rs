//! Vegas: a limit of requests in flight, moved by how much of it must be standing in a queue.
//!
//! After `VegasLimit` of <https://github.com/Netflix/concurrency-limits> (78a74b9) with its window and its way
//! of enforcing ([`Limiter`]). The queue is `limit x (1 - shortest response / response)`. With `s` the decimal logarithm
//! of the limit, rounded down and at least 1: up by 6s while the queue is at most s, up by s while it is
//! below 3s, down by s when it is over 6s or a client gave up; no growth while less than half of the limit is
//! used. Every 15 to 30 times as many samples as the limit is, the next response is taken as the shortest.
//!
//! **Tuned** on the reference cells (3 servers of 10 workers of 40 ms, 1 to 4 calls and the mix at 0.67 to 10
//! times the capacity, geometric mean of goodput by optimum):
//!
//! | window | 1 call at 2x | geometric mean |
//! |---|---|---|
//! | none (`VegasLimit` bare, as the library's default) | 0.50 | 0.254 |
//! | 100 ms | 0.86 | 0.508 |
//! | 250 ms | 0.94 | 0.603 |
//! | 500 ms | 0.95 | 0.613 |
//! | 1 s (`WindowedLimit`'s default) | 0.95 | 0.615 |
//! | **1 s, at most 20** | 0.95 | **0.614** |
//!
//! With exponential work the shortest single response is near nothing and the limit falls to where one request in seven is
//! served at once; the mean of a window is what makes the algorithm work. Smoothing (1.0 by default) at 0.5 and 0.2
//! is worse in every window (0.610, 0.598 at 1 s); ten times the probes, or none, make no difference at 1 s.
//! It begins at the number of workers (20 there) and is never above them and what they begin in twice the
//! scenario's threshold (1000 there): 20 in these cells, against a long wait in the first second of a step.
//!
//! **Tested**: that the limit settles near the knee of one server, with full throughput and a short wait, from
//! below and from above; that it does not grow unused; and the steps that the library's own tests give figures for.

use std::time::Duration;

use super::{
    Policy,
    peer::{Limit, Limiter, Peer, Sizing, sizing::real},
};
use crate::world::Chance;

/// The algorithm.
#[derive(Debug)]
pub struct Vegas {
    limit: f64,
    most: f64,
    /// The shortest response known, that of an empty server.
    shortest: Option<Duration>,
    /// How many samples since it was last renewed.
    samples: f64,
    /// By the limit: after how many it is renewed.
    patience: f64,
    chance: Chance,
}

/// The highest patience, in samples by the limit; the lowest is half of it. The library's `probeMultiplier`.
const PATIENCE: f64 = 30.0;

/// What the limit may leave in line at most, in times of what is begun within the threshold.
pub(super) const MOST: u32 = 2;

/// The policy.
#[must_use]
pub fn policy() -> impl Policy {
    let sizing = Sizing::new();
    Peer::callee_where(move |place| {
        let (workers, line) = sizing.line(place, MOST * place.scenario.threshold)?;
        let most = (real(workers) + line).max(2.0);
        Some(Limiter::new(Vegas::new(
            real(workers),
            most,
            place.chance("vegas"),
        )))
    })
}

impl Vegas {
    /// Begins at `limit` and is never above `most`.
    #[must_use]
    pub fn new(limit: f64, most: f64, mut chance: Chance) -> Self {
        Self {
            limit,
            most,
            shortest: None,
            samples: 0.0,
            patience: patience(&mut chance),
            chance,
        }
    }

    /// Returns the step.
    fn step(&self) -> f64 {
        libm::log10(self.limit).floor().max(1.0)
    }

    /// Returns the shortest response, unless this sample is the one that tells it.
    fn shortest(&mut self, response: Duration) -> Option<Duration> {
        self.samples += 1.0;
        let renew = self.samples >= self.patience * self.limit;
        if renew {
            self.patience = patience(&mut self.chance);
            self.samples = 0.0;
        }
        let known = self.shortest.filter(|known| !renew && *known <= response);
        if known.is_none() {
            self.shortest = Some(response);
        }
        known
    }
}

impl Limit for Vegas {
    fn limit(&self) -> f64 {
        self.limit
    }

    fn most(&self) -> f64 {
        self.most
    }

    fn sample(&mut self, response: Duration, in_flight: f64, late: bool) {
        let Some(shortest) = self.shortest(response) else {
            return;
        };
        let served = shortest.as_secs_f64() / response.as_secs_f64();
        let (queue, step) = ((self.limit * (1.0 - served)).ceil(), self.step());
        let change = if late {
            -step
        } else if 2.0 * in_flight < self.limit {
            0.0
        } else if queue <= step {
            6.0 * step
        } else if queue < 3.0 * step {
            step
        } else if queue > 6.0 * step {
            -step
        } else {
            0.0
        };
        self.limit = (self.limit + change).min(self.most).max(1.0);
    }
}

fn patience(chance: &mut Chance) -> f64 {
    PATIENCE * (1.0 + chance.unit()) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::peer::{
        plant::{Plant, Setup, mean},
        sizing::whole,
    };

    const MS: Duration = Duration::from_millis(1);
    const SECOND: Duration = Duration::from_secs(1);

    fn vegas(limit: f64, most: f64) -> Vegas {
        Vegas::new(limit, most, Chance::new(1, "vegas", 0))
    }

    /// The limit after a first sample that tells the shortest response and a second one.
    fn second(limit: f64, most: f64, first: u64, second: u64, in_flight: f64) -> f64 {
        let mut vegas = vegas(limit, most);
        vegas.sample(Duration::from_millis(first), in_flight, false);
        assert!((vegas.limit() - limit).abs() < 1e-9, "the first only tells");
        vegas.sample(Duration::from_millis(second), in_flight, false);
        vegas.limit()
    }

    #[test]
    fn moves_as_the_library_s_own_tests_say() {
        for (limit, most, second_ms, in_flight, expected) in [
            (10.0, 20.0, 10, 11.0, 16.0),
            (10.0, 20.0, 50, 11.0, 9.0),
            (10.0, 20.0, 14, 14.0, 10.0),
            (10_000.0, 20_000.0, 10, 6_000.0, 10_024.0),
        ] {
            let limit = second(limit, most, 10, second_ms, in_flight);
            assert!((limit - expected).abs() < 1e-9, "{limit} for {expected}");
        }
    }

    #[test]
    fn moves_within_its_bounds_and_not_unused() {
        // A queue of 2: up by one.
        assert!((second(10.0, 20.0, 10, 12, 10.0) - 11.0).abs() < 1e-9);
        assert!((second(19.0, 20.0, 10, 10, 19.0) - 20.0).abs() < 1e-9);
        assert!((second(10.0, 20.0, 10, 10, 4.0) - 10.0).abs() < 1e-9);
        let mut late = vegas(2.0, 20.0);
        late.sample(10 * MS, 1.0, false);
        for _ in 0..5 {
            late.sample(10 * MS, 1.0, true);
        }
        assert!((late.limit() - 1.0).abs() < 1e-9);
        assert!((late.most() - 20.0).abs() < 1e-9);
    }

    #[test]
    fn the_shortest_response_is_forgotten_after_a_while() {
        let mut vegas = vegas(2.0, 20.0);
        vegas.sample(10 * MS, 0.0, false);
        let renewed = (1..).find(|_| {
            vegas.sample(20 * MS, 0.0, false);
            vegas.shortest == Some(20 * MS)
        });
        // 15 to 30 times the limit of 2.
        assert!(
            renewed.is_some_and(|samples| (30..=60).contains(&samples)),
            "{renewed:?}"
        );
    }

    #[test]
    fn settles_near_the_knee_of_one_server() {
        for first in [2.0, 10.0, 40.0] {
            // Some calm to learn the shortest response in: begun above the knee in an overload it never would.
            let setup = Setup {
                load: vec![(Duration::ZERO, 0.4), (10 * SECOND, 2.0)],
                length: 80 * SECOND,
                ..Setup::single(10, 2.0)
            };
            let sight = Plant::run_callee(&setup, |_| Limiter::new(vegas(first, 100.0)));
            let limit = 100.0 * sight.level_in(40 * SECOND, 80 * SECOND);
            // Ten workers, and the three to six in line that the algorithm aims at.
            assert!((10.0..=18.0).contains(&limit), "{limit} from {first}");
            let served = sight.responses_in(40 * SECOND, 80 * SECOND).len();
            let capacity = whole(40.0 * setup.capacity() * 0.9);
            // A refusal for every request served costs 5% of its work.
            assert!(served >= capacity, "{served} of {capacity} from {first}");
            let wait = mean(&sight.waits_in(40 * SECOND, 80 * SECOND));
            assert!(wait < 30 * MS, "{wait:?} from {first}");
        }
    }

    #[test]
    fn does_well_where_tasks_make_one_call_and_no_better_than_chance_with_four() {
        let limiter = |_| Limiter::new(vegas(10.0, 20.0));
        let single = Plant::run_callee(&Setup::cell(&[1], 2.0), limiter).goodput();
        let four = Plant::run_callee(&Setup::cell(&[4], 2.0), limiter).goodput();
        assert!(
            single > 0.92 && (0.5..0.75).contains(&four),
            "{single} {four}"
        );
    }
}
