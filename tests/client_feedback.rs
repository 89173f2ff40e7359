//! Callees that speak no DAGOR: the level inferred from their refusals.
#![cfg(feature = "http")]
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::{io, time::Duration};

use dagor::{
    Business, Clock, Level, Priority, Task, User,
    client::{Callee, Client, ClientLayer, Feedback, GrpcFeedback, HttpFeedback, Inferred, Sign},
    clock::Hand,
    control::Constants,
    is_withheld,
};
use http::{Request, Response};
use tower::{Layer, Service, ServiceExt};

const MS: Duration = Duration::from_millis(1);

/// A third party that serves so many calls in each period and refuses the rest.
struct Quota {
    each: u32,
    period: Duration,
    began: Duration,
    used: u32,
    retry_after: Option<Duration>,
}

impl Quota {
    fn new(each: u32, period: Duration) -> Self {
        Self {
            each,
            period,
            began: Duration::ZERO,
            used: 0,
            retry_after: None,
        }
    }

    fn call(&mut self, now: Duration) -> Sign {
        while now >= self.began + self.period {
            self.began += self.period;
            self.used = 0;
        }
        if self.used == self.each {
            let retry_after = self.retry_after;
            return Sign::Refused { retry_after };
        }
        self.used += 1;
        Sign::Served
    }
}

/// What became of calls, per business.
#[derive(Debug, Default)]
struct Tally {
    wanted: [u32; 8],
    served: [u32; 8],
    refused: u32,
}

impl Tally {
    fn sent(&self) -> u32 {
        self.served_all() + self.refused
    }

    fn served_all(&self) -> u32 {
        self.served.iter().sum()
    }

    fn share_served(&self, business: usize) -> f64 {
        f64::from(self.served[business]) / f64::from(self.wanted[business])
    }
}

struct World {
    callee: Callee,
    clock: Clock,
    hand: Hand,
    random: u64,
}

impl World {
    fn new() -> Self {
        let (clock, hand) = Clock::manual();
        let callee = Callee::builder("contacts")
            .clock(clock.clone())
            .build()
            .unwrap();
        Self {
            callee,
            clock,
            hand,
            random: 1,
        }
    }

    /// A user drawn at random, from a fixed seed.
    fn user(&mut self) -> User {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        User::from_hash(self.random)
    }

    /// Calls `instance` at an even rate for so long, a quarter of business 0, one of 2 and half of 4, answered at once.
    fn run(
        &mut self,
        instance: &str,
        quota: &mut Quota,
        per_second: u32,
        length: Duration,
    ) -> Tally {
        let mut tally = Tally::default();
        let gap = Duration::from_secs(1) / per_second;
        let end = self.clock.now() + length;
        for business in [0_u8, 2, 4, 4].into_iter().cycle() {
            self.hand.advance(gap);
            if self.clock.now() > end {
                break;
            }
            let priority = Priority::new(Business::new(business), self.user());
            tally.wanted[usize::from(business)] += 1;
            let Ok(pass) = self.callee.decide(instance, priority) else {
                continue;
            };
            let sign = quota.call(self.clock.now());
            match sign {
                Sign::Served => tally.served[usize::from(business)] += 1,
                _ => tally.refused += 1,
            }
            pass.settle(sign);
        }
        tally
    }

    fn level(&self, instance: &str) -> Level {
        let snapshot = self.callee.snapshot();
        let mut known = snapshot.instances.iter();
        known.find(|i| &*i.instance == instance).unwrap().level
    }
}

#[test]
fn o7_a_hard_quota_at_three_times_demand_is_found_and_kept() {
    let mut world = World::new();
    // 100 a second, in tenths of a second.
    let mut quota = Quota::new(10, MS * 100);
    world.run("a", &mut quota, 300, MS * 5000);
    let tally = world.run("a", &mut quota, 300, MS * 60_000);
    let refused = f64::from(tally.refused) / f64::from(tally.sent());
    assert!(
        refused <= 0.05,
        "{refused} of the calls sent were refused: {tally:?}"
    );
    assert!(tally.share_served(0) >= 0.97, "{tally:?}");
    assert!(tally.share_served(4) <= 0.05, "{tally:?}");
    assert!(
        tally.served_all() >= 60 * 80,
        "the quota is used: {tally:?}"
    );
}

#[test]
fn o7_a_quota_of_seconds_is_kept_too() {
    let mut world = World::new();
    let mut quota = Quota::new(100, MS * 1000);
    world.run("a", &mut quota, 300, MS * 10_000);
    let tally = world.run("a", &mut quota, 300, MS * 60_000);
    let refused = f64::from(tally.refused) / f64::from(tally.sent());
    assert!(
        refused <= 0.10,
        "{refused} of the calls sent were refused: {tally:?}"
    );
    assert!(tally.share_served(0) >= 0.90, "{tally:?}");
    assert!(
        tally.served_all() >= 60 * 75,
        "the quota is used: {tally:?}"
    );
}

