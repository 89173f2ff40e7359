use std::{
    future::Future as _,
    pin::Pin,
    task::{Context, Poll, Waker},
};

use ::governor::{RateLimiter, clock::FakeRelativeClock};
use tokio::sync::watch;
use tower_acc::Algorithm as _;
use tower_resilience_adaptive::ConcurrencyAlgorithm as _;

use super::*;
use crate::{
    Engine,
    policy::{Name, Waits},
    scenario::{Protocol, Quick, Scenario, Service, ServiceTime},
    wire::{Answer, Body, Ending, respond},
    world::{Real, World},
};

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// One service of four workers and 20 ms: 200 requests a second.
fn scenario() -> Scenario {
    let service = Service {
        name: "M".into(),
        instances: 1,
        workers: Some(4),
        service_time: ServiceTime::Constant(ms(20)),
        queue: None,
        protected: true,
        speeds: Vec::new(),
        cpu_share: 0.0,
        protocol: Protocol::Http,
        quota: None,
    };
    Scenario {
        name: "one".into(),
        purpose: "tests".into(),
        source: None,
        seed: 1,
        duration: ms(1_000),
        warm_up: Duration::ZERO,
        engines: vec![Engine::Live],
        policies: vec![Name::Acc],
        deadline: ms(500),
        network: Duration::ZERO,
        refusal_cost: 0.0,
        hang_up: true,
        threshold: ms(20),
        measured: None,
        services: vec![service],
        edges: Vec::new(),
        businesses: Vec::new(),
        loads: Vec::new(),
        faults: Vec::new(),
        criteria: Vec::new(),
        published: Vec::new(),
        quick: Quick::default(),
        calendar: Duration::ZERO,
    }
}

