//! The command line. The texts here are the manual.

use std::{net::SocketAddr, path::PathBuf};

use clap::{Args, Parser, Subcommand, value_parser};

const AFTER: &str = "\
Exit status: 0 if it did what it was asked; 1 if the demonstration found something that is not as it should be; 2 for \
a bad profile, wrong usage, or what the system did not let happen, such as a port that is taken. Every mistake is a \
line on standard error.

Examples:
  wecom-sim profile > mine.toml && wecom-sim check mine.toml
  wecom-sim serve --listen 127.0.0.1:8400 --profile mine.toml
  curl -s http://127.0.0.1:8400/admin/truth
  wecom-sim demo";

const AFTER_SERVE: &str = "\
The first line on standard output is the base of all addresses, such as http://127.0.0.1:8400, so that whoever asked \
for port 0 knows the port. The interface is under /cgi-bin, the admin interface under /admin: GET /admin lists what it \
can. Ctrl-C or SIGTERM ends it. If standard output is closed or /dev/null, a line on standard error tells the address.

Nobody is asked for a password at /admin, and callbacks can be sent from there: that is why an address of another \
machine is refused unless --expose says that it is meant.

Examples:
  wecom-sim serve --profile mine.toml
  wecom-sim serve --listen 127.0.0.1:0 --seed 7";

/// What TOML's own numbers have.
const MOST_SEED: u64 = i64::MAX.unsigned_abs();

/// A WeCom that can misbehave on purpose, to test clients against.
#[derive(Debug, Parser)]
#[command(name = "wecom-sim", version, after_help = AFTER, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Serve(Serve),
    /// Prints a profile with every key, its range and its default
    #[command(after_help = "Example:\n  wecom-sim profile > mine.toml")]
    Profile,
    /// Reads profiles and names every mistake in them, by line and key
    #[command(after_help = "Example:\n  wecom-sim check profiles/*.toml")]
    Check {
        /// The files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Runs a client against a simulation and says what becomes of it: a code's life, a throttle, a dead token, a wrong
    /// secret, a bad member, encrypted callbacks
    #[command(after_help = "Example:\n  wecom-sim demo")]
    Demo,
}

/// Simulates a WeCom on a listener
#[derive(Debug, Args)]
#[command(after_help = AFTER_SERVE)]
pub(crate) struct Serve {
    /// Where; port 0: any that is free
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8400")]
    pub(crate) listen: SocketAddr,
    /// What it is like; the defaults and no enterprise unless given
    #[arg(long, value_name = "FILE")]
    pub(crate) profile: Option<PathBuf>,
    /// The seed; the profile's unless given
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(..=MOST_SEED))]
    pub(crate) seed: Option<u64>,
    /// Lets other machines in
    #[arg(long)]
    pub(crate) expose: bool,
}
