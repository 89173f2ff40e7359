//! Whole runs: the same whenever repeated, and what is sampled and forged in them.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

mod graph_support;

use std::{sync::Arc, sync::Mutex, time::Duration};

use chaos::{
    policy::{Callee, Name, Place, Policy, Served},
    scenario::{Balance, Calls, FaultKind, Retries, Scenario, ServiceTime},
    wire::{Answering, Call, Exchange, Link, Request},
};
use dagor::wire::{Names, read_priority};

use self::graph_support::{SEED, business, edge, fault, front, ms, run, scenario, service, sum};

/// Everything at once: two tiers, all that is drawn, faults, an overload.
fn lively() -> Scenario {
    let mut middle = service(
        "A",
        0,
        ServiceTime::Lognormal {
            median: ms(2),
            sigma: 0.5,
        },
    );
    middle.instances = 3;
    let mut last = service(
        "B",
        2,
        ServiceTime::Bimodal {
            short: ms(10),
            long: ms(60),
        },
    );
    last.instances = 3;
    let mut calls = edge(1, 2);
    (calls.calls, calls.parallel, calls.cancel) = (Calls::OneOf(vec![1, 2, 3]), true, true);
    (calls.balance, calls.timeout) = (Balance::TwoChoices, Some(ms(300)));
    calls.retries = Retries {
        most: 2,
        budget: Some(0.2),
        backoff: ms(5),
        refused: true,
    };
    let mut scenario = scenario(
        vec![front(), middle, last],
        vec![edge(0, 1), calls],
        200.0,
        6,
    );
    scenario.network = Duration::from_micros(500);
    scenario.refusal_cost = 0.05;
    scenario.measured = Some(2);
    scenario.faults = vec![
        fault(2, ms(1_000), ms(500), FaultKind::Dead),
        fault(2, ms(2_000), ms(500), FaultKind::LevelLost(0.5)),
        fault(1, ms(3_000), ms(500), FaultKind::Pause),
        fault(2, ms(4_000), ms(500), FaultKind::Partition),
    ];
    scenario.faults[0].instances = vec![1];
    scenario.faults[3].instances = vec![2];
    scenario
}

#[test]
fn the_same_seed_gives_the_same_run() {
    for name in [Name::None, Name::Dagor, Name::PaperBlind] {
        let run = |seed| chaos::sim::run(&lively(), name, seed).unwrap();
        let first = run(SEED);
        assert!(first == run(SEED), "{name}, seed {SEED}");
        assert!(first.requests > 4_000 && first.events > first.requests);
    }
}

#[test]
fn the_seed_matters() {
    let run = |seed| chaos::sim::run(&lively(), Name::None, seed).unwrap();
    assert!(run(SEED) != run(SEED + 1), "seed {SEED}");
}

#[test]
fn policies_do_not_depend_on_each_other() {
    let run = |name| chaos::sim::run(&lively(), name, SEED).unwrap();
    let names = [Name::None, Name::Dagor, Name::PaperBlind];
    let forwards: Vec<_> = names.into_iter().map(run).collect();
    let mut backwards: Vec<_> = names.into_iter().rev().map(run).collect();
    backwards.reverse();
    assert!(forwards == backwards, "seed {SEED}");
    let threads = names.map(|name| std::thread::spawn(move || run(name)));
    let beside: Vec<_> = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect();
    assert!(forwards == beside, "side by side, seed {SEED}");
}

#[test]
fn all_policies_meet_the_same_tasks() {
    let offered = |name| {
        let outcome = chaos::sim::run(&lively(), name, SEED).unwrap();
        let tasks = &outcome.businesses[0];
        let bins = 0..60;
        (
            tasks.offered[bins.clone()].to_vec(),
            tasks.offered_weight[bins].to_vec(),
        )
    };
    assert_eq!(offered(Name::None), offered(Name::Dagor));
}

