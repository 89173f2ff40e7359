//! Crates that people use today, as they are: around the work of each instance, in the way their READMEs say.
//!
//! They read the system's clock by themselves, so they run on real sockets only. The adaptive limits make a request
//! wait without end where they have no room, so tower's `load_shed` stands before each: what has no room is answered
//! 503 at once. Their callers are anybody's: none of these crates has a caller's side.
//!
//! Tuned for all scenarios by one rule each, from what whoever runs the service knows: its workers, its mean
//! service time, and the threshold of queuing time that the scenario gives to everybody. A limit begins at twice the
//! workers. Where that can be set it never falls below the workers, for then some would have nothing to do, and
//! never rises above what lets a request wait for five thresholds (100 ms with the usual one).

pub mod acc;
pub mod governor;
pub mod resilience;

use std::{sync::Arc, time::Duration};

use tower::{Service, ServiceExt as _, load_shed::LoadShed};

use super::{Callee, Place, Policy, Served};
use crate::wire::{Answering, Exchange, Link, Request, Response, refuse};

/// A policy that is something in front of the work and nothing else.
struct InFront(fn(&Place<'_>, Link) -> Link);

impl Policy for InFront {
    fn serve(&self, place: &Place<'_>, work: Link) -> Served {
        Served {
            link: (self.0)(place, work),
            level: None,
        }
    }

    fn call(&self, _: &Place<'_>, _: &Callee<'_>, channels: Vec<Link>) -> Vec<Link> {
        channels
    }
}

/// A service with a limit that refuses what it has no room for.
struct Shedding<S>(LoadShed<S>);

/// Returns a service with a limit as a link that answers 503 when it has no room.
fn shedding<S>(limited: S) -> Link
where
    S: Service<Request, Response = Response> + Clone + Send + Sync + 'static,
    S::Error: Into<tower::BoxError>,
    S::Future: Send,
{
    Arc::new(Shedding(LoadShed::new(limited)))
}

impl<S> Exchange for Shedding<S>
where
    S: Service<Request, Response = Response> + Clone + Send + Sync + 'static,
    S::Error: Into<tower::BoxError>,
    S::Future: Send,
{
    fn send(&self, request: Request) -> Answering {
        // Readiness belongs to a clone, so each request has one.
        let answer = self.0.clone().oneshot(request);
        Box::pin(async move {
            match answer.await {
                Err(error) if error.is::<tower::load_shed::error::Overloaded>() => Ok(refuse()),
                answer => answer,
            }
        })
    }
}

/// Returns how many requests an instance works on at once; without workers, what a limit begins with.
fn workers(place: &Place<'_>) -> usize {
    let workers = place.spec().workers.map(usize::try_from);
    workers.and_then(Result::ok).unwrap_or(START)
}

/// Returns the most that a limit may be: the workers, and what they work off while the last one waits for [`LATE`]
/// thresholds of queuing time; at least twice the workers.
fn most(place: &Place<'_>) -> usize {
    if place.spec().workers.is_none() {
        return MOST;
    }
    let each = undisturbed(place, place.service).as_secs_f64().max(1e-9);
    let rounds = (late(place).as_secs_f64() / each).max(2.0);
    // Saturates.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates, and is not negative"
    )]
    let rounds = rounds as usize;
    workers(place)
        .saturating_mul(rounds)
        .min(MOST.max(workers(place) * 2))
}

/// Returns how long a request may take: undisturbed, and [`LATE`] thresholds of queuing time.
fn late(place: &Place<'_>) -> Duration {
    undisturbed(place, place.service) + place.scenario.threshold * LATE
}

/// What a limit begins with where nobody knows better: as in the READMEs.
const START: usize = 20;
/// The most it may be then: tower-acc's README's.
const MOST: usize = 500;
/// Thresholds of queuing time that a request may wait: dagor lets none wait longer either.
const LATE: u32 = 5;

/// Returns how long a service takes for a request when nothing waits, its calls included.
fn undisturbed(place: &Place<'_>, service: usize) -> Duration {
    let scenario = place.scenario;
    let calls = scenario.edges.iter().filter(|edge| edge.from == service);
    let calls = calls.map(|edge| {
        let one = undisturbed(place, edge.to) + scenario.network * 2;
        let after_another = if edge.parallel {
            1.0
        } else {
            edge.calls.mean()
        };
        one.mul_f64(after_another)
    });
    scenario.services[service].service_time.mean() + calls.sum::<Duration>()
}

#[cfg(test)]
mod tests;