#[test]
fn a_few_calls_a_second_are_enough_to_learn_from() {
    let mut world = World::new();
    let mut quota = Quota::new(2, MS * 1000);
    world.run("a", &mut quota, 6, MS * 30_000);
    let tally = world.run("a", &mut quota, 6, MS * 300_000);
    let refused = f64::from(tally.refused) / f64::from(tally.sent());
    assert!(
        refused <= 0.35,
        "{refused} of the calls sent were refused: {tally:?}"
    );
    assert!(tally.share_served(0) >= 0.70, "{tally:?}");
}

#[test]
fn everything_passes_again_once_demand_is_below_the_quota() {
    let mut world = World::new();
    let mut quota = Quota::new(10, MS * 100);
    world.run("a", &mut quota, 300, MS * 5000);
    assert!(!world.level("a").is_open());
    world.run("a", &mut quota, 60, MS * 15_000);
    assert!(world.level("a").is_open());
    let tally = world.run("a", &mut quota, 60, MS * 5000);
    assert_eq!(tally.served_all(), tally.wanted.iter().sum::<u32>());
}

#[test]
fn o14_two_tenants_do_not_affect_each_other() {
    let mut world = World::new();
    let mut none = Quota::new(0, MS * 1000);
    let mut ample = Quota::new(u32::MAX, MS * 1000);
    for _ in 0..100 {
        world.run("tenant 1", &mut none, 300, MS * 100);
        let tally = world.run("tenant 2", &mut ample, 300, MS * 100);
        assert_eq!(tally.sent(), tally.wanted.iter().sum::<u32>());
    }
    assert!(world.level("tenant 2").is_open());
    assert!(!world.level("tenant 1").is_open());
}

#[test]
fn a_trickle_always_passes() {
    let mut world = World::new();
    let mut none = Quota::new(0, MS * 1000);
    none.retry_after = Some(Duration::from_secs(3600));
    world.run("a", &mut none, 300, MS * 5000);
    let least = Priority::LEAST_IMPORTANT;
    let passed = (0..100)
        .filter(|_| {
            world.hand.advance(MS * 100);
            let pass = world.callee.decide("a", least);
            pass.map(|pass| pass.settle(Sign::Failed)).is_ok()
        })
        .count();
    assert_eq!(passed, 10, "one a second");
}

#[test]
fn a_retry_after_holds_the_level_and_is_bounded() {
    let mut world = World::new();
    let mut quota = Quota::new(0, MS * 1000);
    quota.retry_after = Some(Duration::from_secs(30));
    world.run("a", &mut quota, 300, MS * 1000);
    let refused = world.level("a");
    let withheld = world
        .callee
        .decide("a", Priority::LEAST_IMPORTANT)
        .unwrap_err();
    let asked = withheld.retry_after().unwrap();
    assert!(
        asked > Duration::from_secs(29) && asked <= Duration::from_secs(30),
        "{asked:?}"
    );

    let mut ample = Quota::new(u32::MAX, MS * 1000);
    world.run("a", &mut ample, 300, MS * 29_000);
    assert!(world.level("a") <= refused, "held");
    world.run("a", &mut ample, 300, MS * 15_000);
    assert!(world.level("a").is_open());

    let mut mistaken = Quota::new(0, MS * 1000);
    mistaken.retry_after = Some(Duration::MAX);
    world.run("a", &mut mistaken, 300, MS * 1000);
    let withheld = world
        .callee
        .decide("a", Priority::LEAST_IMPORTANT)
        .unwrap_err();
    assert!(
        withheld.retry_after().unwrap() <= Duration::from_secs(60),
        "no more is believed"
    );
}

#[test]
fn a_cancelled_call_is_neither_served_nor_refused() {
    let world = World::new();
    let pass = world.callee.decide("a", Priority::LEAST_IMPORTANT).unwrap();
    assert_eq!(world.callee.snapshot().instances[0].outstanding, 1);
    drop(pass);
    assert_eq!(world.callee.snapshot().instances[0].outstanding, 0);
    assert!(world.level("a").is_open());
}

#[test]
fn a_task_remembers_who_served_it() {
    let world = World::new();
    let task = Task::new(Priority::LEAST_IMPORTANT);
    for sign in [Sign::Failed, Sign::Refused { retry_after: None }] {
        world.callee.decide_for("a", &task).unwrap().settle(sign);
        assert_eq!(task.progress("contacts"), dagor::Progress::New);
    }
    world.hand.advance(Duration::from_secs(1));
    world
        .callee
        .decide_for("a", &task)
        .unwrap()
        .settle(Sign::Served);
    assert_eq!(task.progress("contacts"), dagor::Progress::InProgress);
}

