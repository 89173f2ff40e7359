//! The program `chaos`: scenarios from the command line. What it can do is in [`chaos`], the library.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
