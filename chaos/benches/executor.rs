//! What does a task in virtual time cost, and what a timer?
//!
//! A task is spawned at its arrival, sleeps three times, under a deadline that it meets (a fourth timer, which is
//! dropped), and ends: what a request is to the executor. The figures include the task's own arithmetic (three
//! exponential draws, some 10 ns each) and its allocation. `alive` is how many tasks there are at a time,
//! which is what timers are sorted among: caches matter more than algorithms here.

use std::{future::poll_fn, hint::black_box, pin::pin, task::Poll, time::Duration};

use chaos::{
    sim::{Executor, Handle},
    world::Chance,
};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const TASKS: u32 = 100_000;
/// Mean of one sleep.
const SLEEP: Duration = Duration::from_millis(5);
const DEADLINE: Duration = Duration::from_millis(500);

/// Sleeps under a deadline, as a `select` of the two would.
async fn within(handle: Handle, deadline: Duration, mut chance: Chance) {
    let mut deadline = pin!(handle.sleep_until(deadline));
    for _ in 0..3 {
        let until = handle.now() + chance.exponential_time(SLEEP);
        let mut sleep = pin!(handle.sleep_until(until));
        let in_time = poll_fn(|cx| match sleep.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(true),
            Poll::Pending => deadline.as_mut().poll(cx).map(|()| false),
        });
        if !in_time.await {
            return;
        }
    }
}

/// Tasks arrive so fast that `alive` of them are under way.
async fn arrivals(handle: Handle, alive: u32, tasks: u32) {
    let mut chance = Chance::new(1, "arrivals", alive.into());
    let gap = SLEEP * 3 / alive;
    let mut next = Duration::ZERO;
    for _ in 0..tasks {
        next += chance.exponential_time(gap);
        handle.sleep_until(next).await;
        let task = within(handle.clone(), next + DEADLINE, chance.clone());
        handle.spawn(task);
    }
}

fn run(alive: u32) -> u64 {
    let mut executor = Executor::new(Duration::ZERO);
    let handle = executor.handle().clone();
    handle.spawn(arrivals(handle.clone(), alive, TASKS));
    executor.run_to_end(Duration::MAX);
    executor.events()
}

fn tasks(c: &mut Criterion) {
    let mut group = c.benchmark_group("executor/task");
    group
        .throughput(Throughput::Elements(TASKS.into()))
        .sample_size(20);
    for alive in [10, 1_000, 30_000] {
        group.bench_with_input(BenchmarkId::from_parameter(alive), &alive, |b, &alive| {
            b.iter(|| black_box(run(alive)));
        });
    }
    group.finish();
}

/// Timers alone: `alive` tasks that each sleep again and again.
fn timers(c: &mut Criterion) {
    const SLEEPS: u32 = 200_000;
    let mut group = c.benchmark_group("executor/timer");
    group
        .throughput(Throughput::Elements(SLEEPS.into()))
        .sample_size(20);
    for alive in [10_u32, 1_000, 100_000] {
        group.bench_with_input(BenchmarkId::from_parameter(alive), &alive, |b, &alive| {
            b.iter_batched(
                || {
                    let mut executor = Executor::new(Duration::ZERO);
                    for task in 0..alive {
                        let handle = executor.handle().clone();
                        executor.handle().spawn(async move {
                            let mut chance = Chance::new(1, "sleeper", task.into());
                            loop {
                                let span = chance.exponential_time(SLEEP);
                                handle.sleep_until(handle.now() + span).await;
                            }
                        });
                    }
                    executor.run_until(SLEEP * 2);
                    executor
                },
                |mut executor| {
                    let span = SLEEP * SLEEPS / alive;
                    executor.run_until(SLEEP * 2 + span);
                    executor
                },
                criterion::BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, tasks, timers);
criterion_main!(benches);