/// A response that is none of HTTP's, as of a third party's own client.
#[derive(Debug)]
struct Reply {
    errcode: i64,
}

struct ErrorCodes;

impl Feedback<Reply, io::Error> for ErrorCodes {
    fn classify(&self, result: &Result<Reply, io::Error>) -> Sign {
        match result {
            Ok(reply) if reply.errcode == 45009 => Sign::Refused { retry_after: None },
            Ok(_) => Sign::Served,
            Err(_) => Sign::Failed,
        }
    }
}

#[tokio::test]
async fn any_response_type_can_be_read() {
    let (clock, hand) = Clock::manual();
    let callee = Callee::builder("contacts").clock(clock).build().unwrap();
    let channel = tower::service_fn(|request: Request<i64>| async move {
        Ok::<_, io::Error>(Reply {
            errcode: request.into_body(),
        })
    });
    let layer: ClientLayer<Inferred<ErrorCodes>> = callee.instance("corp 1").feedback(ErrorCodes);
    let mut service: Client<_, Inferred<ErrorCodes>> = layer.layer(channel);
    let reply = service
        .ready()
        .await
        .unwrap()
        .call(Request::new(0))
        .await
        .unwrap();
    assert_eq!(reply.errcode, 0);
    for _ in 0..50 {
        hand.advance(MS * 20);
        let _ = service
            .ready()
            .await
            .unwrap()
            .call(Request::new(45009))
            .await;
    }
    let error = service
        .ready()
        .await
        .unwrap()
        .call(Request::new(0))
        .await
        .unwrap_err();
    assert!(is_withheld(&*error));

    fn check<T: Clone + Send + Sync>(_: &T) {}
    check(&service);
}

fn sign(
    feedback: &impl Feedback<Response<()>, io::Error>,
    status: u16,
    header: (&str, &str),
) -> Sign {
    let (name, value) = header;
    let response = Response::builder().status(status).header(name, value);
    feedback.classify(&Ok(response.body(()).unwrap()))
}

const fn refused(retry_after: Option<Duration>) -> Sign {
    Sign::Refused { retry_after }
}

/// The constants of a callee are taken as they come; a call must not panic because of them.
#[test]
fn constants_that_make_no_sense_stop_nobody() {
    let usual = Constants::dagor;
    let (none, longest) = (f64::NAN, Duration::MAX);
    let senseless = [
        Constants {
            well_below: none,
            ..usual()
        },
        Constants {
            threshold: longest,
            ..usual()
        },
        Constants {
            longest_window: longest,
            ..usual()
        },
        Constants {
            memory: none,
            margin: none,
            down: -1.0,
            ..usual()
        },
        Constants {
            window: Duration::ZERO,
            longest_window: Duration::ZERO,
            ..usual()
        },
    ];
    for constants in senseless {
        let (clock, hand) = Clock::manual();
        let callee = Callee::builder("contacts")
            .clock(clock)
            .constants(constants);
        let callee = callee.build().unwrap();
        for call in 0..500 {
            hand.advance(25 * MS);
            let Ok(pass) = callee.decide("instance", Priority::MOST_IMPORTANT) else {
                continue;
            };
            pass.settle(match call {
                0..50 => refused(Some(Duration::MAX)),
                _ => Sign::Served,
            });
        }
    }
}

#[test]
fn http_refusals_are_read() {
    let read = |status, value| sign(&HttpFeedback, status, ("retry-after", value));
    assert_eq!(read(429, "120"), refused(Some(Duration::from_secs(120))));
    assert_eq!(read(503, "0"), refused(Some(Duration::ZERO)));
    assert_eq!(read(503, "Wed, 21 Oct 2026 07:28:00 GMT"), refused(None));
    assert_eq!(read(503, "-1"), refused(None));
    assert_eq!(read(500, "1"), Sign::Served);
    assert_eq!(read(200, "1"), Sign::Served);
    let failed: Result<Response<()>, _> = Err(io::Error::other("reset"));
    assert_eq!(HttpFeedback.classify(&failed), Sign::Failed);
}

#[test]
fn grpc_refusals_are_read() {
    let status = |value| sign(&GrpcFeedback, 200, ("grpc-status", value));
    assert_eq!(status("8"), refused(None));
    assert_eq!(status("0"), Sign::Served);
    assert_eq!(status("14"), Sign::Served);
    let proxy = sign(&GrpcFeedback, 503, ("retry-after", "1"));
    assert_eq!(proxy, refused(Some(Duration::from_secs(1))));

    let pushback = |value: &str| {
        let response = Response::builder().header("grpc-status", "8");
        let response = response
            .header("grpc-retry-pushback-ms", value)
            .body(())
            .unwrap();
        GrpcFeedback.classify(&Ok::<_, io::Error>(response))
    };
    assert_eq!(pushback("1500"), refused(Some(MS * 1500)));
    assert_eq!(pushback("-1"), refused(None));
}
