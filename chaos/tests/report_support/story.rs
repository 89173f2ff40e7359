//! Outcomes that look like those of real runs, for the page: drawn, not simulated.

use chaos::{
    Scenario,
    measure::{BIN, Outcome},
    policy::Name,
    scenario::{
        Bound, Calls, CriterionKind, Fault, FaultKind, Load, Published, ServiceTime, Shape,
    },
    world::Chance,
};

use super::{business, criterion, edge, nothing, scenario, seconds, service, tasks};

/// The policies of a simulated run.
pub(crate) fn policies() -> Vec<Name> {
    Name::ALL
        .into_iter()
        .filter(|name| name.is_simulated())
        .collect()
}

/// A chain of three services behind an entry; the last is slow for a while. A minute long.
pub(crate) fn slow_shard(name: &str) -> Scenario {
    let mut scenario = scenario();
    scenario.name = name.into();
    scenario.purpose =
        "A five-tier chain whose last shard works at half speed from second 20 to 40: who \
        finishes what was begun, and who is back within two seconds."
            .into();
    scenario.source = Some("Overload control for scaling WeChat microservices, section 5.2".into());
    scenario.duration = seconds(60.0);
    scenario.warm_up = seconds(10.0);
    scenario.policies = policies();
    scenario.services[1].workers = Some(20);
    for (name, workers) in [("basket", 60), ("storage", 54)] {
        scenario.services.push(service(name, Some(workers)));
    }
    scenario.services[3].service_time = ServiceTime::Constant(seconds(0.1));
    scenario.edges = vec![edge(0, 1), edge(1, 2), edge(2, 3)];
    scenario.edges[0].calls = Calls::OneOf(vec![1, 2, 3, 4]);
    scenario.businesses = vec![business("payments", 0), business("browsing", 3)];
    let until = seconds(60.0);
    scenario.loads = vec![Load {
        until,
        ..super::load(600.0, Shape::Steady)
    }];
    scenario.faults = vec![Fault {
        at: seconds(20.0),
        lasts: Some(seconds(20.0)),
        service: 3,
        instances: vec![0],
        from: None,
        kind: FaultKind::Speed(0.5),
    }];
    scenario.criteria = criteria();
    scenario.published = vec![Published {
        policy: Name::Dagor,
        what: "success of tasks of two calls at twice the load".into(),
        value: 0.88,
        ours: CriterionKind::Goodput(Bound::AtLeast(0.0)),
        window: (seconds(10.0), seconds(60.0)),
    }];
    scenario
}

fn criteria() -> Vec<chaos::scenario::Criterion> {
    let named = |name: &str, kind, from, until| {
        let mut criterion = criterion(kind, from, until);
        criterion.name = name.into();
        criterion
    };
    let recovery = CriterionKind::Recovery {
        share: 0.95,
        seconds: Bound::AtMost(2.0),
    };
    let payments = CriterionKind::Share {
        business: 0,
        bound: Bound::AtLeast(0.99),
        every_second: true,
    };
    let wait = CriterionKind::MeanWait {
        service: 3,
        ms: Bound::AtMost(40.0),
    };
    vec![
        named(
            "stays up",
            CriterionKind::Goodput(Bound::AtLeast(0.9)),
            10.0,
            60.0,
        ),
        named("comes back", recovery, 40.0, 60.0),
        named("payments pass", payments, 10.0, 60.0),
        named("queues stay short", wait, 20.0, 40.0),
        named(
            "tasks alike",
            CriterionKind::Fairness(Bound::AtMost(1.15)),
            10.0,
            60.0,
        ),
    ]
}

