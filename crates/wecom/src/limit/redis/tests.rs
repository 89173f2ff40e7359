//! The scripts held against the book of one process, on a Redis that does not tell the time, so that it can be set.

use proptest::prelude::*;
use redis::{Client, aio::MultiplexedConnection};
use tokio::runtime::{Builder, Runtime};

use super::{office::POLL, *};
use crate::{
    clock::Clock,
    limit::{
        Sign, Window,
        book::{Book, End, Verdict},
        plan::{Micros, duration, micros},
    },
    rank::Rank,
    redis_server::RedisServer,
};

mod adverse;

const SECOND: Micros = 1_000_000;
const FIRST: Rank = Rank::MOST_IMPORTANT;

/// One (corp, API) in a Redis, and the time.
struct Bench {
    office: Office<MultiplexedConnection>,
    keys: [String; 3],
    runtime: Arc<Runtime>,
}

impl Bench {
    /// Returns the same (corp, API) as another process with other limits sees it.
    fn seen_by(&self, other: &Self) -> Self {
        Self {
            office: other.office.again(),
            keys: self.keys.clone(),
            runtime: Arc::clone(&self.runtime),
        }
    }

    /// Asks `count` times at this moment, each call ending at once; returns how many were granted.
    fn calls(&self, count: u32, now: Micros) -> u32 {
        let mut granted = 0;
        for _ in 0..count {
            let lease = rand::random::<u64>().to_string();
            let (kind, at, _) = self.ask(&lease, FIRST, now);
            if kind == 1 {
                granted += 1;
                self.give_back((&lease, at), End::Sent(Sign::Served), now);
            }
        }
        granted
    }

    fn command<T: redis::FromRedisValue>(&self, name: &str, arguments: &[&str]) -> T {
        let mut connection = self.office.connection.clone();
        let mut command = redis::cmd(name);
        command.arg(arguments);
        let answer = self.runtime.block_on(command.query_async(&mut connection));
        answer.expect("Redis answers")
    }

    fn ask(&self, lease: &str, rank: Rank, now: Micros) -> (i64, Micros, Micros) {
        let asked = self
            .office
            .ask(&self.keys, lease, (rank, Duration::ZERO), now);
        self.runtime.block_on(asked).expect("Redis answers")
    }

    fn give_back(&self, lease: (&str, Micros), end: End, now: Micros) {
        let given = self.office.give_back(&self.keys, lease, end, now);
        self.runtime.block_on(given).expect("Redis answers");
    }
}

struct Timeless {
    _server: RedisServer,
    runtime: Arc<Runtime>,
    connection: MultiplexedConnection,
}

impl Timeless {
    fn start() -> Self {
        Self::of(RedisServer::start_with(&["--rename-command", "TIME", ""]))
    }

    fn of(server: RedisServer) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = Arc::new(runtime.expect("a runtime"));
        let client = Client::open(server.url()).expect("a URL");
        let connection = runtime.block_on(client.get_multiplexed_async_connection());
        Self {
            connection: connection.expect("Redis listens"),
            _server: server,
            runtime,
        }
    }

    /// Returns a bench with a corp of its own.
    fn bench(&self, limits: Limits) -> Bench {
        let connected = RedisLimiter::connect(self.connection.clone(), limits);
        let limiter = self.runtime.block_on(connected).expect("right limits");
        let office = limiter.0.office.again();
        let keys = ["state", "ring", "leases"].map(|part| format!("{{{}}}:{part}", office.who));
        Bench {
            office,
            keys,
            runtime: Arc::clone(&self.runtime),
        }
    }
}

/// Limits small enough that a random sequence meets all of them, and long enough that no key ends of age meanwhile.
fn limits() -> impl Strategy<Value = Limits> {
    let window = (8_u32..60, 60_u64..120, 1_u32..8);
    (window, 1_u32..6, 3_u32..40).prop_map(|((calls, seconds, share), cap, ratio)| {
        let seconds_of = Duration::from_secs;
        let minute = seconds_of(seconds);
        Limits::default()
            .minute(Window::new(calls, minute))
            .hour(Window::new((calls * ratio / share).max(8), minute * ratio))
            .concurrency(cap)
            .lease(minute)
            .block(seconds_of(5), seconds_of(50), seconds_of(10))
            .hold(seconds_of(10), seconds_of(100))
            .after_abnormal(seconds_of(10), seconds_of(40))
            .after_concurrency(Duration::from_millis(200), 2)
    })
}

/// How much time passes, how far the asker's clock is behind, its rank, and how an old call ends.
type Step = (Micros, Micros, u16, u8);

fn step() -> impl Strategy<Value = Step> {
    let pause = prop_oneof![
        4 => 0..2_000_u64,
        4 => 0..2 * SECOND,
        1 => 0..60 * SECOND,
        1 => 0..1000 * SECOND,
    ];
    let behind = prop_oneof![3 => Just(0), 1 => 0..3 * SECOND];
    (pause, behind, any::<u16>(), any::<u8>())
}

