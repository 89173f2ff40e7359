//! How many permits should a service have: adaptive, fixed, or no limit?
//!
//! ```text
//! cargo bench --bench concurrency
//! ```
//!
//! Four kinds of handlers on one worker and on two, each with its capacity found in the same run, at
//! 0.8, 1 and 3 times that capacity, over real connections. The load generator has a core of its own with
//! one worker and shares both with two. The figures are goodput (calls served within 500 ms, as a share of
//! what could be served) and latency of the served; the table is that of `docs/design.md`. Takes about
//! five minutes on two quiet cores. `-- cpu` or `-- 1` runs the rows whose name has it.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal"
)]
#![expect(
    clippy::cast_precision_loss,
    reason = "counts of one run, far below what a double holds exactly"
)]

mod handler;
#[expect(dead_code, reason = "what the example needs and this does not")]
mod overload;
mod server;

use std::{num::NonZeroUsize, time::Duration};

use dagor::{Concurrency, client::Callee};
use tower::ServiceBuilder;

use handler::{Handler, Kind};
use overload::{
    BoxError,
    caller::Caller,
    connections::{Connections, Protocol},
    cores::Cores,
    files,
    generator::{self, Offer},
    profile::Profile,
    tally::Tally,
    work::Work,
};
use server::Server;

/// Seed of the arrivals, printed.
const SEED: u64 = 1;

/// Most calls under way at a time.
const CONNECTIONS: usize = 4_000;

const START: Duration = Duration::from_millis(1_000);
const COUNTED: Duration = Duration::from_millis(2_000);
const REST: Duration = Duration::from_millis(300);

fn main() -> Result<(), BoxError> {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    let (cores, note) = Cores::find();
    let (connections, fewer) = files::connections(CONNECTIONS);
    for note in note.iter().chain(&fewer) {
        eprintln!("note: {note}");
    }
    let work = Work::calibrate(cores)?;
    println!("seed {SEED}; goodput; mean / p99 ms of the served\n");
    println!("| handler | workers | permits | 0.8x | 1x | 3x | permits at 3x |");
    println!("|---|---|---|---|---|---|---|");
    for kind in Kind::ALL {
        for workers in [1, 2] {
            let name = format!("{} {workers}", kind.name());
            if !wanted.is_empty() && !wanted.iter().any(|part| name.contains(part)) {
                continue;
            }
            let bench = Bench {
                kind,
                workers,
                work,
                cores,
                connections,
            };
            bench.rows()?;
        }
    }
    Ok(())
}

/// One kind of handler on so many workers.
#[derive(Clone, Copy)]
struct Bench {
    kind: Kind,
    workers: usize,
    work: Work,
    cores: Cores,
    connections: usize,
}

impl Bench {
    fn rows(&self) -> Result<(), BoxError> {
        let capacity = self.capacity()?;
        let fixed = NonZeroUsize::new(self.kind.permits(self.workers)).unwrap_or(NonZeroUsize::MIN);
        let limits = [
            ("none", None),
            ("unlimited", Some(Concurrency::Unlimited)),
            ("adaptive", Some(Concurrency::default())),
            ("fixed", Some(Concurrency::Fixed(fixed))),
        ];
        for (name, limit) in limits {
            let mut cells = String::new();
            let mut permits = None;
            for load in [0.8, 1.0, 3.0] {
                let (tally, now) = self.run(limit.clone(), load, capacity)?;
                permits = now;
                cells += &format!(" {} |", cell(&tally, load, capacity));
            }
            let name = match name {
                "fixed" => format!("fixed {fixed}"),
                _ => name.to_owned(),
            };
            let permits = permits.map_or_else(|| "-".to_owned(), |permits| permits.to_string());
            println!(
                "| {} | {} | {name} |{cells} {permits} |",
                self.kind.name(),
                self.workers
            );
        }
        println!(
            "| {}, capacity {capacity:.0}/s | {} | | | | | |",
            self.kind.name(),
            self.workers
        );
        Ok(())
    }

    /// What the handler can do without anything in front of it.
    fn capacity(&self) -> Result<f64, BoxError> {
        let server = self.server(None)?;
        let (address, outstanding) = (server.address(), self.kind.outstanding(self.workers));
        let connections = self.connections.min(1_000);
        generator::run(
            self.cores,
            || {},
            move || async move {
                let connections = Connections::open(address, Protocol::Http1, connections).await?;
                let caller = Caller::new(connections);
                let times = (Duration::from_millis(500), Duration::from_millis(1_500));
                Ok(generator::closed_loop(address, caller, outstanding, times).await)
            },
        )
    }

    fn run(
        &self,
        limit: Option<Concurrency>,
        load: f64,
        capacity: f64,
    ) -> Result<(Tally, Option<usize>), BoxError> {
        let protected = limit.is_some();
        let server = self.server(limit)?;
        let offer = Offer {
            address: server.address(),
            profile: Profile::steady(load, START, COUNTED, REST),
            capacity,
            calls_per_task: 1,
            seed: SEED,
        };
        let connections = self.connections;
        let tally = generator::run(
            self.cores,
            || {},
            move || async move {
                let connections =
                    Connections::open(offer.address, Protocol::Http1, connections).await?;
                let caller = || {
                    if !protected {
                        return Caller::new(connections.clone());
                    }
                    let callee = Callee::new("bench").layer();
                    Caller::new(
                        ServiceBuilder::new()
                            .layer(callee)
                            .service(connections.clone()),
                    )
                };
                let callers = vec![caller(), caller()];
                Ok(generator::open_loop(offer, callers).await)
            },
        )?;
        Ok((tally, server.permits()))
    }

    fn server(&self, limit: Option<Concurrency>) -> Result<Server, BoxError> {
        let handler = Handler::new(self.kind, self.work);
        Server::start(handler, limit, self.workers, self.cores)
    }
}

/// Goodput as a share of what could be served, and the latency of the served.
fn cell(tally: &Tally, load: f64, capacity: f64) -> String {
    let in_time = tally.tasks.iter().filter(|task| task.in_time).count();
    let possible = capacity * load.min(1.0) * COUNTED.as_secs_f64();
    let ms = |time: Option<Duration>| time.map_or(f64::NAN, |time| time.as_secs_f64() * 1e3);
    let calls = &tally.calls;
    let mean = calls.mean(calls.latencies.iter().sum());
    format!(
        "{:.2}; {:.0}/{:.0}",
        in_time as f64 / possible,
        ms(mean),
        ms(calls.quantile(0.99))
    )
}
