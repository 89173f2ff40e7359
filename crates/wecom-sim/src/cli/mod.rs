//! The program's commands.

mod args;
mod check;
mod out;
mod serve;

use std::{fmt, io, process::ExitCode};

use clap::Parser as _;

pub(crate) use self::out::print;
use self::{
    args::{Cli, Command},
    out::{note, of_stdout},
};

/// Why a command did not do what it was asked: what is wrong, a line each.
#[derive(Debug)]
struct Failure(String);

/// Does what the command line says.
pub(crate) fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(other) => return usage(&other),
    };
    let done = match cli.command {
        Command::Serve(args) => serve::serve(&args),
        Command::Profile => profile(),
        Command::Check { files } => check::check(&files),
        Command::Demo => match crate::demo::demo() {
            Ok(true) => Ok(()),
            Ok(false) => return ExitCode::from(1),
            Err(error) => Err(Failure::of(error)),
        },
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            note(&failure.0);
            ExitCode::from(2)
        }
    }
}

/// Prints the template, which is all that it is asked for.
fn profile() -> Result<(), Failure> {
    if out::stdout_is_lost() {
        note("standard output: closed or /dev/null, the profile goes nowhere");
    }
    print(wecom_sim::profile::TEMPLATE).map_err(Failure::of)
}

/// Help and version go to standard output, which may be closed; what is wrong with the usage, to standard error.
fn usage(error: &clap::Error) -> ExitCode {
    let printed: io::Result<()> = error.print();
    match (error.use_stderr(), printed) {
        (false, Ok(())) => ExitCode::SUCCESS,
        (false, Err(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        (false, Err(error)) => {
            note(&of_stdout(&error).to_string());
            ExitCode::from(2)
        }
        (true, _) => ExitCode::from(2),
    }
}

// === impl Failure ===

impl Failure {
    fn of(error: impl fmt::Display) -> Self {
        Self(error.to_string())
    }
}
