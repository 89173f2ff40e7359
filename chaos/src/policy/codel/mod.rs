//! CoDel: requests that waited too long are dropped from the head of the line, but only while a line is standing.
//!
//! A burst makes a line that is gone an interval later and does no harm; a line is standing if not even the
//! shortest wait of a whole interval was below the target. That estimator is RFC 8289's (Nichols and Jacobson). What
//! is done about a standing line is Facebook's: everything that waited more than twice the target is dropped
//! (`folly::Codel`), and no request waits longer than an interval in any case ("Fail at Scale", ACM Queue 2015).
//! The RFC drops one request at first and then at a pace that grows with the square root of their number: right for
//! senders that slow down when something is dropped, too slow for requests that come whatever happens.
//!
//! **Tuned** on the reference cells (3 servers of 10 workers of 40 ms, 1 to 4 calls and the mix at 0.67 to 10
//! times the capacity, geometric mean of goodput by optimum):
//!
//! | drops | target, interval | geometric mean | 1 call at 3x |
//! |---|---|---|---|
//! | RFC 8289 | 5, 100 ms (its defaults) | 0.276 | 0.40 |
//! | RFC 8289 | 20, 100 ms | 0.269 | 0.40 |
//! | RFC 8289 | 20, 20 ms | 0.544 | 0.89 |
//! | folly | 5, 100 ms (its defaults) | 0.545 | 0.89 |
//! | folly | 20, 100 ms | 0.553 | 0.90 |
//! | "Fail at Scale", first come first served | 5, 100 ms (its defaults) | 0.537 | 0.89 |
//! | "Fail at Scale", first come first served | 20, 100 ms | 0.548 | 0.89 |
//! | folly, whoever would wait for more than an interval refused at once | 20, 100 ms | 0.574 | 0.90 |
//! | folly, whoever would be dropped later refused at once | 5, 100 ms | 0.572 | 0.89 |
//! | the same | 20, 100 ms | 0.579 | 0.89 |
//! | **the same** | **30, 100 ms** | **0.590** | 0.89 |
//! | the same | 50, 100 ms | 0.562 | 0.89 |
//!
//! The target is one and a half times the scenario's threshold, the interval 100 ms. A request that stands behind more than can be begun
//! before it would be dropped is refused at once, which spares its client the wait: behind an interval's worth
//! while no line is standing, so that bursts pass, behind twice the target's worth while one is. Adaptive LIFO, the other half of "Fail at
//! Scale", is left out: it gains where requests that nobody waits for any more may lie in the line until
//! their clients are gone (0.588), holds up callers that hold a worker meanwhile, and gains nothing (0.547) once
//! they are refused in time. With few slow workers the target is at least one and a half times what passes from one
//! start to the next, as the RFC asks of slow links.
//!
//! **Tested**: that bursts pass and a standing line is held near the target, whatever the load; that it stops dropping when
//! the load is gone; and, on the RFC's law too, that a standing line is brought to the target and drops come at
//! its pace, and that the law chosen here does better against callers that do not slow down.

#[cfg(test)]
mod rfc;
#[cfg(test)]
mod tests;

use std::time::Duration;

use super::{
    Policy,
    peer::{Arrival, Gatekeeper, Peer, Sizing, Verdict, sizing::whole},
};

/// The algorithm.
#[derive(Clone, Debug)]
pub struct Codel {
    workers: usize,
    /// How many are begun within an interval, and within twice the target.
    begun: (usize, usize),
    target: Duration,
    /// The shortest wait of the interval, once there is one.
    shortest: Option<Duration>,
    ends: Duration,
    standing: bool,
}

/// How long a line must be standing: the RFC's and Facebook's 100 ms.
pub const INTERVAL: Duration = Duration::from_millis(100);

/// The target in times of the scenario's threshold.
const TARGET: f64 = 1.5;

/// It is at least as many times what passes from one start to the next.
const STARTS: f64 = 1.5;

/// The policy.
#[must_use]
pub fn policy() -> impl Policy {
    let sizing = Sizing::new();
    Peer::callee_where(move |place| {
        let (workers, line) = sizing.line(place, INTERVAL)?;
        let target = place.scenario.threshold.mul_f64(TARGET);
        Some(Codel::new(workers, target, line))
    })
}

impl Codel {
    /// Holds the line in front of these workers, of which they begin `line` in an [`INTERVAL`], to the target.
    #[must_use]
    pub fn new(workers: usize, target: Duration, line: f64) -> Self {
        let start = INTERVAL.div_f64(line.max(0.01));
        let target = target.max(start.mul_f64(STARTS));
        let begun =
            |span: Duration| whole((span.as_secs_f64() / start.as_secs_f64()).ceil()).max(1);
        Self {
            workers,
            begun: (begun(INTERVAL), begun(2 * target)),
            target,
            shortest: None,
            ends: Duration::ZERO,
            standing: false,
        }
    }

    /// Takes a wait into account; returns whether a line is standing.
    fn is_standing(&mut self, now: Duration, waited: Duration) -> bool {
        if now > self.ends {
            self.standing = self.shortest.is_some_and(|shortest| shortest > self.target);
            self.shortest = None;
            self.ends = now + INTERVAL;
        }
        // The first of an interval passes: it takes more than one to have a line.
        let first = self.shortest.is_none();
        self.shortest = Some(
            self.shortest
                .map_or(waited, |shortest| shortest.min(waited)),
        );
        self.standing && !first
    }
}

impl Gatekeeper for Codel {
    fn arrive(&mut self, _: Duration, _: &Arrival, _: usize, _: usize) -> Verdict {
        Verdict::Queue(0)
    }

    fn slots(&self) -> usize {
        self.workers
    }

    /// Whoever stands behind so many would be dropped later.
    fn queue_bound(&self) -> usize {
        let (interval, twice_target) = self.begun;
        if self.standing {
            twice_target
        } else {
            interval.max(twice_target)
        }
    }

    fn start(&mut self, now: Duration, request: &Arrival, _: usize) -> bool {
        let waited = now.saturating_sub(request.at);
        let standing = self.is_standing(now, waited);
        waited
            <= if standing {
                2 * self.target
            } else {
                INTERVAL.max(2 * self.target)
            }
    }

    fn finish(&mut self, _: Duration, _: &Arrival, _: Duration, _: bool) {}
}
