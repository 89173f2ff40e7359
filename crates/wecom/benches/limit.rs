//! What does leave for a call cost, where there is room?
//!
//! `local` is one acquire and settle with its two boxes, next to what comes nearest: a permit of tokio's semaphore (calls in
//! flight alone) and a check of governor (a pace alone, of one key). `redis` is one acquire as the caller sees it, the settle going on
//! beside it, next to one `INCR` over the same connection: a round trip and the smallest command.
//! Calls are spread over 64 corps, as no pace is finer than a call a microsecond. The last lines are what the server itself counted:
//! its time for each command.
#![expect(clippy::print_stdout, reason = "the server's own count is a result")]

use std::{hint::black_box, num::NonZeroU32, time::Duration};

use criterion::{
    BenchmarkGroup, Criterion, criterion_group, criterion_main, measurement::WallTime,
};
use governor::{Quota, RateLimiter};
use redis::{Client, aio::MultiplexedConnection};
use tokio::{
    runtime::{Builder, Runtime},
    sync::Semaphore,
};
use wecom::{
    Api, Clock, CorpId, Rank,
    limit::{Ask, Limiter, Limits, LocalLimiter, RedisLimiter, Sign, Window},
};

#[path = "../tests/support/redis.rs"]
mod server;

use server::RedisServer;

/// Limits that are never met.
fn limits() -> Limits {
    let window = Window::new(10_000_000, Duration::from_secs(10));
    Limits::default()
        .minute(window)
        .hour(window)
        .concurrency(1000)
        .lease(Duration::from_secs(10))
}

fn runtime() -> Runtime {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime")
}

fn corps() -> Vec<CorpId> {
    let corp = |number| CorpId::new(&format!("ww{number}"));
    let corps: Result<_, _> = (0..64).map(corp).collect();
    corps.expect("ids of corps")
}

/// Measures one acquire and settle, within one run of the runtime.
fn measure(group: &mut BenchmarkGroup<'_, WallTime>, runtime: &Runtime, limiter: &impl Limiter) {
    let (corps, clock) = (corps(), Clock::system());
    group.bench_function("acquire_settle", |bencher| {
        bencher.iter_custom(|times| {
            runtime.block_on(async {
                let start = clock.now();
                for corp in corps.iter().cycle().zip(0..times).map(|(corp, _)| corp) {
                    let permit = limiter.acquire(Ask {
                        corp,
                        api: Api::new("update_contact_way"),
                        rank: Rank::default(),
                        patience: Duration::from_secs(1),
                    });
                    permit.await.expect("there is room").settle(Sign::Served);
                }
                clock.now() - start
            })
        });
    });
}

fn local(criterion: &mut Criterion) {
    let (runtime, clock) = (runtime(), Clock::system());
    let mut group = criterion.benchmark_group("local");
    let limiter = LocalLimiter::new(limits(), clock).expect("limits in their ranges");
    measure(&mut group, &runtime, &limiter);

    let semaphore = Semaphore::new(5);
    group.bench_function("tokio_semaphore", |bencher| {
        bencher.iter_custom(|times| {
            runtime.block_on(async {
                let start = clock.now();
                for _ in 0..times {
                    drop(black_box(semaphore.acquire().await));
                }
                clock.now() - start
            })
        });
    });
    let governor = RateLimiter::direct(Quota::per_second(NonZeroU32::MAX));
    group.bench_function("governor", |bencher| {
        bencher.iter(|| black_box(governor.check()).is_ok());
    });
    group.finish();
}

fn shared(criterion: &mut Criterion) {
    let (redis, runtime, clock) = (RedisServer::start(), runtime(), Clock::system());
    let connection = runtime.block_on(async {
        let client = Client::open(redis.url()).expect("a URL");
        let connection = client.get_multiplexed_async_connection().await;
        connection.expect("Redis listens")
    });
    let mut group = criterion.benchmark_group("redis");
    let connected = RedisLimiter::connect(connection.clone(), limits());
    let limiter = runtime.block_on(connected).expect("Redis answers");
    measure(&mut group, &runtime, &limiter);

    group.bench_function("incr", |bencher| {
        bencher.iter_custom(|times| {
            let mut connection = connection.clone();
            let incr = redis::cmd("INCR").arg("count").to_owned();
            runtime.block_on(async {
                let start = clock.now();
                for _ in 0..times {
                    let count = incr.query_async(&mut connection);
                    black_box::<u64>(count.await.expect("Redis answers"));
                }
                clock.now() - start
            })
        });
    });
    group.finish();
    println!("{}", runtime.block_on(counted(connection)));
}

/// Returns what the server says of the commands that were measured.
async fn counted(mut connection: MultiplexedConnection) -> String {
    let asked = redis::cmd("INFO").arg("commandstats").to_owned();
    let told: String = asked
        .query_async(&mut connection)
        .await
        .expect("Redis answers");
    let wanted =
        |line: &&str| line.starts_with("cmdstat_evalsha") || line.starts_with("cmdstat_incr:");
    let lines: Vec<_> = told.lines().filter(wanted).collect();
    lines.join("\n")
}

criterion_group!(benches, local, shared);
criterion_main!(benches);
