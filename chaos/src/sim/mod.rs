//! The engine of virtual time.

mod executor;
mod network;

use std::{sync::Arc, time::Duration};

pub use self::executor::{Executor, Handle, SettleId, Sleep};
use self::network::Ways;
pub(crate) use self::network::host;
use crate::{
    graph::{Fabric, Run, break_things, generate, sample_levels},
    load::Arrivals,
    measure::{Outcome, Recorder},
    policy::{self, Name, Policy},
    run::RunError,
    scenario::Scenario,
    wire::Call,
    world::World,
};

/// Runs one policy in virtual time.
///
/// # Errors
///
/// If virtual time cannot run this policy.
pub fn run(scenario: &Scenario, policy: Name, seed: u64) -> Result<Outcome, RunError> {
    Ok(run_with(scenario, policy::make(policy)?, seed))
}

/// Runs a policy of one's own in virtual time.
#[must_use]
pub fn run_with(scenario: &Scenario, policy: Box<dyn Policy>, seed: u64) -> Outcome {
    run_tasks(scenario, policy, seed, Arrivals::new(scenario, seed))
}

/// Runs a policy under tasks of one's own, in order of time, instead of the scenario's loads.
#[must_use]
pub fn run_tasks<A>(scenario: &Scenario, policy: Box<dyn Policy>, seed: u64, arrivals: A) -> Outcome
where
    A: IntoIterator<Item = (Duration, Call)>,
    A::IntoIter: Send + 'static,
{
    let mut executor = Executor::new(scenario.calendar);
    let world = World::Virtual(executor.handle().clone());
    let recorder = Recorder::new(scenario);
    let run = Run {
        world,
        scenario: Arc::new(scenario.clone()),
        seed,
        recorder: recorder.clone(),
    };
    let network = Box::new(Ways::new(executor.handle(), scenario));
    let fabric = Fabric::new(run, policy, network);
    for hand in fabric.clocks().hands() {
        executor.take_along(hand.clone());
    }
    // The faults first: what they change at a moment holds for those who come then.
    break_things(&fabric);
    sample_levels(&fabric);
    generate(&fabric, arrivals);
    drop(fabric);

    executor.run_until(scenario.duration + scenario.deadline + REST);
    let mut outcome = recorder.outcome();
    outcome.events = executor.events();
    outcome
}

/// For the last answers, after the last deadline.
const REST: Duration = Duration::from_millis(100);
