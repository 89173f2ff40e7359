//! The program's commands.

mod args;
mod check;
mod faults;
mod list;
mod memory;
mod new;
mod out;
mod pick;
mod place;
mod progress;
mod run;
mod runs;
mod table;
mod watch;
mod weight;

use std::{io, process::ExitCode};

use clap::Parser as _;

use self::{
    args::{Cli, Command},
    faults::Faults,
    out::note,
};

/// How a command ended, if nothing was wrong with what it was asked.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Verdict {
    /// All criteria hold, or there were none.
    Holds,
    /// One does not.
    Fails,
}

/// Does what the command line says.
pub(crate) fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(other) => return usage(&other),
    };
    let done = match cli.command {
        Command::List => list::list(),
        Command::Run(args) => run::run(&args),
        Command::Table(args) => table::table(&args),
        Command::New { file } => new::new(file.as_deref()),
        Command::Check { files } => check::check(&files),
        Command::Watch(args) => watch::watch(&args),
    };
    match done {
        Ok(Verdict::Holds) => ExitCode::SUCCESS,
        Ok(Verdict::Fails) => ExitCode::from(1),
        Err(faults) => {
            for line in faults.lines() {
                note(line);
            }
            ExitCode::from(2)
        }
    }
}

/// Help and version go to standard output, which may be closed; what is wrong with the usage, to standard error.
fn usage(error: &clap::Error) -> ExitCode {
    let printed: io::Result<()> = error.print();
    match (error.use_stderr(), printed) {
        (false, Ok(())) => ExitCode::SUCCESS,
        (false, Err(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        _ => ExitCode::from(2),
    }
}
