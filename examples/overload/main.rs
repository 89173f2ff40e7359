//! What becomes of a service that is asked for more than it can do, with and without dagor?
//!
//! ```text
//! cargo run --release --example overload
//! ```
//!
//! starts a real axum service on loopback whose handler burns about a millisecond of CPU, finds out how
//! much it can serve, and offers half of that, all of it, three times and ten times as much: over real
//! connections, at random moments, whether or not earlier calls were answered. Four policies take turns:
//! no control, tower's concurrency limit with load shed, dagor at the service alone, and dagor at the
//! service and at its callers. `-- --help` lists the options.
//!
//! Read `policy.rs` first: it is all that a user of the library writes.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for the terminal"
)]
#![expect(
    clippy::cast_precision_loss,
    reason = "counts of one run, far below what a double holds exactly"
)]

pub(crate) mod args;
mod caller;
mod chart;
mod connections;
mod cores;
mod exposition;
mod files;
mod generator;
pub(crate) mod json;
pub(crate) mod measure;
mod plan;
mod policy;
mod profile;
pub(crate) mod progress;
mod rng;
mod row;
mod serve;
mod server;
mod service;
mod table;
mod tally;
#[cfg(test)]
mod tests;
mod transient;
mod work;
mod workload;

use std::{env, ffi::OsString, fs, path::Path, process::ExitCode};

use tower::BoxError;

use args::{Action, HELP, Options};
use measure::measure;
use progress::Progress;
use table::Table;

fn main() -> ExitCode {
    start(env::args_os().skip(1))
}

/// Does what the arguments say; status 2 if they say nothing sensible.
pub(crate) fn start(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let options = match Options::parse(arguments) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), BoxError> {
    match options.action {
        Action::Help => print!("{HELP}"),
        Action::Serve(address) => serve::serve(address, options.serve_for)?,
        Action::Measure => {
            let report = measure(options, Progress::new())?;
            println!(
                "Capacity {:.0} calls/s (after the run {:.0}), seed {}\n",
                report.capacity_rps, report.capacity_after_rps, report.seed
            );
            print!("{}", Table(&report));
            write(&options.chart, &chart::of(&report))?;
            println!("Chart: {}", options.chart.display());
            if let Some(file) = &options.json {
                write(file, &format!("{:#}\n", json::of(&report)))?;
                println!("Figures: {}", file.display());
            }
        }
    }
    Ok(())
}

/// Writes a file and the folders it is in.
fn write(file: &Path, text: &str) -> Result<(), BoxError> {
    let fault = |error| format!("{}: {error}", file.display());
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(fault)?;
    }
    Ok(fs::write(file, text).map_err(fault)?)
}
