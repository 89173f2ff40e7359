//! `chaos new`

use std::{fs::OpenOptions, io::Write as _, path::Path};

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
            write(file).map_err(|error| Faults::of(format_args!("{}: {error}", file.display())))?;
            note(&format!(
                "{}: written, run it with chaos run {0}",
                file.display()
            ));
        }
    }
    Ok(Verdict::Holds)
}

fn write(file: &Path) -> std::io::Result<()> {
    let mut new = OpenOptions::new().write(true).create_new(true).open(file)?;
    new.write_all(TEMPLATE.as_bytes())
}
