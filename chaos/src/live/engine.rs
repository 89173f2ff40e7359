//! One run: its runtimes, its time, its end.

use std::{io, sync::Arc, thread, time::Duration};

use tokio::runtime::{Builder, Handle, Runtime};
use tokio_util::sync::CancellationToken;

use super::network::Sockets;
use crate::{
    graph::{Fabric, Run, break_things, generate_in, sample_levels},
    load::Arrivals,
    measure::{Outcome, Recorder},
    policy::Policy,
    run::RunError,
    scenario::Scenario,
    world::{Real, World, real::calibrate},
};

/// For the last answers, after the last deadline.
const REST: Duration = Duration::from_millis(100);
/// How long the end waits for work that has the CPU.
const PATIENCE: Duration = Duration::from_secs(2);
/// Tasks of clients that may be under way at once.
const MOST_TASKS: usize = 2_000;
/// Files that a task may need: both ends of its own connection, and of some calls.
const FILES: u64 = 8;

/// Runs a scenario until its end, or until `stop`; returns when all of it is gone.
///
/// It has threads of its own, so it may be called from anywhere, and holds up whoever calls it.
pub(super) fn drive(
    scenario: &Scenario,
    policy: Box<dyn Policy>,
    seed: u64,
    stop: CancellationToken,
) -> Result<Outcome, RunError> {
    calibrate();
    let scenario = Arc::new(scenario.clone());
    let load = thread::Builder::new().name("chaos-load".into());
    let load = load.spawn(move || on_this_thread(scenario, policy, seed, &stop));
    let load = load.map_err(refused("a thread"))?;
    load.join()
        .unwrap_or_else(|_| Err(RunError("the run broke off".into())))
}

/// The clients are on the calling thread, the services on another.
fn on_this_thread(
    scenario: Arc<Scenario>,
    policy: Box<dyn Policy>,
    seed: u64,
    stop: &CancellationToken,
) -> Result<Outcome, RunError> {
    let servers = Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("chaos-servers")
        .enable_all()
        .build()
        .map_err(refused("a thread"))?;
    let clients = Builder::new_current_thread().enable_all().build();
    let clients = clients.map_err(refused("a thread"))?;
    let outcome = clients.block_on(load(scenario, policy, seed, (servers.handle(), stop)));
    end(clients, servers);
    outcome
}

async fn load(
    scenario: Arc<Scenario>,
    policy: Box<dyn Policy>,
    seed: u64,
    (servers, stop): (&Handle, &CancellationToken),
) -> Result<Outcome, RunError> {
    let real = Real::start();
    let inside = World::Real(real.on(servers.clone()));
    let outside = World::Real(real);
    let network = Sockets::open(&scenario, &inside, servers, most_tasks());
    let network = network.map_err(refused("a socket"))?;
    let surplus = network.surplus();
    let recorder = Recorder::new(&scenario);
    let run = Run {
        world: inside,
        scenario: Arc::clone(&scenario),
        seed,
        recorder: recorder.clone(),
    };
    let fabric = Fabric::new(run, policy, Box::new(network));
    // The faults first: what they change at a moment holds for those who come then.
    break_things(&fabric);
    sample_levels(&fabric);
    generate_in(&outside, &fabric, Arrivals::new(&scenario, seed));

    let end = scenario.duration + scenario.deadline + REST;
    tokio::select! {
        () = outside.sleep_until(end) => {}
        () = stop.cancelled() => {}
    }
    // It holds the ports: without it nobody is there.
    drop(fabric);
    Ok(Outcome {
        surplus: surplus.get(),
        ..recorder.outcome()
    })
}

/// Ends all tasks, and with them all sockets: first those who ask, then those who answer.
fn end(clients: Runtime, servers: Runtime) {
    clients.shutdown_timeout(PATIENCE);
    servers.shutdown_timeout(PATIENCE);
}

/// Returns how many tasks of clients may be under way with the files that this process may open.
fn most_tasks() -> usize {
    // Where the system does not let us, there are fewer.
    let files = rlimit::increase_nofile_limit(MOST_TASKS as u64 * FILES);
    let tasks = files.map_or(u64::MAX, |files| files / FILES);
    usize::try_from(tasks).unwrap_or(MOST_TASKS).min(MOST_TASKS)
}

fn refused(what: &str) -> impl FnOnce(io::Error) -> RunError {
    let what = what.to_owned();
    move |error| {
        RunError(format!(
            "the system has no {what} for the live engine: {error}"
        ))
    }
}
