//! What a scenario says, as plain data.

use std::time::Duration;

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

/// Tasks that come.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Of which business; `None` to draw by the shares.
    pub business: Option<usize>,
    /// From when.
    pub from: Duration,
    /// Until when.
    pub until: Duration,
    /// Tasks a second before the shape.
    pub rate: f64,
    /// How that changes.
    pub shape: Shape,
}

/// How a load changes with time, as factors of its rate. Times are since the load's `from`.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// It does not.
    Steady,
    /// `factor` from `at` on.
    Step {
        /// When.
        at: Duration,
        /// How much.
        factor: f64,
    },
    /// Evenly from 1 to `factor` over the whole time of the load.
    Ramp {
        /// How much at the end.
        factor: f64,
    },
    /// 1 + amplitude x sin(2 pi t / period).
    Sinusoid {
        /// 0 to 1.
        amplitude: f64,
        /// How long one wave is.
        period: Duration,
    },
    /// `factor` for the first `length` of each `every`, 1 otherwise.
    Bursts {
        /// How much in a burst.
        factor: f64,
        /// How long one lasts.
        length: Duration,
        /// From one to the next.
        every: Duration,
    },
    /// From 1 up to `factor` within `rise` from `at`, there for `hold`, and back within `fall`.
    FlashCrowd {
        /// When it begins.
        at: Duration,
        /// How much at its height.
        factor: f64,
        /// How fast it comes.
        rise: Duration,
        /// How long it stays.
        hold: Duration,
        /// How fast it goes.
        fall: Duration,
    },
    /// As counted: a task count for each interval of `bin`; `rate` is a factor of the counts.
    Replay {
        /// How long one interval is.
        bin: Duration,
        /// Tasks in each.
        counts: Vec<f64>,
    },
}

/// Something that goes wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// When.
    pub at: Duration,
    /// For how long; `None` to the end.
    pub lasts: Option<Duration>,
    /// Where.
    pub service: usize,
    /// Which instances; empty for all of them.
    pub instances: Vec<u32>,
    /// Of calls from this service only, where that makes sense.
    pub from: Option<usize>,
    /// What.
    pub kind: FaultKind,
}

/// What goes wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum FaultKind {
    /// The instances work at this speed, relative to before (0.5: everything takes twice as long). Slow instances and
    /// losses of capacity alike.
    Speed(f64),
    /// They are not there: connections are refused, what was under way is lost.
    Dead,
    /// They do nothing, but their connections stay: everything waits for the end of it.
    Pause,
    /// Requests to them, and responses, take this much longer.
    Delay(Duration),
    /// Nothing gets to them or back: calls hang until their timeouts.
    Partition,
    /// Their responses lose the field that carries the level (or credits, or price), this share of them.
    LevelLost(f64),
    /// The field says this share of what is open instead: 1 is open, 0 closed.
    LevelForged(f64),
    /// Their calendar jumps by this many seconds, forward or back.
    ClockJump(f64),
    /// This share of the tasks that come is of one and the same user.
    HotKey(f64),
    /// They are down for `lasts`, and come back with empty memories and at `cold` speed for `warm`.
    ColdRestart {
        /// Speed after coming back.
        cold: f64,
        /// For how long.
        warm: Duration,
    },
    /// One instance after the other is restarted: each down for `down`, the next begins `every` after.
    DeployWave {
        /// How long each is down.
        down: Duration,
        /// From one to the next.
        every: Duration,
    },
}

/// Something that must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Criterion {
    /// What it is called in the report.
    pub name: String,
    /// From when (by the arrival of tasks).
    pub from: Duration,
    /// Until when.
    pub until: Duration,
    /// For which policies; the others are shown, not judged.
    pub policies: Vec<Name>,
    /// What is measured and its bound.
    pub kind: CriterionKind,
}

/// What is measured, and its bound.
#[derive(Clone, Debug, PartialEq)]
pub enum CriterionKind {
    /// Goodput as a share of the optimum, in the whole window.
    Goodput(Bound),
    /// The 99th percentile of a successful task's time, of a business or of all.
    P99 {
        /// In milliseconds.
        ms: Bound,
        /// Of which business.
        business: Option<usize>,
    },
    /// Of a business's tasks, the share that succeeds.
    Share {
        /// The business.
        business: usize,
        /// 0 to 1.
        bound: Bound,
        /// Whether it must hold in every second of the window instead of over all of it.
        every_second: bool,
    },
    /// Seconds after `from` until goodput is at least `share` of the optimum and stays so for a second.
    Recovery {
        /// 0 to 1.
        share: f64,
        /// In seconds.
        seconds: Bound,
    },
    /// Of the work that was done, the share done for tasks that failed.
    Wasted(Bound),
    /// Of the calls that were refused, the share that the callers withheld.
    RefusedAtCaller(Bound),
    /// The mean time that requests waited at a service before they were worked on.
    MeanWait {
        /// The service.
        service: usize,
        /// In milliseconds.
        ms: Bound,
    },
    /// The highest success of a group of tasks by the lowest: tasks grouped by how many calls they make.
    Fairness(Bound),
    /// Calls sent, retries included, by calls that tasks wanted to make.
    Amplification(Bound),
    /// The offered rate, in weight a second, of the first second of the window from which on, over three seconds,
    /// at least `share` of the tasks fail.
    ShedsFrom {
        /// 0 to 1.
        share: f64,
        /// Weight a second.
        rate: Bound,
    },
}

/// At least or at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// This or more.
    AtLeast(f64),
    /// This or less.
    AtMost(f64),
}

/// A figure somebody published.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// Under which policy.
    pub policy: Name,
    /// What was measured, in words.
    pub what: String,
    /// The value published.
    pub value: f64,
    /// Ours, measured how: the kind's own bound is ignored.
    pub ours: CriterionKind,
    /// Ours, measured from when until when (by the arrival of tasks).
    pub window: (Duration, Duration),
}

/// What `--quick` changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quick {
    /// The policies run.
    pub policies: Option<Vec<Name>>,
    /// Whether it is left out.
    pub skip: bool,
}
