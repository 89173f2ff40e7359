//! How many requests a second does virtual time work off on one core?
//!
//! Three tiers of three instances, one call each, half a millisecond of network: 15,000 tasks a second, all of which
//! have room. The figures include everything that a run is: drawing the tasks, the executor, the services, the
//! counting, and building it all (some 100 us). An element is a request at a service.

use std::time::Duration;

use chaos::{Scenario, policy::Name, scenario::Folder};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const TIERS: &str = r#"
purpose = "Three tiers"
seed = 7
duration_s = 2
network_ms = 0.5

[[service]]
name = "A"
instances = 3
workers = 200
service_ms = 2

[[service]]
name = "B"
instances = 3
workers = 200
service_ms = 2

[[service]]
name = "C"
instances = 3
workers = 40
service_ms = 5

[[call]]
from = "A"
to = "B"

[[call]]
from = "B"
to = "C"

[[business]]
name = "tasks"
number = 0
entry = "A"

[[load]]
tasks_per_s = 15000

[[criterion]]
name = "goodput"
measure = "goodput"
at_least = 0.9
"#;

fn tiers(c: &mut Criterion) {
    let scenario =
        Scenario::parse("tiers.toml", TIERS, Folder::BuiltIn).expect("it has no mistake");
    let mut group = c.benchmark_group("graph/three-tiers");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(10));
    for name in [Name::None, Name::Dagor] {
        let run = || chaos::sim::run(&scenario, name, scenario.seed).expect("it is simulated");
        group.throughput(Throughput::Elements(run().requests));
        group.bench_function(BenchmarkId::from_parameter(name), |b| b.iter(run));
    }
    group.finish();
}

criterion_group!(benches, tiers);
criterion_main!(benches);
