//! One cell and the scenario that it is.

use std::{cmp::Ordering, time::Duration};

use super::{
    Options,
    grid::{TaskCalls, grid},
};
use crate::{
    Engine,
    policy::Name,
    scenario::{
        Business, Calls, Edge, Load, Protocol, Quick, Retries, Scenario, Service, ServiceTime,
        Shape,
    },
};

/// A policy, a load, a number of calls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Under which policy.
    pub policy: Name,
    /// Calls offered to M, by what it can serve.
    pub load: f64,
    /// How many calls a task makes.
    pub calls: TaskCalls,
}

/// M, which is what the engine can carry, and how long its cells run.
struct Size {
    workers: u32,
    /// Of the 40 ms, what is burnt rather than slept where time is real.
    cpu_share: f64,
    warm_up: Duration,
    duration: Duration,
}

const INSTANCES: u32 = 3;
const SERVICE: Duration = Duration::from_millis(40);
const A: usize = 0;
pub(super) const M: usize = 1;

// === impl Cell ===

impl Cell {
    /// Returns the cells of a table, in order.
    ///
    /// | engine | calls | loads |
    /// |---|---|---|
    /// | sim | 1, 2, 3, 4, mix | 0.67, 1, 1.33, 2, 3, 5, 10 |
    /// | sim, parallel | 2 / 4 / mix | 2 / 1, 2, 10 / 3: the cells of which figures are known |
    /// | live | 1, 2, 4, mix | 0.67, 1, 2, 4; 12 s each of which 4 s are warm-up |
    /// | live, quick | 1, mix | 0.67, 2; 8 s each of which 3 s are warm-up |
    /// | live, parallel | 2, 4, mix | 2 |
    ///
    /// In live M has 4 workers an instance instead of 10 (300 calls/s), and a twentieth of the 40 ms is burnt, the rest
    /// slept: at 4 times its capacity that is 1,200 calls a second and 0.6 cores of work, which leaves two cores
    /// enough for servers, callers and sockets. A policy takes some 3 minutes (quick: half a minute) there.
    #[must_use]
    pub fn all(options: &Options) -> Vec<Self> {
        let mut cells = Vec::new();
        for policy in Name::ALL
            .into_iter()
            .filter(|name| options.policies.contains(name))
        {
            for (calls, loads) in grid(options) {
                let cell = |&load| Self {
                    policy,
                    load,
                    calls: *calls,
                };
                cells.extend(loads.iter().map(cell));
            }
        }
        cells
    }

    /// Returns the scenario of this cell, for one seed.
    #[must_use]
    pub fn scenario(&self, options: &Options) -> Scenario {
        let Size {
            warm_up, duration, ..
        } = self.size(options);
        Scenario {
            name: format!("cell-{}-{}", self.calls, self.load),
            purpose: format!(
                "{} calls a task at {} times the capacity of M.",
                self.calls, self.load
            ),
            source: None,
            seed: options.seed,
            duration,
            warm_up,
            engines: vec![Engine::Sim, Engine::Live],
            policies: vec![self.policy],
            deadline: Duration::from_millis(500),
            network: Duration::from_micros(500),
            refusal_cost: 0.05,
            // Nobody tells M of a caller that has given up, except where siblings are dropped: that is the point there.
            hang_up: options.parallel,
            threshold: Duration::from_millis(20),
            measured: Some(M),
            services: self.services(options),
            edges: vec![self.edge(options)],
            businesses: vec![Business {
                name: "task".into(),
                number: 3,
                share: 1.0,
                entry: A,
                users: 1_000_000,
                forged: 0.0,
            }],
            loads: vec![Load {
                business: None,
                from: Duration::ZERO,
                until: duration,
                rate: self.load * self.capacity(options) / self.calls.mean(),
                shape: Shape::Steady,
            }],
            faults: Vec::new(),
            criteria: Vec::new(),
            published: Vec::new(),
            quick: Quick::default(),
            // The beginning of an hour: users keep their places during a run.
            calendar: Duration::from_secs(472_222 * 3600),
        }
    }

    /// Returns how many calls a second M can serve.
    #[must_use]
    pub fn capacity(&self, options: &Options) -> f64 {
        f64::from(INSTANCES * self.size(options).workers) / SERVICE.as_secs_f64()
    }

    /// Returns how much work a run of this cell is, next to others of the same table.
    #[must_use]
    pub fn weight(&self, options: &Options) -> u64 {
        let duration = self.size(options).duration;
        match options.engine {
            // What is offered is worked off one by one, if only to be withheld; tasks cost something too.
            Engine::Sim => {
                let busy = self.load * (1.0 + 1.0 / self.calls.mean());
                u64::try_from(duration.mul_f64(busy).as_millis()).unwrap_or(u64::MAX)
            }
            Engine::Live => u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
        }
    }

