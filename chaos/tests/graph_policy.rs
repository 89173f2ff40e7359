//! What a policy is told, and what is asked of it.

#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

mod graph_support;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use chaos::{
    policy::{Callee, Place, Policy, Served},
    scenario::{Balance, Scenario, ServiceTime},
    wire::{Answering, Exchange, Link, Request},
};

use self::graph_support::{SEED, at, edge, front, ms, scenario, service, sum, total};

/// A front, and four instances with a worker each that takes 40 ms.
fn four() -> Scenario {
    let mut callee = service("M", 1, ServiceTime::Constant(ms(40)));
    callee.instances = 4;
    let mut calls = edge(0, 1);
    calls.balance = Balance::TwoChoices;
    scenario(vec![front(), callee], vec![calls], 1.0, 1)
}

/// Notes the waits for workers of M and who is called, and knows how loaded the instances are, if it says so.
#[derive(Default)]
struct Knowing {
    waits: Arc<Mutex<Vec<Duration>>>,
    sent: Arc<Mutex<[u32; 4]>>,
    loads: Option<[u64; 4]>,
}

impl Policy for Knowing {
    fn serve(&self, place: &Place<'_>, work: Link) -> Served {
        if place.service == 1 {
            let waits = Arc::clone(&self.waits);
            place
                .waits
                .tell(move |waited| waits.lock().unwrap().push(waited));
        }
        let slow: Link = Arc::new(Slow(place.world.clone(), work));
        Served {
            link: slow,
            level: None,
        }
    }

    fn call(&self, _: &Place<'_>, callee: &Callee<'_>, channels: Vec<Link>) -> Vec<Link> {
        assert_eq!(callee.instances, ["m-0", "m-1", "m-2", "m-3"]);
        let loads = self.loads.map_or([None; 4], |loads| loads.map(Some));
        let known = channels.into_iter().zip(loads).enumerate();
        let link = |(instance, (channel, load))| -> Link {
            let sent = Arc::clone(&self.sent);
            Arc::new(Loaded {
                channel,
                load,
                sent,
                instance,
            })
        };
        known.map(link).collect()
    }
}

/// Keeps each request for 5 ms.
struct Slow(chaos::world::World, Link);

impl Exchange for Slow {
    fn send(&self, request: Request) -> Answering {
        let (world, work) = (self.0.clone(), Arc::clone(&self.1));
        Box::pin(async move {
            world.sleep(ms(5)).await;
            work.send(request).await
        })
    }
}

struct Loaded {
    channel: Link,
    load: Option<u64>,
    sent: Arc<Mutex<[u32; 4]>>,
    instance: usize,
}

impl Exchange for Loaded {
    fn send(&self, request: Request) -> Answering {
        self.sent.lock().unwrap()[self.instance] += 1;
        self.channel.send(request)
    }

    fn load(&self) -> u64 {
        self.load.unwrap_or(0)
    }

    fn knows_load(&self) -> bool {
        self.load.is_some()
    }
}

#[test]
fn hears_of_waits_behind_it_and_not_of_its_own() {
    let mut scenario = four();
    scenario.services[1].instances = 1;
    scenario.services[1].workers = Some(2);
    let knowing = Knowing::default();
    let waits = Arc::clone(&knowing.waits);
    let policy = Alone(knowing);
    let tasks = at(&[0, 10, 20], &scenario);
    let outcome = chaos::sim::run_tasks(&scenario, Box::new(policy), SEED, tasks);
    assert_eq!(*waits.lock().unwrap(), [ms(0), ms(0), ms(20)]);
    let waited = total(&outcome.services[1].waited_us);
    assert_eq!(
        waited,
        ms(35),
        "the run sees all of the wait, in the policy too"
    );
}

/// The same for one instance.
struct Alone(Knowing);

impl Policy for Alone {
    fn serve(&self, place: &Place<'_>, work: Link) -> Served {
        self.0.serve(place, work)
    }

    fn call(&self, _: &Place<'_>, _: &Callee<'_>, channels: Vec<Link>) -> Vec<Link> {
        channels
    }
}

#[test]
fn two_choices_go_by_what_the_policy_knows_or_by_calls_under_way() {
    let scenario = four();
    let crowd = |loads| {
        let policy = Knowing {
            loads,
            ..Knowing::default()
        };
        let sent = Arc::clone(&policy.sent);
        let tasks = at(&[0; 40], &scenario);
        let outcome = chaos::sim::run_tasks(&scenario, Box::new(policy), SEED, tasks);
        assert_eq!(sum(&outcome.services[1].arrived), 40);
        *sent.lock().unwrap()
    };
    let even = crowd(None);
    assert!(
        even.iter().all(|sent| (8..=12).contains(sent)),
        "{even:?}, seed {SEED}"
    );
    let [first, _, _, last] = crowd(Some([0, 1, 2, 3]));
    assert_eq!(last, 0, "never the less loaded of two");
    // It is in half of all pairs, and goes before the other in each.
    assert!((14..=26).contains(&first), "{first}, seed {SEED}");
}
