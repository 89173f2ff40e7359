//! The program `wecom-sim`: a simulated WeCom from the command line. What it can do is in [`wecom_sim`], the library.

mod cli;
mod demo;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
