//! What the plant is given, and the cells in which peers are compared.

use std::{ops::Range, time::Duration};

use super::Plant;
use crate::{
    policy::{Gatekeeper, Sender},
    world::Chance,
};

/// A plant and its load. The default is the reference cell: 3 servers of 10 workers, 40 ms of exponential service,
/// 3 callers, a deadline of 500 ms, 0.5 ms of network each way, refusals that cost 5% of a mean service time.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) seed: u64,
    pub(crate) servers: usize,
    pub(crate) workers: usize,
    pub(crate) mean: Duration,
    /// The standard deviation of the logarithm of lognormal service times; `None` for exponential ones.
    pub(crate) sigma: Option<f64>,
    pub(crate) callers: usize,
    /// How many calls a task makes: one of these.
    pub(crate) calls: Vec<u32>,
    /// The importance of a task: one of these.
    pub(crate) numbers: Vec<u8>,
    /// Offered calls by the capacity, from each of these moments on.
    pub(crate) load: Vec<(Duration, f64)>,
    /// How fast servers work, 1 as given above, from each of these moments on.
    pub(crate) speed: Vec<(Duration, f64)>,
    pub(crate) deadline: Duration,
    pub(crate) network: Duration,
    pub(crate) refusal_cost: f64,
    /// Whether requests whose client has given up leave the line.
    pub(crate) hang_up: bool,
    pub(crate) length: Duration,
    pub(crate) warm_up: Duration,
}

/// The loads of the cells, as shares of the capacity.
pub(crate) const LOADS: [f64; 7] = [0.67, 1.0, 1.33, 2.0, 3.0, 5.0, 10.0];

/// The calls of a task in the cells; the last is the mix.
const CALLS: [&[u32]; 5] = [&[1], &[2], &[3], &[4], &[1, 2, 3, 4]];

impl Default for Setup {
    fn default() -> Self {
        Self {
            seed: 1,
            servers: 3,
            workers: 10,
            mean: Duration::from_millis(40),
            sigma: None,
            callers: 3,
            calls: vec![1],
            numbers: vec![0],
            load: vec![(Duration::ZERO, 1.0)],
            speed: vec![(Duration::ZERO, 1.0)],
            deadline: Duration::from_millis(500),
            network: Duration::from_micros(500),
            refusal_cost: 0.05,
            hang_up: false,
            length: Duration::from_secs(30),
            warm_up: Duration::from_secs(10),
        }
    }
}

impl Setup {
    /// The reference cell at this load, with tasks of one of these numbers of calls.
    pub(crate) fn cell(calls: &[u32], load: f64) -> Self {
        Self {
            calls: calls.to_vec(),
            load: vec![(Duration::ZERO, load)],
            ..Self::default()
        }
    }

    /// One server of this many workers, at this load, tasks of one call that wait as long as they must.
    pub(crate) fn single(workers: usize, load: f64) -> Self {
        Self {
            servers: 1,
            workers,
            deadline: Duration::from_secs(3600),
            ..Self::cell(&[1], load)
        }
    }

    /// Calls a second that the servers can serve at speed 1.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    pub(crate) fn capacity(&self) -> f64 {
        (self.servers * self.workers) as f64 / self.mean.as_secs_f64()
    }

    /// The mean number of calls of a task.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    pub(crate) fn mean_calls(&self) -> f64 {
        f64::from(self.calls.iter().sum::<u32>()) / self.calls.len() as f64
    }

    /// Calls in this time that are offered and can be served.
    pub(crate) fn optimum(&self, from: Duration, until: Duration) -> f64 {
        let step = Duration::from_millis(100);
        let mut at = from;
        let mut sum = 0.0;
        while at < until {
            let load = value_at(&self.load, at).min(value_at(&self.speed, at));
            sum += load * self.capacity() * step.as_secs_f64();
            at += step;
        }
        sum
    }

    pub(super) fn shortest_gap(&self) -> Duration {
        let peak = self.load.iter().map(|&(_, load)| load).fold(0.0, f64::max);
        Duration::from_secs_f64(self.mean_calls() / (peak * self.capacity()))
    }

    pub(super) fn share_of_peak(&self, at: Duration) -> f64 {
        let peak = self.load.iter().map(|&(_, load)| load).fold(0.0, f64::max);
        value_at(&self.load, at) / peak
    }

    pub(super) fn service_time(&self, at: Duration, chance: &mut Chance) -> Duration {
        let factor = match self.sigma {
            Some(sigma) => libm::exp(sigma * chance.normal() - sigma * sigma / 2.0),
            None => chance.exponential(),
        };
        self.mean.mul_f64(factor / value_at(&self.speed, at))
    }
}

fn value_at(steps: &[(Duration, f64)], at: Duration) -> f64 {
    let passed = steps.iter().rev().find(|&&(from, _)| from <= at);
    passed.map_or(0.0, |&(_, value)| value)
}

/// Runs all cells (calls by load) with each of the seeds, `judged` long after 5 s; returns goodput by optimum,
/// loads in the inner vectors.
pub(crate) fn cells<G: Gatekeeper, S: Sender>(
    seeds: Range<u64>,
    judged: Duration,
    gate: impl Fn(usize) -> G,
    sender: impl Fn(usize) -> S,
) -> Vec<Vec<f64>> {
    let runs = f64::from(u32::try_from(seeds.end - seeds.start).unwrap());
    let cell = |calls: &[u32], load| {
        let share = |seed| {
            let warm_up = Duration::from_secs(5);
            let setup = Setup {
                seed,
                warm_up,
                length: warm_up + judged + Duration::from_millis(500),
                ..Setup::cell(calls, load)
            };
            Plant::run(&setup, &gate, &sender).goodput()
        };
        seeds.clone().map(share).sum::<f64>() / runs
    };
    let row = |calls: &&[u32]| LOADS.iter().map(|&load| cell(calls, load)).collect();
    CALLS.iter().map(row).collect()
}

/// The geometric mean; a cell counts at least 0.001.
pub(crate) fn geometric_mean(cells: &[Vec<f64>]) -> f64 {
    let logs = cells
        .iter()
        .flatten()
        .map(|&cell| libm::log(cell.max(0.001)));
    let (sum, count) = logs.fold((0.0, 0.0), |(sum, count), log| (sum + log, count + 1.0));
    libm::exp(sum / count)
}