/// Calls `test` with the place of the only instance.
fn at_its_place<T>(test: impl FnOnce(&Place<'_>, Option<Limits>) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let _entered = runtime.enter();
    let (world, waits) = (World::Real(Real::start()), Waits::default());
    let scenario = scenario();
    let place = Place {
        world: &world,
        seed: 1,
        scenario: &scenario,
        service: 0,
        instance: 0,
        start: 0,
        clock: world.clock(),
        waits: &waits,
    };
    test(&place, Limits::of(&place))
}

fn limits() -> Limits {
    at_its_place(|_, limits| limits).unwrap()
}

/// Work that ends when it is told to.
struct Held(watch::Receiver<bool>);

impl Exchange for Held {
    fn send(&self, _: Request) -> Answering {
        let mut held = self.0.clone();
        Box::pin(async move {
            let _ = held.wait_for(|over| *over).await;
            Ok(respond(http::StatusCode::OK))
        })
    }
}

fn poll(answering: &mut Answering) -> Poll<Answer> {
    let mut cx = Context::from_waker(Waker::noop());
    Pin::new(answering).poll(&mut cx)
}

fn ending(polled: Poll<Answer>) -> Option<Ending> {
    match polled {
        Poll::Ready(answer) => Some(Ending::of(&answer)),
        Poll::Pending => None,
    }
}

/// Sends `sent` requests at once; returns how many are let in, after checking that the others are refused, that those
/// let in are served, and that then there is room again.
fn let_in(policy: &impl Policy, sent: usize) -> usize {
    let (end, held) = watch::channel(false);
    let link = at_its_place(|place, _| policy.serve(place, Arc::new(Held(held))).link);
    let requests = (0..sent).map(|_| link.send(Request::new(Body::empty())));
    let mut requests: Vec<Answering> = requests.collect();
    let mut let_in = Vec::new();
    for mut request in requests.drain(..) {
        match ending(poll(&mut request)) {
            None => let_in.push(request),
            Some(ending) => assert_eq!(ending, Ending::Refused),
        }
    }
    end.send(true).unwrap();
    for request in &mut let_in {
        assert_eq!(ending(poll(request)), Some(Ending::Served));
    }
    let mut next = link.send(Request::new(Body::empty()));
    assert_eq!(ending(poll(&mut next)), Some(Ending::Served), "room again");
    let_in.len()
}

#[test]
fn each_lets_in_what_it_has_room_for_and_refuses_the_rest() {
    // The workers and one threshold of work, until there is something to learn from.
    assert_eq!(let_in(&resilience::aimd(), 30), 8);
    assert_eq!(let_in(&resilience::vegas(), 30), 8);
    assert_eq!(let_in(&acc::policy(), 30), 8);
}

#[test]
fn limits_come_from_workers_and_thresholds() {
    let limits = limits();
    assert_eq!((limits.workers, limits.least, limits.most), (4, 8, 24));
    assert_eq!(limits.late, ms(120));
}

#[test]
fn a_quota_lets_its_rate_pass_and_no_more() {
    let quota = at_its_place(|place, limits| governor::quota(place, limits?)).unwrap();
    let clock = FakeRelativeClock::default();
    let limit = RateLimiter::direct_with_clock(quota, clock.clone());
    let at_once = (0..100).filter(|_| limit.check().is_ok()).count();
    assert_eq!(at_once, 8, "a burst");

    let mut passed = 0_usize;
    for _ in 0..10_000 {
        clock.advance(ms(1));
        passed += usize::from(limit.check().is_ok());
    }
    let asked = "190 a second, asked 1,000 times a second";
    assert!(passed.abs_diff(1_900) <= 1, "{passed}: {asked}");
}

#[test]
fn without_workers_there_is_nothing_to_limit() {
    let (none, passed) = at_its_place(|place, _| {
        let mut scenario = place.scenario.clone();
        scenario.services[0].workers = None;
        let place = Place {
            scenario: &scenario,
            ..*place
        };
        let work: Link = Arc::new(Held(watch::channel(true).1));
        let link = acc::policy().serve(&place, Arc::clone(&work)).link;
        (Limits::of(&place), Arc::ptr_eq(&link, &work))
    });
    assert_eq!(none, None);
    assert!(passed, "the work as it is");
}

#[test]
fn aimd_grows_in_time_and_falls_when_late_within_its_bounds() {
    let aimd = resilience::additive(limits());
    assert_eq!(aimd.limit(), 8);
    (0..12).for_each(|_| aimd.record_success(ms(119)));
    assert_eq!(aimd.limit(), 20, "one for each");
    aimd.record_success(ms(121));
    assert_eq!(aimd.limit(), 18, "late: by a tenth");
    (0..100).for_each(|_| aimd.record_success(ms(300)));
    assert_eq!(aimd.limit(), 8, "not below the least");
    (0..100).for_each(|_| aimd.record_success(ms(20)));
    assert_eq!(aimd.limit(), 24, "nor above the most");
}

#[test]
fn vegas_grows_while_nothing_waits_and_keeps_a_short_queue() {
    let vegas = resilience::queueing(limits());
    (0..100).for_each(|_| vegas.record_success(ms(20)));
    assert_eq!(vegas.limit(), 24, "to its most");
    for _ in 0..200 {
        vegas.record_success(took(vegas.limit()));
    }
    let limit = vegas.limit();
    assert!((8..=9).contains(&limit), "{limit}: a queue of four");
    (0..300).for_each(|_| vegas.record_success(ms(500)));
    assert_eq!(vegas.limit(), 8, "not below the least");
}

#[test]
fn acc_raises_its_limit_while_the_queue_is_short_and_lowers_it_when_it_is_long() {
    let mut vegas = acc::vegas(limits());
    assert_eq!(vegas.max_concurrency(), 8);
    // Before it looks for a new baseline, which it does after some ten times its limit.
    for _ in 0..60 {
        let limit = vegas.max_concurrency();
        vegas.update(took(limit), limit, false, false);
    }
    let limit = vegas.max_concurrency();
    assert!(
        (7..=11).contains(&limit),
        "{limit}: a queue of three to six"
    );
    (0..20).for_each(|_| vegas.update(ms(500), limit, false, false));
    assert!(vegas.max_concurrency() < limit);

    let mut kept = acc::AtLeast {
        limit: 8,
        inner: vegas,
    };
    (0..20).for_each(|_| kept.update(ms(500), limit, false, false));
    assert_eq!(kept.max_concurrency(), 8, "not below the least");
    assert!(kept.inner.max_concurrency() < 8, "what it wanted");
}

/// What takes 20 ms when nobody waits, of which four at a time are worked on.
fn took(limit: usize) -> Duration {
    ms(20).mul_f64((f64::from(u32::try_from(limit).unwrap()) / 4.0).max(1.0))
}
