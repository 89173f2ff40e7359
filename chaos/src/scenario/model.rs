//! What a scenario says, as plain data.

use std::time::Duration;

use super::{Criterion, Fault, Load, Published};
use crate::policy::Name;

/// One scenario, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// A short word; the file's name without `.toml`.
    pub name: String,
    /// One sentence: what this shows.
    pub purpose: String,
    /// Where the figures that it reproduces come from, if it does.
    pub source: Option<String>,
    /// The seed unless the command says otherwise.
    pub seed: u64,
    /// How long load comes. The run goes on for the tasks that are under way.
    pub duration: Duration,
    /// What happens before is not judged, unless a criterion says so.
    pub warm_up: Duration,
    /// The engines it fits, in order of preference.
    pub engines: Vec<crate::Engine>,
    /// The policies run unless the command says otherwise.
    pub policies: Vec<Name>,
    /// How long the client of a task waits for it.
    pub deadline: Duration,
    /// One way over the network between two services.
    pub network: Duration,
    /// What refusing a request costs the callee, as a share of the service's mean service time.
    pub refusal_cost: f64,
    /// Whether the callee notices that a caller has given up: the request then leaves its queue. Work that
    /// was begun is finished all the same.
    pub hang_up: bool,
    /// The threshold of queuing time that dagor, the paper's law and those peers that have one go by.
    pub threshold: Duration,
    /// The service whose calls are what is counted: a task weighs as many as it makes there.
    /// Without, every task weighs 1.
    pub measured: Option<usize>,
    /// The services; others refer to them by their place here.
    pub services: Vec<Service>,
    /// The calls between them.
    pub edges: Vec<Edge>,
    /// The kinds of tasks.
    pub businesses: Vec<Business>,
    /// What comes when; rates of several add up.
    pub loads: Vec<Load>,
    /// What goes wrong when.
    pub faults: Vec<Fault>,
    /// What must hold.
    pub criteria: Vec<Criterion>,
    /// Published figures, shown beside ours.
    pub published: Vec<Published>,
    /// What `--quick` changes.
    pub quick: Quick,
    /// Where the calendar stands at the start, since the Unix epoch: for the hourly change of users' places.
    pub calendar: Duration,
}

/// A service.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    /// Its name, unique.
    pub name: String,
    /// How many instances it has; at least 1.
    pub instances: u32,
    /// How many requests an instance works on at once; a worker is held from the start of the work to the
    /// response, calls included. `None` for no bound.
    pub workers: Option<u32>,
    /// How long a worker works on a request, calls not included.
    pub service_time: ServiceTime,
    /// How many requests may wait for a worker in the service's own queue, which is first come, first
    /// served; more are refused. `None` for no bound.
    pub queue: Option<u32>,
    /// Whether the policy is put around it, as callee and as caller. `false` for a legacy service.
    pub protected: bool,
    /// The speed of each instance, 1 where it is not given.
    pub speeds: Vec<f64>,
    /// In live: the share of the service time in which the CPU is burnt for real; the rest is slept.
    pub cpu_share: f64,
    /// What it speaks in live.
    pub protocol: Protocol,
    /// How many threads of others' clients it limits itself to, in requests a second an instance: a third
    /// party that answers 429 above this quota. `None` for no quota.
    pub quota: Option<f64>,
}

/// What a service speaks in live.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Protocol {
    /// axum over HTTP/1.
    #[default]
    Http,
    /// tonic over HTTP/2.
    Grpc,
}

/// The distribution of service times.
#[derive(Clone, Debug, PartialEq)]
pub enum ServiceTime {
    /// Always this long.
    Constant(Duration),
    /// Exponential with this mean.
    Exponential(Duration),
    /// `short` for nine requests in ten, `long` for the tenth.
    Bimodal {
        /// Nine in ten.
        short: Duration,
        /// One in ten.
        long: Duration,
    },
    /// Lognormal with this median and the standard deviation of the logarithm.
    Lognormal {
        /// The median.
        median: Duration,
        /// Standard deviation of ln(time).
        sigma: f64,
    },
    /// Drawn evenly from these, which a trace file held.
    Trace(Vec<Duration>),
}

/// Calls from one service to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// The caller's place among the services.
    pub from: usize,
    /// The callee's.
    pub to: usize,
    /// How many calls a task makes here.
    pub calls: Calls,
    /// Whether they are made at once instead of one after the other.
    pub parallel: bool,
    /// Whether the siblings of a failed parallel call are dropped.
    pub cancel: bool,
    /// Whether the task fails if one of them fails.
    pub required: bool,
    /// The chance that a task makes them at all.
    pub probability: f64,
    /// How long the caller waits for one call; `None` for the rest of the task's time.
    pub timeout: Option<Duration>,
    /// What is done after a failure.
    pub retries: Retries,
    /// How an instance is chosen.
    pub balance: Balance,
    /// Only tasks of these businesses make them; empty for all.
    pub businesses: Vec<usize>,
}

/// How many calls.
#[derive(Clone, Debug, PartialEq)]
pub enum Calls {
    /// Always this many, at least 1.
    Fixed(u32),
    /// Each of these the same often, drawn once for the task.
    OneOf(Vec<u32>),
}

/// Repeating what failed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Retries {
    /// How often at most; 0 for never.
    pub most: u32,
    /// The share of calls that may be repeated, over ten seconds; `None` for no budget.
    pub budget: Option<f64>,
    /// How long to wait before each.
    pub backoff: Duration,
    /// Whether a call that was withheld or refused is repeated too, as naive callers do.
    pub refused: bool,
}

/// How a caller chooses an instance of the callee.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Balance {
    /// Any.
    #[default]
    Random,
    /// The less loaded of two drawn at random.
    TwoChoices,
    /// In turn.
    RoundRobin,
    /// By the task's user: the same one always.
    ByUser,
}

/// A kind of task.
#[derive(Clone, Debug, PartialEq)]
pub struct Business {
    /// Its name, unique.
    pub name: String,
    /// Its importance; 0 is the most important.
    pub number: u8,
    /// Its share of the tasks that no load assigns, relative to the others'.
    pub share: f64,
    /// The service where its tasks begin.
    pub entry: usize,
    /// How many users there are; each task is of one of them, drawn evenly.
    pub users: u32,
    /// Of its tasks, this share sends fields that claim to be most important and in progress.
    pub forged: f64,
}

/// What `--quick` changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quick {
    /// The policies run.
    pub policies: Option<Vec<Name>>,
    /// Whether it is left out.
    pub skip: bool,
}
