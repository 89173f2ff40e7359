//! All runs of a command, put together.

use std::{
    num::NonZeroUsize,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use chaos::{
    Engine,
    measure::Outcome,
    policy::Name,
    report::{Collect, RunTiming, ScenarioReport},
    run::run,
    scenario::Scenario,
    spread,
};
use dagor::Clock;

use super::{Faults, pick::Picked, progress::Progress, weight::weight};

/// Which seeds each policy is run with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seeds {
    /// `None` for the scenario's.
    pub(super) first: Option<u64>,
    /// Counting up.
    pub(super) count: u32,
}

/// A scenario under one policy, until all of its runs are there.
struct Group<'a> {
    /// Its place among the scenarios.
    scenario: usize,
    picked: &'a Picked,
    policy: Name,
    seeds: u32,
    done: Mutex<Vec<Done>>,
}

/// One run.
struct Done {
    seed: u64,
    outcome: Outcome,
    took: Duration,
}

struct Job<'a> {
    group: &'a Group<'a>,
    seed: u64,
    weight: u64,
}

/// Runs everything and returns the reports of the scenarios and what their runs took, in the order of `picked`.
///
/// The outcomes of a policy are dropped as soon as they are judged: together they would be gigabytes.
pub(super) fn all(
    picked: &[Picked],
    seeds: Seeds,
    quick: bool,
    clock: &Clock,
) -> Result<(Vec<ScenarioReport>, Vec<RunTiming>), Faults> {
    let groups: Vec<Group<'_>> = groups(picked, seeds.count);
    let (sim, live): (Vec<Job<'_>>, Vec<Job<'_>>) = jobs(&groups, seeds)
        .into_iter()
        .partition(|job| job.group.picked.engine == Engine::Sim);
    let whole: u64 = sim.iter().chain(&live).map(|job| job.weight).sum();
    let collects: Vec<Mutex<Collect<'_>>> = picked
        .iter()
        .map(|picked| Mutex::new(collect(picked, quick)))
        .collect();

    let progress = Progress::begin(sim.len() + live.len(), live_only(&sim, &live));
    let work = |job: &Job<'_>| -> Result<Option<RunTiming>, Faults> {
        let done = one(job, clock)?;
        let timing = job.group.add(done).map(|runs| {
            let mut collect = lock(&collects[job.group.scenario]);
            job.group.judge(runs, &mut collect)
        });
        progress.done(part(job.weight, whole));
        Ok(timing)
    };
    let weight = |job: &Job<'_>| job.weight;
    let simulated = spread::try_spread(&sim, spread::threads(), weight, work);
    // Where time is real, runs beside each other would disturb each other.
    let all = simulated.and_then(|mut timings| {
        timings.extend(spread::try_spread(&live, NonZeroUsize::MIN, |_| 0, work)?);
        Ok(timings)
    });
    progress.end();

    let mut timings: Vec<RunTiming> = all?.into_iter().flatten().collect();
    let place = |timing: &RunTiming| {
        let name = |picked: &Picked| picked.scenario.name == timing.scenario;
        (picked.iter().position(name), timing.policy)
    };
    timings.sort_by_key(place);
    let collects = collects.into_iter();
    let collects =
        collects.map(|collect| collect.into_inner().unwrap_or_else(PoisonError::into_inner));
    Ok((collects.map(Collect::finish).collect(), timings))
}

fn collect(picked: &Picked, quick: bool) -> Collect<'_> {
    let collect = Collect::new(&picked.scenario, picked.engine, quick);
    match &picked.file {
        Some(file) => collect.of_file(file),
        None => collect,
    }
}

fn groups(picked: &[Picked], seeds: u32) -> Vec<Group<'_>> {
    let groups = picked.iter().enumerate().flat_map(|(scenario, picked)| {
        let group = move |&policy| Group {
            scenario,
            picked,
            policy,
            seeds,
            done: Mutex::default(),
        };
        picked.policies.iter().map(group)
    });
    groups.collect()
}

fn jobs<'a>(groups: &'a [Group<'a>], seeds: Seeds) -> Vec<Job<'a>> {
    let jobs = groups.iter().flat_map(|group| {
        let Picked {
            scenario, engine, ..
        } = group.picked;
        let first = seeds.first.unwrap_or(scenario.seed);
        let weight = weight(scenario, *engine);
        // Seeds are names: those beyond the largest begin again at 0.
        let seeds = (0..seeds.count).map(move |place| first.wrapping_add(place.into()));
        seeds.map(move |seed| Job {
            group,
            seed,
            weight,
        })
    });
    jobs.collect()
}

/// Returns how long all takes, if that can be told: where time is real and nothing runs beside it.
fn live_only(sim: &[Job<'_>], live: &[Job<'_>]) -> Option<Duration> {
    let time = |job: &Job<'_>| job.group.picked.scenario.duration;
    sim.is_empty().then(|| live.iter().map(time).sum())
}

fn one(job: &Job<'_>, clock: &Clock) -> Result<Done, Faults> {
    let Group {
        picked: Picked {
            scenario, engine, ..
        },
        policy,
        ..
    } = job.group;
    let begun = clock.now();
    let outcome = run(scenario, *policy, job.seed, *engine).map_err(|error| {
        let Scenario { name, .. } = scenario;
        Faults::of(format_args!("{name}, {policy}, seed {}: {error}", job.seed))
    })?;
    let took = clock.now().saturating_sub(begun);
    Ok(Done {
        seed: job.seed,
        outcome,
        took,
    })
}

impl Group<'_> {
    /// Adds a run; returns all of them if it was the last.
    fn add(&self, run: Done) -> Option<Vec<Done>> {
        let mut done = lock(&self.done);
        done.push(run);
        let all = u32::try_from(done.len()).is_ok_and(|count| count == self.seeds);
        all.then(|| std::mem::take(&mut *done))
    }

    fn judge(&self, runs: Vec<Done>, collect: &mut Collect<'_>) -> RunTiming {
        let timing = RunTiming {
            scenario: self.picked.scenario.name.clone(),
            engine: self.picked.engine,
            policy: self.policy,
            seeds: runs.len(),
            seconds: runs
                .iter()
                .map(|run| run.took)
                .sum::<Duration>()
                .as_secs_f64(),
            events: runs.iter().map(|run| run.outcome.events).sum(),
            requests: runs.iter().map(|run| run.outcome.requests).sum(),
        };
        let mut runs: Vec<(u64, Outcome)> = runs
            .into_iter()
            .map(|run| (run.seed, run.outcome))
            .collect();
        runs.sort_by_key(|(seed, _)| *seed);
        collect.add(self.policy, &runs);
        timing
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[expect(clippy::cast_precision_loss, reason = "for a progress bar")]
fn part(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}