#[test]
fn tasks_weigh_what_they_call_at_the_measured_service() {
    let outcome = run(&lively());
    let tasks: Vec<u32> = outcome.by_calls.iter().map(|(calls, _)| *calls).collect();
    assert_eq!(tasks, [1, 2, 3]);
    let all = &outcome.businesses[0];
    let (mut offered, mut weight) = (0, 0);
    for (calls, counts) in &outcome.by_calls {
        offered += sum(&counts.offered);
        weight += calls * sum(&counts.offered);
    }
    assert_eq!(offered, sum(&all.offered));
    let summed: f64 = all.offered_weight.iter().sum();
    assert!(
        (f64::from(weight) - summed).abs() < 0.5,
        "{weight} and {summed}"
    );
}

#[test]
fn levels_are_sampled_in_every_bin_of_an_overload() {
    let mut scenario = scenario(
        vec![front(), service("M", 1, ServiceTime::Exponential(ms(10)))],
        vec![edge(0, 1)],
        300.0,
        5,
    );
    scenario.services[0].instances = 2;
    let outcome = chaos::sim::run(&scenario, Name::Dagor, SEED).unwrap();
    let level = &outcome.services[1].level;
    assert!(
        level[10..50]
            .iter()
            .all(|level| (0.05..0.95).contains(level)),
        "{level:?}, seed {SEED}"
    );
    assert!(
        run(&scenario).services[1]
            .level
            .iter()
            .all(|level| *level >= 1.0),
        "no level"
    );
}

#[test]
fn legacy_services_have_no_policy() {
    let asked = Asked::default();
    let mut scenario = lively();
    scenario.services[1].protected = false;
    drop(chaos::sim::run_with(
        &scenario,
        Box::new(Curious(asked.clone())),
        SEED,
    ));
    let asked = asked.0.lock().unwrap();
    assert!(
        asked.served.iter().all(|service| *service != 1),
        "it is not put around it"
    );
    assert!(asked.served.contains(&0) && asked.served.contains(&2));
    assert_eq!(asked.called, [(0, 1)], "nor around its calls");
}

#[test]
fn a_share_of_tasks_claims_too_much() {
    let mut scenario = lively();
    scenario.faults.clear();
    scenario.businesses = vec![chaos::scenario::Business {
        number: 5,
        forged: 0.25,
        ..business()
    }];
    let asked = Asked::default();
    drop(chaos::sim::run_with(
        &scenario,
        Box::new(Curious(asked.clone())),
        SEED,
    ));
    let asked = asked.0.lock().unwrap();
    let (forged, honest): (Vec<_>, Vec<_>) = asked.entered.iter().partition(|(_, claims)| *claims);
    let (few, all) = (forged.len(), asked.entered.len());
    assert!(
        (all * 22 / 100..all * 28 / 100).contains(&few),
        "{few} of {all}, seed {SEED}"
    );
    assert!(
        forged
            .iter()
            .all(|(call, _)| (call.number, call.place) == (0, 0))
    );
    assert!(honest.iter().all(|(call, _)| call.number == 5));
}

// === A policy that looks ===

#[derive(Clone, Default)]
struct Asked(Arc<Mutex<Notes>>);

#[derive(Default)]
struct Notes {
    served: Vec<usize>,
    called: Vec<(usize, usize)>,
    /// Whose requests came to the entry, and whether their field claims that they are in progress.
    entered: Vec<(Call, bool)>,
}

struct Curious(Asked);

impl Policy for Curious {
    fn serve(&self, place: &Place<'_>, work: Link) -> Served {
        self.0.0.lock().unwrap().served.push(place.service);
        let link: Link = match place.service {
            0 => Arc::new(Entry(self.0.clone(), work)),
            _ => work,
        };
        Served { link, level: None }
    }

    fn call(&self, place: &Place<'_>, callee: &Callee<'_>, channels: Vec<Link>) -> Vec<Link> {
        self.0
            .0
            .lock()
            .unwrap()
            .called
            .push((place.service, callee.service));
        channels
    }
}

struct Entry(Asked, Link);

impl Exchange for Entry {
    fn send(&self, request: Request) -> Answering {
        let call = *request.extensions().get::<Call>().unwrap();
        let path = request.uri().path();
        assert!(["/b/0", "/b/5"].contains(&path), "{path}");
        let field = read_priority(request.headers(), &Names::default()).valid();
        let claims = field.is_some_and(|field| {
            field.progress == dagor::Progress::InProgress && field.priority.key() == 0
        });
        self.0.0.lock().unwrap().entered.push((call, claims));
        self.1.send(request)
    }
}