    pub(super) fn order(&self, other: &Self) -> Ordering {
        let by_words = (self.policy, self.calls).cmp(&(other.policy, other.calls));
        by_words.then(self.load.total_cmp(&other.load))
    }

    fn size(&self, options: &Options) -> Size {
        let seconds = Duration::from_secs;
        let (workers, cpu_share) = match options.engine {
            Engine::Sim => (10, 1.0),
            Engine::Live => (4, 0.05),
        };
        // The paper's level opens by 1 % of the demand a second, so it takes that long to find its place.
        let slow = matches!(
            self.policy,
            Name::Paper | Name::PaperBlind | Name::PaperResponse
        );
        let (warm_up, duration) = match (options.engine, options.quick, slow) {
            (Engine::Sim, false, false) => (seconds(20), seconds(60)),
            (Engine::Sim, false, true) => (seconds(120), seconds(240)),
            (Engine::Sim, true, false) => (seconds(8), seconds(24)),
            (Engine::Sim, true, true) => (seconds(48), seconds(96)),
            (Engine::Live, false, _) => (seconds(4), seconds(12)),
            (Engine::Live, true, _) => (seconds(3), seconds(8)),
        };
        Size {
            workers,
            cpu_share,
            warm_up,
            duration,
        }
    }

    fn services(&self, options: &Options) -> Vec<Service> {
        let Size {
            workers, cpu_share, ..
        } = self.size(options);
        let service = |name: &str, workers, service_time| Service {
            name: name.into(),
            instances: INSTANCES,
            workers,
            service_time,
            queue: None,
            protected: true,
            speeds: Vec::new(),
            cpu_share,
            protocol: Protocol::Http,
            quota: None,
        };
        vec![
            service("A", None, ServiceTime::Constant(Duration::ZERO)),
            service("M", Some(workers), ServiceTime::Exponential(SERVICE)),
        ]
    }

    fn edge(&self, options: &Options) -> Edge {
        Edge {
            from: A,
            to: M,
            calls: match self.calls {
                TaskCalls::Fixed(calls) => Calls::Fixed(calls),
                TaskCalls::Mix => Calls::OneOf((1..=4).collect()),
            },
            parallel: options.parallel,
            cancel: options.parallel,
            required: true,
            probability: 1.0,
            timeout: None,
            retries: Retries::default(),
            balance: options.balance,
            businesses: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn the_cells_are_those_of_the_law() {
        let options = Options {
            policies: vec![Name::Dagor, Name::None, Name::Dagor],
            ..Options::default()
        };
        let cells = Cell::all(&options);
        assert_eq!(cells.len(), 2 * 35);
        assert!(
            cells.is_sorted_by(|a, b| a.order(b).is_lt()),
            "each once, in order"
        );

        for cell in &cells {
            let scenario = cell.scenario(&options);
            assert!(near(cell.capacity(&options), 750.0));
            let offered = scenario.loads[0].rate * cell.calls.mean();
            assert!(near(offered, cell.load * 750.0), "{cell:?}");
            assert_eq!(scenario.duration, Duration::from_secs(60));
        }
    }

    #[test]
    fn the_papers_level_gets_four_times_as_long_and_half_of_it_to_settle() {
        for (quick, usual) in [(false, 60), (true, 24)] {
            let options = Options {
                quick,
                ..Options::default()
            };
            for (policy, duration) in [(Name::Dagor, usual), (Name::PaperBlind, 4 * usual)] {
                let calls = TaskCalls::Mix;
                let scenario = Cell {
                    policy,
                    load: 2.0,
                    calls,
                }
                .scenario(&options);
                assert_eq!(scenario.duration.as_secs(), duration);
                let warm_up = scenario.warm_up.as_secs();
                assert_eq!(
                    warm_up,
                    if policy == Name::Dagor {
                        duration / 3
                    } else {
                        duration / 2
                    }
                );
            }
        }
    }

    #[test]
    fn parallel_calls_are_dropped_together() {
        let options = Options {
            parallel: true,
            ..Options::default()
        };
        let scenario = Cell::all(&options)[0].scenario(&options);
        assert!(scenario.edges[0].parallel && scenario.edges[0].cancel && scenario.hang_up);
    }

    #[test]
    fn live_cells_fit_a_machine_of_two_cores() {
        for quick in [false, true] {
            let options = Options {
                quick,
                ..Options::new(Engine::Live)
            };
            for cell in Cell::all(&options) {
                let scenario = cell.scenario(&options);
                assert!(cell.load * cell.capacity(&options) <= 1200.0);
                let m = &scenario.services[M];
                let burnt = cell.capacity(&options) * SERVICE.as_secs_f64() * m.cpu_share;
                assert!(burnt <= 0.6 + 1e-9, "{burnt} cores");
            }
        }
    }
}
