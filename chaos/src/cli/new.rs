//! `chaos new`

use std::{
    fs::OpenOptions,
    io::{self, Write as _},
    path::Path,
};

use chaos::scenario::TEMPLATE;

use super::{
    Faults, Verdict,
    out::{note, print},
};

/// Prints the template, or writes it to a file that is not there yet.
pub(super) fn new(file: Option<&Path>) -> Result<Verdict, Faults> {
    match file {
        None => print(TEMPLATE)?,
        Some(file) => {
            write(file).map_err(|error| fault(file, &error))?;
            note(&format!(
                "{}: written, run it with chaos run {0}",
                file.display()
            ));
        }
    }
    Ok(Verdict::Holds)
}

fn fault(file: &Path, error: &io::Error) -> Faults {
    let place = file.display();
    match error.kind() {
        io::ErrorKind::AlreadyExists => Faults::of(format_args!("{place} exists already")),
        _ => Faults::of(format_args!("{place}: {error}")),
    }
}

fn write(file: &Path) -> io::Result<()> {
    let mut new = OpenOptions::new().write(true).create_new(true).open(file)?;
    new.write_all(TEMPLATE.as_bytes())
}
