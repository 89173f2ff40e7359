//! What does counting cost?
//!
//! A task of five requests is seventeen calls of the recorder, and its end gives five pieces of work back. `wide` is
//! a graph of 3,000 services, where each request is at another; caches matter there. Includes the loop and
//! its cheap arithmetic.

use std::{hint::black_box, time::Duration};

use chaos::{Scenario, measure::Recorder, scenario::Folder, wire::Call};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const TASKS: u64 = 100_000;
const REQUESTS: u64 = 5;

fn scenario(services: u32) -> Scenario {
    let text = format!(
        "purpose = \"counting\"\n[generated]\nkind = \"wechat\"\nservices = {services}\n\
         instances = {services}\n[[load]]\ntasks_per_s = 1.0\n"
    );
    Scenario::parse("bench.toml", &text, Folder::BuiltIn)
        .expect("a graph of a size that is allowed")
}

fn run(scenario: &Scenario) -> Recorder {
    let recorder = Recorder::new(scenario);
    let services = scenario.services.len();
    let mut service = 0;
    for task in 0..TASKS {
        let now = Duration::from_micros(task * 50);
        let call = Call {
            task,
            business: 0,
            number: 0,
            user: 0,
            place: 0,
            deadline: now,
            draw: task,
        };
        recorder.task_came(now, &call, 1);
        for _ in 0..REQUESTS {
            service = (service + 7) % services;
            recorder.arrived(now, service);
            recorder.started(now, service, Duration::from_millis(1));
            recorder.served(now, service, Duration::from_millis(2), &call);
        }
        recorder.task_ended(now, now, &call, 1, task % 3 > 0);
    }
    recorder
}

fn calls(c: &mut Criterion) {
    let mut group = c.benchmark_group("recorder/call");
    group.throughput(Throughput::Elements(TASKS * (3 * REQUESTS + 2)));
    group.sample_size(20);
    for (name, services) in [("narrow", 10), ("wide", 3_000)] {
        let scenario = scenario(services);
        group.bench_with_input(
            BenchmarkId::from_parameter(name),
            &scenario,
            |b, scenario| {
                b.iter(|| black_box(run(scenario)));
            },
        );
    }
    group.finish();
}

criterion_group!(benches, calls);
criterion_main!(benches);
