//! Crates that people use today, as they are: around the work of each instance, in the way their READMEs say.
//!
//! They read the system's clock by themselves, so they run on real sockets only. The adaptive limits make a request
//! wait without end where they have no room, so tower's `load_shed` stands before each: what has no room is answered
//! 503 at once. Their callers are anybody's: none of these crates has a caller's side.
//!
//! Tuned for all scenarios by one rule each, from what whoever runs the service knows: its workers, its mean
//! service time, and the threshold of queuing time that the scenario gives to everybody. A limit begins where one
//! threshold of work waits beside what is worked on, and where that can be set it never falls below, for then workers
//! would have nothing to do; nor does it rise above what lets a request wait for five thresholds (100 ms with the
//! usual one). Services without a bound of workers have nothing to wait for, and get nothing.

pub mod acc;
pub mod governor;
pub mod resilience;

use std::{sync::Arc, time::Duration};

use tower::{Service, ServiceExt as _, load_shed::LoadShed};

use super::{Callee, Place, Policy, Served};
use crate::wire::{Answering, Exchange, Link, Request, Response, refuse};

/// A policy that is something in front of the work and nothing else.
struct InFront(fn(&Place<'_>, Limits, Link) -> Link);

impl Policy for InFront {
    fn serve(&self, place: &Place<'_>, work: Link) -> Served {
        let link = match Limits::of(place) {
            Some(limits) => (self.0)(place, limits, work),
            None => work,
        };
        Served { link, level: None }
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

/// What a limit in front of an instance has to do with.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Limits {
    /// What is worked on at once.
    workers: usize,
    /// The workers, and what they work off within one threshold of queuing time: no limit falls below.
    least: usize,
    /// The same for [`LATE`] thresholds, and at least twice the workers: none rises above.
    most: usize,
    /// How long a request may take.
    late: Duration,
}

/// Thresholds of queuing time that a request may wait: dagor lets none wait longer either.
const LATE: u32 = 5;

impl Limits {
    /// Returns those of an instance; `None` if it works on as many as come, so that nobody waits for anything.
    fn of(place: &Place<'_>) -> Option<Self> {
        let workers = usize::try_from(place.spec().workers?).ok()?;
        let undisturbed = undisturbed(place, place.service);
        let threshold = place.scenario.threshold;
        // Saturates.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "workers are few, times are not negative, and the cast saturates"
        )]
        let waiting = |span: Duration| {
            let rounds = span.as_secs_f64() / undisturbed.as_secs_f64().max(1e-6);
            (workers as f64 * rounds) as usize
        };
        Some(Self {
            workers,
            least: workers + waiting(threshold).min(workers),
            most: workers.saturating_add(waiting(threshold * LATE).max(workers)),
            late: undisturbed + threshold * LATE,
        })
    }
}

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
