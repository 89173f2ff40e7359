//! The command line. The texts here are the manual.

use std::{net::SocketAddr, path::PathBuf};

use chaos::policy::Name;
use clap::{Args, Parser, Subcommand, value_parser};

const AFTER: &str = "\
Exit status: 0 if all criteria hold, or none was judged, which a line on standard error says; 1 if one fails; 2 for a \
bad file, an unknown name, wrong usage, or a run that the system did not let happen. With 2 every fault is one line \
on standard error, and nothing is written.

Examples:
  chaos list
  chaos run flash-crowd --out report
  chaos run --all --engine sim --quick --out report
  chaos run mine.toml --policy none,dagor --seeds 5 --out report
  chaos table --quick --json cells.json
  chaos new mine.toml && chaos check mine.toml
  chaos watch capacity-halves";

const AFTER_RUN: &str = "\
Runs in virtual time are spread over all cores and are the same to the byte for the same seed, on any machine. Runs \
on real sockets follow one another, and their figures need an otherwise idle machine. The report appears when all \
runs are done: one that is interrupted leaves no report, at worst files whose names begin with a dot. Beside it is \
timing.json: what the runs took, memory, processors; it is of the machine and differs from run to run.

A criterion judges the policies that it names. If none of those run has one, nothing is judged: a line on standard \
error says so, and the exit status is 0.

Examples:
  chaos run flash-crowd --out report
      with the policies and the seed of the scenario; then open report/index.html
  chaos run --all --engine sim --quick --out report
      every scenario that fits virtual time, in the short form, as in CI
  chaos run mine.toml --policy none,tower,dagor --seed 7 --seeds 5 --json
      a file of yours under three policies with the seeds 7 to 11, the report as JSON on standard output";

const AFTER_TABLE: &str = "\
Tasks make 1 to 4 calls each at a service that is offered 0.67 to 10 times what it can serve. A figure is the goodput \
by the optimum, both in calls of tasks that succeeded; its geometric mean over a policy's cells counts those below \
0.001 as 0.001. The paper's own policies run four times as long as the others in virtual time, since their level \
moves by 1 % a second. On real sockets the cells are fewer, smaller and shorter, so that two cores carry them: 1, 2, \
4 calls and the mix, loads of 0.67 to 4.