fn ending(number: u8) -> End {
    match number {
        0..4 => End::Sent(Sign::Frequency),
        4..12 => End::Sent(Sign::Concurrency),
        12..15 => End::Sent(Sign::Abnormal),
        15..40 => End::Sent(Sign::Lost),
        40..70 => End::Unused,
        _ => End::Sent(Sign::Served),
    }
}

fn same_in_both(bench: &Bench, steps: Vec<Step>) -> Result<(), TestCaseError> {
    let plan = &bench.office.plan;
    let lasts = micros(plan.limits.lease);
    let mut book = Book::default();
    let mut flying: Vec<(String, Micros)> = Vec::new();
    // As the calendar: far beyond 32 bits.
    let (mut time, mut last) = (1_700_000_000 * SECOND, 0);
    for (number, (pause, behind, rank, end)) in steps.into_iter().enumerate() {
        time += pause;
        let (now, rank) = (time - behind, Rank::new(rank));
        if end % 3 > 0 && !flying.is_empty() {
            let (lease, granted) = flying.remove(usize::from(end) % flying.len());
            let ending = ending(end);
            book.settle(plan, now, granted, ending);
            bench.give_back((&lease, granted), ending, now);
            if let End::Sent(Sign::Frequency | Sign::Concurrency | Sign::Abnormal) = ending {
                last = now.max(last);
            }
        }
        // A book does not end what is in flight by itself.
        let seen = now.max(last);
        while let Some(index) = flying.iter().position(|(_, at)| at + lasts <= seen) {
            let (_, granted) = flying.remove(index);
            book.settle(plan, now, granted, End::Sent(Sign::Lost));
        }
        let lease = number.to_string();
        let cost = book.cost(plan, seen);
        let verdict = book.ask(plan, now, rank);
        let told = bench.ask(&lease, rank, now);
        let expected = match verdict {
            Verdict::After(time) => (0, time, cost),
            Verdict::Granted { at } => (1, at, cost),
            Verdict::Full => (2, micros(POLL), cost),
        };
        prop_assert_eq!(told, expected, "step {}", number);
        if let Verdict::Granted { at } = verdict {
            last = at;
            flying.push((lease, at));
        }
    }
    Ok(())
}

#[test]
fn the_scripts_reckon_as_the_book_does() {
    let redis = Timeless::start();
    let config = ProptestConfig {
        cases: 150,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let steps = prop::collection::vec(step(), 1..150);
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let result = runner.run(&(limits(), steps), |(limits, steps)| {
        same_in_both(&redis.bench(limits), steps)
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

#[test]
fn the_scripts_reckon_as_the_book_does_with_the_usual_limits() {
    let redis = Timeless::start();
    let bench = redis.bench(Limits::default());
    let plan = &bench.office.plan;
    let mut book = Book::default();
    let mut now = 1_700_000_000 * SECOND;
    for number in 0..20_000_u64 {
        let lease = number.to_string();
        match book.ask(plan, now, FIRST) {
            Verdict::Granted { at } => {
                assert_eq!(bench.ask(&lease, FIRST, now).1, at, "call {number}");
                let sign = if number == 9_000 {
                    Sign::Frequency
                } else {
                    Sign::Served
                };
                book.settle(plan, now, at, End::Sent(sign));
                bench.give_back((&lease, at), End::Sent(sign), now);
            }
            Verdict::After(time) => {
                assert_eq!(bench.ask(&lease, FIRST, now).1, time, "call {number}");
                now += time;
            }
            Verdict::Full => panic!("every call has ended"),
        }
    }
}

#[test]
fn r1_a_clock_that_is_behind_refills_nothing() {
    let redis = Timeless::start();
    let bench = redis.bench(Limits::default().concurrency(100));
    let mut granted = 0;
    for seconds in [100, 90, 100, 80, 100] {
        for number in 0..50 {
            let lease = format!("{seconds}:{number}:{granted}");
            let (kind, ..) = bench.ask(&lease, FIRST, seconds * SECOND);
            granted += kind;
        }
    }
    assert_eq!(granted, 25, "a burst");
}

#[test]
fn what_was_granted_unheard_is_given_back_whole() {
    let redis = Timeless::start();
    let bench = redis.bench(Limits::default());
    for number in 0..100 {
        let (kind, ..) = bench.ask("lost", FIRST, 1000 * SECOND);
        assert_eq!(kind, 1, "round {number}");
        bench.give_back(("lost", 0), End::Unused, 1000 * SECOND + 5);
        // Nothing is given twice, nor for what was never granted.
        bench.give_back(("lost", 0), End::Unused, 1000 * SECOND + 5);
        bench.give_back(("other", 0), End::Unused, 1000 * SECOND + 5);
    }
    for _ in 0..5 {
        bench.ask(&rand::random::<u64>().to_string(), FIRST, 1000 * SECOND);
    }
    let (kind, ..) = bench.ask("sixth", FIRST, 1000 * SECOND);
    assert_eq!(kind, 2, "five are in flight, which is all");
}
