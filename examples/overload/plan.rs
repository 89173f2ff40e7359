//! Which loads are offered under which policy, and how long that takes.

use std::time::Duration;

use super::{
    args::Options, policy::Policy, profile::Profile, row::Case, transient::PHASES,
    workload::DEADLINE,
};

/// Everything to be measured, in order.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) runs: Vec<Run>,
    pub(crate) lengths: Lengths,
}

/// One load under one policy, against a fresh server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Run {
    /// A load that stays the same.
    Steady(Case),
    /// A jump and a drop.
    Transient(Policy),
}

/// How long things take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lengths {
    /// Of the search for the capacity: a start that does not count, and what does.
    pub(crate) capacity: (Duration, Duration),
    /// The start of each load, which does not count.
    start: Duration,
    /// The part of each load whose tasks count.
    counted: Duration,
}

/// From half of what the service can do to ten times as much.
pub(crate) const LOADS: [f64; 4] = [0.5, 1.0, 3.0, 10.0];

/// Where a service should refuse nothing yet, though it has little to spare.
const BUSY: f64 = 0.8;

/// Starting a server and opening the connections, about.
const SET_UP: Duration = Duration::from_millis(150);

impl Plan {
    pub(crate) fn new(options: &Options) -> Self {
        let (mut runs, lengths) = if options.quick {
            (quick(), Lengths::QUICK)
        } else {
            (full(), Lengths::FULL)
        };
        if let Some(only) = options.only {
            runs.retain(|run| run.policy() == only);
        }
        Self { runs, lengths }
    }

    /// Returns how long everything takes, at most.
    pub(crate) fn lasts(&self) -> Duration {
        let runs = self.runs.iter().map(|run| self.lasts_one(*run));
        2 * self.lengths.capacity_lasts() + runs.sum::<Duration>()
    }

    /// Returns how long one run takes, at most.
    pub(crate) fn lasts_one(&self, run: Run) -> Duration {
        SET_UP + run.profile(&self.lengths).lasts()
    }
}

fn full() -> Vec<Run> {
    let mut runs = Vec::new();
    for policy in Policy::ALL {
        let dagor = matches!(policy, Policy::DagorCallee | Policy::Dagor);
        let steady = |load, calls_per_task| {
            Run::Steady(Case {
                policy,
                load,
                calls_per_task,
            })
        };
        runs.extend(LOADS.map(|load| steady(load, 1)));
        if policy == Policy::Dagor {
            runs.push(steady(BUSY, 1));
        }
        // Tasks of four calls below capacity are no question to a service without control.
        runs.extend(
            LOADS
                .into_iter()
                .filter(|load| dagor || *load > 1.0)
                .map(|load| steady(load, 4)),
        );
    }
    runs.extend([Policy::None, Policy::Dagor].map(Run::Transient));
    runs
}

fn quick() -> Vec<Run> {
    let case = |policy, load, calls_per_task| {
        Run::Steady(Case {
            policy,
            load,
            calls_per_task,
        })
    };
    let mut runs: Vec<_> = Policy::ALL
        .into_iter()
        .flat_map(|policy| [case(policy, 0.5, 1), case(policy, 3.0, 1)])
        .collect();
    runs.push(case(Policy::Dagor, 3.0, 4));
    runs
}

// === impl Run ===

impl Run {
    pub(crate) const fn policy(self) -> Policy {
        match self {
            Self::Steady(Case { policy, .. }) | Self::Transient(policy) => policy,
        }
    }

    pub(crate) const fn calls_per_task(self) -> u32 {
        match self {
            Self::Steady(Case { calls_per_task, .. }) => calls_per_task,
            Self::Transient(_) => 1,
        }
    }

    pub(crate) fn profile(self, lengths: &Lengths) -> Profile {
        match self {
            Self::Steady(Case { load, .. }) => {
                Profile::steady(load, lengths.start, lengths.counted, DEADLINE)
            }
            Self::Transient(_) => Profile::changing(&PHASES),
        }
    }

    /// Returns what it is, for the progress line.
    pub(crate) fn about(self) -> String {
        let policy = self.policy().name();
        match self {
            Self::Steady(Case {
                load,
                calls_per_task,
                ..
            }) => format!("{policy} at {load}x, tasks of {calls_per_task}"),
            Self::Transient(_) => format!("{policy}, 1x then 10x then 0.8x"),
        }
    }
}

// === impl Lengths ===

impl Lengths {
    const FULL: Self = Self {
        capacity: (Duration::from_millis(400), Duration::from_millis(2_000)),
        start: Duration::from_millis(600),
        counted: Duration::from_millis(1_700),
    };

    const QUICK: Self = Self {
        capacity: (Duration::from_millis(200), Duration::from_millis(800)),
        start: Duration::from_millis(400),
        counted: Duration::from_millis(900),
    };

    pub(crate) fn capacity_lasts(&self) -> Duration {
        self.capacity.0 + self.capacity.1 + SET_UP
    }
}
