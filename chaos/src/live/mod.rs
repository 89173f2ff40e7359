//! The engine of real sockets.
//!
//! axum's servers over HTTP/1 and tonic's over HTTP/2, each instance at a port of its own on loopback, real time,
//! and a share of each service time burnt on the CPU. The services, their policies and what goes wrong are those of
//! [`graph`](crate::graph), as in virtual time; only the way between them is another one:
//!
//! ```text
//! caller -> its policy -> what goes wrong -> socket -> callee's place -> its policy -> work
//! ```
//!
//! All services share one thread, the clients have another: that fits two cores, and nothing is pinned, so that
//! whoever runs it decides. CPU that is burnt is taken from all services together: their shares must leave room in
//! one core, or it is the thread that is overloaded and no service. Clients have at most 2,000 tasks under way; what
//! is more fails at once.
//!
//! What differs from virtual time, apart from chance: networks of less than a millisecond take what loopback takes,
//! clients are connected by sockets too, and the calendar is the system's, so that no fault makes it jump.

mod call;
mod channel;
mod engine;
mod grpc;
mod network;
mod server;
mod socket;
#[cfg(test)]
mod tests;
mod watch;

use tokio_util::sync::CancellationToken;

pub use self::watch::watch;
use crate::{
    measure::Outcome,
    policy::{self, Name, Policy},
    run::RunError,
    scenario::Scenario,
};

/// Runs one policy on real sockets. It takes as long as the scenario says, and holds up whoever calls it.
///
/// # Errors
///
/// If a socket or thread is not to be had, or if there is no such policy.
pub fn run(scenario: &Scenario, policy: Name, seed: u64) -> Result<Outcome, RunError> {
    run_with(scenario, policy::make(policy)?, seed)
}

/// Runs a policy of one's own on real sockets.
///
/// # Errors
///
/// If a socket or thread is not to be had.
pub fn run_with(
    scenario: &Scenario,
    policy: Box<dyn Policy>,
    seed: u64,
) -> Result<Outcome, RunError> {
    engine::drive(scenario, policy, seed, CancellationToken::new())
}