The JSON: {\"cells\":[{\"policy\":…,\"load\":…,\"calls\":\"1|2|3|4|mix\",\"goodput\":…,\"optimum\":…,\"ratio\":…}],
\"geomean\":{…}}, goodput and optimum in calls a second.

Examples:
  chaos table --quick
  chaos table --policy none,breakwater,dagor --balance two-choices --json cells.json
  chaos table --policy dagor --parallel --balance two-choices
  chaos table --engine live --quick --policy none,dagor";

/// What every reader of JSON has exactly: 2^53 - 1.
const MOST_SEED: u64 = 9_007_199_254_740_991;

/// Runs call graphs into overload, in virtual time or on real sockets, under many policies side by side.
///
/// A scenario is a file of some twenty lines: services, calls, load, faults, and what must hold.
#[derive(Debug, Parser)]
#[command(name = "chaos", version, after_help = AFTER, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Lists the scenarios that come with the program
    ///
    /// A header line, then one scenario a line: its name, the engines it fits (the one it prefers first), how long its
    /// load comes, and what it shows.
    List,
    Run(Run),
    Table(Table),
    /// Prints a commented template of a scenario, or writes it to FILE
    #[command(after_help = "Examples:\n  chaos new | less\n  chaos new mine.toml")]
    New {
        /// Where to; a file that is there already stays as it is
        file: Option<PathBuf>,
    },
    /// Reads scenario files and names every fault in them, by line and key
    #[command(after_help = "Example:\n  chaos check scenarios/*.toml")]
    Check {
        /// The files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    Watch(Watch),
}

/// Runs scenarios and reports who collapsed, why, and when it recovered
#[derive(Debug, Args)]
#[command(after_help = AFTER_RUN)]
pub(crate) struct Run {
    /// What to run: names as in `chaos list`, or paths of files
    #[arg(
        required_unless_present = "all",
        conflicts_with = "all",
        value_name = "NAME"
    )]
    pub(crate) names: Vec<String>,
    /// Runs every scenario that comes with the program and fits the engine
    #[arg(long)]
    pub(crate) all: bool,
    /// Where: sim (virtual time) or live (real sockets); the one that the scenario prefers unless given
    #[arg(long, value_name = "sim|live")]
    pub(crate) engine: Option<String>,
    #[arg(
        long,
        value_name = "P,…",
        value_delimiter = ',',
        help = "The policies; those of the scenario unless given",
        long_help = policies_help("The policies, separated by commas; those of the scenario unless given.")
    )]
    pub(crate) policy: Vec<String>,
    /// The first seed; the scenario's unless given
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(..=MOST_SEED))]
    pub(crate) seed: Option<u64>,
    /// How many seeds, counting up from the first
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = value_parser!(u32).range(1..=1000))]
    pub(crate) seeds: u32,
    /// The short form: scenarios that are marked as long are left out, and fewer policies run
    #[arg(long)]
    pub(crate) quick: bool,
    /// Prints the report as JSON on standard output instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    /// Where report.json, index.html and timing.json go; made if it is not there. Without, the tables are all
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// Measures every policy over loads and calls a task: the cells of the comparison
#[derive(Debug, Args)]
#[command(after_help = AFTER_TABLE)]
pub(crate) struct Table {
    /// Where: sim (virtual time) or live (real sockets)
    #[arg(long, value_name = "sim|live", default_value = "sim")]
    pub(crate) engine: String,
    #[arg(
        long,
        value_name = "P,…",
        value_delimiter = ',',
        help = "The policies; all that the engine can run unless given",
        long_help = policies_help("The policies, separated by commas; all that the engine can run unless given.")
    )]
    pub(crate) policy: Vec<String>,
    /// The first seed
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = value_parser!(u64).range(..=MOST_SEED)
    )]
    pub(crate) seed: u64,
    /// How many seeds each cell is the sum of; 5 unless given, 1 if quick or live
    #[arg(long, value_name = "K", value_parser = value_parser!(u32).range(1..=1000))]
    pub(crate) seeds: Option<u32>,
    /// Runs of 24 s instead of 60 s (the paper's own policies: 96 s instead of 240 s), and one seed
    #[arg(long)]
    pub(crate) quick: bool,
    /// How callers choose an instance: random, or the less loaded of two drawn at random
    #[arg(long, value_name = "random|two-choices", default_value = "random")]
    pub(crate) balance: String,
    /// The cells of parallel calls: a task makes its calls at once and drops the others when one fails
    #[arg(long)]
    pub(crate) parallel: bool,
    /// Writes the cells as JSON to FILE as well; `-` prints them instead of the tables
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

/// Runs a scenario on real sockets with its metrics open to Prometheus
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  chaos watch capacity-halves --seconds 60 & curl -s http://127.0.0.1:9464/metrics"
)]
pub(crate) struct Watch {
    /// What to run: a name as in `chaos list`, or the path of a file
    pub(crate) name: String,
    #[arg(
        long,
        value_name = "P",
        default_value = "dagor",
        help = "The policy",
        long_help = policies_help("The policy.")
    )]
    pub(crate) policy: String,
    /// The seed; the scenario's unless given
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(..=MOST_SEED))]
    pub(crate) seed: Option<u64>,
    /// Where the metrics are served
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9464")]
    pub(crate) listen: SocketAddr,
    /// When to end; the load begins anew until then. Without, it goes on until interrupted
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub(crate) seconds: Option<u64>,
}

/// Returns what is said of policies: `first`, then their names.
fn policies_help(first: &str) -> String {
    let names = |simulated| {
        let names = Name::ALL
            .iter()
            .filter(|name| name.is_simulated() == simulated);
        let names: Vec<&str> = names.map(|name| name.as_str()).collect();
        names.join(", ")
    };
    format!(
        "{first}\n\nOn both engines: {}.\nOn real sockets only: {}.",
        names(true),
        names(false)
    )
}