/// How well a policy does in good and in bad times, its wait in bad ones (ms), and the seconds until it is back.
fn manner(policy: Name) -> (f64, f64, f64, f64) {
    match policy {
        Name::None => (0.99, 0.04, 14_000.0, 1e9),
        Name::Tower => (0.97, 0.55, 160.0, 1.0),
        Name::Codel => (0.96, 0.48, 110.0, 2.5),
        Name::Seda => (0.95, 0.62, 320.0, 4.0),
        Name::Vegas => (0.97, 0.71, 60.0, 1.5),
        Name::Gradient2 => (0.97, 0.68, 75.0, 2.0),
        Name::Sre => (0.98, 0.51, 410.0, 3.0),
        Name::Breakwater => (0.98, 0.83, 12.0, 0.5),
        Name::BreakwaterDagor => (0.93, 0.72, 45.0, 1.2),
        Name::Cinnamon => (0.97, 0.80, 38.0, 1.8),
        Name::Rajomon => (0.96, 0.77, 52.0, 2.2),
        Name::Paper => (0.95, 0.66, 90.0, 15.0),
        Name::PaperBlind => (0.95, 0.52, 95.0, 18.0),
        _ => (0.995, 0.955, 18.0, 0.6),
    }
}

/// A run of such a scenario.
pub(crate) fn run(scenario: &Scenario, policy: Name, seed: u64) -> Outcome {
    let bins =
        usize::try_from(scenario.duration.as_nanos() / BIN.as_nanos()).expect("a small number");
    let mut arrivals = Chance::new(seed, "story", 0);
    let mut chance = Chance::new(seed, policy.as_str(), 1);
    let (calm, hard, wait, back) = manner(policy);
    let mut outcome = nothing(scenario, bins);
    let mut counts: Vec<Vec<(u32, u32)>> = vec![Vec::new(); 6];
    for bin in 0..bins {
        let at = f64::from(u32::try_from(bin).expect("a small number")) / 10.0;
        let slow = (20.0..40.0 + back).contains(&at);
        let share = if slow { hard } else { calm };
        for (place, counts) in counts.iter_mut().enumerate() {
            let came = 18 + arrivals.below(20);
            // The first half is the important business.
            let share: f64 = if place == 0 && policy == Name::Dagor {
                1.0
            } else {
                share
            };
            let good = (0..came).filter(|_| chance.unit() < share).count();
            counts.push((
                u32::try_from(came).expect("a small number"),
                u32::try_from(good).expect("a small number"),
            ));
        }
        happen(&mut outcome, bin, (slow, share, wait), policy, &mut chance);
    }
    outcome.businesses = vec![tasks(&counts[0], 2.5), tasks(&counts[1], 2.5)];
    outcome.by_calls = (1..=4)
        .zip(&counts[2..])
        .map(|(calls, counts)| (calls, tasks(counts, f64::from(calls))))
        .collect();
    outcome.wanted = 100_000;
    outcome.sent = if policy == Name::None {
        310_000
    } else {
        104_000
    };
    outcome
}

fn happen(
    outcome: &mut Outcome,
    bin: usize,
    now: (bool, f64, f64),
    policy: Name,
    chance: &mut Chance,
) {
    let (slow, share, wait) = now;
    let last = outcome.services.len() - 1;
    for (place, service) in outcome.services.iter_mut().enumerate() {
        service.started[bin] = 75;
        service.arrived[bin] = 80;
        let millis = if slow && place == last { wait } else { 3.0 };
        service.waited_us[bin] = 75.0 * 1e3 * millis * (0.6 + 0.8 * chance.unit());
        service.worked_us[bin] = 3e6;
        service.wasted_us[bin] = 3e6 * (1.0 - share) * chance.unit();
        if policy >= Name::Paper && slow && place == last {
            service.level[bin] = 0.4 + 0.2 * chance.unit();
        }
        let refused = (1.0 - share) * 80.0;
        let own = if policy == Name::Dagor { 0.15 } else { 0.8 };
        service.refused[bin] = whole(refused * own * chance.unit());
        service.withheld[bin] = whole(refused * (1.0 - own) * chance.unit());
    }
    for business in 0..2 {
        let micros = 40_000.0 * (1.0 + 3.0 * chance.exponential());
        outcome.took.push((
            u32::try_from(bin).expect("a small number"),
            business,
            whole(micros),
        ));
    }
}

fn whole(value: f64) -> u32 {
    format!("{value:.0}").parse().expect("a small number")
}
