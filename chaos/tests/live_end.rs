//! Nothing is left of a run on real sockets: no thread, no socket.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::fs;

use chaos::{
    Scenario,
    live::run,
    policy::Name,
    scenario::{Folder, Protocol},
};
use dagor::Clock;

const SCENARIO: &str = r#"
purpose = "an end"
engines = ["live"]
duration_s = 1
deadline_ms = 200

[[service]]
name = "A"
instances = 2
workers = "unlimited"
service_ms = 0

[[service]]
name = "M"
instances = 2
workers = 4
service_ms = 20

[[call]]
from = "A"
to = "M"
calls = 2

[[business]]
name = "task"
entry = "A"

[[load]]
times_capacity = 2.0
"#;

/// What this process has: threads, and open files (sockets, mostly).
fn held() -> (usize, usize) {
    let count = |folder: &str| fs::read_dir(folder).unwrap().count();
    (count("/proc/self/task"), count("/proc/self/fd"))
}

#[test]
fn all_threads_and_sockets_are_gone_at_the_end() {
    let mut scenario = Scenario::parse("end.toml", SCENARIO, Folder::BuiltIn).unwrap();
    // tokio's pair of sockets for signals is the process's, made with its first runtime.
    drop(
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap(),
    );
    let before = held();
    for protocol in [Protocol::Http, Protocol::Grpc] {
        scenario.services[1].protocol = protocol;
        for name in [Name::None, Name::Dagor] {
            let outcome = run(&scenario, name, 3).unwrap();
            let served: u32 = outcome.services[1].served.iter().sum();
            assert!(
                served > 100,
                "{protocol:?}, {name}: {served} of some 400 calls"
            );
            // A thread that was told to end still has to.
            let clock = Clock::system();
            let patience = clock.now() + std::time::Duration::from_secs(10);
            while held() != before && clock.now() < patience {
                std::thread::yield_now();
            }
            assert_eq!(held(), before, "{protocol:?}, {name}: threads, files");
        }
    }
}
