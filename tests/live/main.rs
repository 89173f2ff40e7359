//! Real sockets and real work on the processor. Everything is judged by ratios within one run, the best of
//! three, because the machine may be busy with something else.
#![cfg(all(feature = "axum", feature = "tonic"))]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up must stop where it is"
)]

#[path = "../support/load.rs"]
mod load;
#[path = "../support/sockets.rs"]
mod sockets;
#[path = "../support/mod.rs"]
mod support;

mod blind;
mod burning;
mod pool;
mod streams;

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{Router, routing::get};
use dagor::{Admission, Clock, Concurrency, Settings, admission::Builder};
use load::{Load, Outcome};
use sockets::{Host, Setup, Version};

/// Two loads at once would measure each other.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prints a figure; shown with `--nocapture` and when the test fails.
#[expect(
    clippy::print_stdout,
    reason = "figures are what these tests are read for"
)]
fn figure(text: &str) {
    println!("{text}");
}

/// Tries up to three times and panics with every fault that was found.
fn best_of_three(mut attempt: impl FnMut() -> Result<(), String>) {
    let _alone = alone();
    let mut faults = Vec::new();
    for _ in 0..3 {
        match attempt() {
            Ok(()) => return,
            Err(fault) => faults.push(fault),
        }
    }
    panic!("{faults:#?}");
}

fn check(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

/// Keeps the processor busy for `time`, without awaiting.
fn burn(time: Duration) {
    let clock = Clock::system();
    let end = clock.now() + time;
    while clock.now() < end {
        std::hint::spin_loop();
    }
}

/// A service whose handler keeps the processor busy for `time`.
fn burner(time: Duration) -> Router {
    Router::new().route("/", get(async move || burn(time)))
}

fn fixed(permits: usize) -> Builder {
    let settings = Settings {
        concurrency: Concurrency::Fixed(permits.try_into().unwrap()),
        ..Settings::default()
    };
    Admission::builder("live").settings(settings)
}

/// Three times what the workers of `setup` can do with handlers that take `time`.
fn three_times(version: Version, setup: Setup, time: Duration) -> Load {
    #[expect(clippy::cast_precision_loss, reason = "one or two")]
    let capacity = setup.workers as f64 / time.as_secs_f64();
    Load {
        version,
        connections: match version {
            Version::Http1 => 500,
            Version::Http2 => 4,
        },
        per_second: 3.0 * capacity,
        warm: Duration::from_millis(800),
        time: Duration::from_millis(1200),
        deadline: Duration::from_millis(500),
        seed: 24,
    }
}

/// Runs `load` against `app` and returns what came of it; `watch` is called meanwhile.
fn under(
    load: Load,
    setup: Setup,
    admission: Option<&Admission>,
    app: Router,
    watch: impl FnMut(),
) -> Outcome {
    let host = Host::new(setup, admission, app);
    load.run(host.address, watch)
}
