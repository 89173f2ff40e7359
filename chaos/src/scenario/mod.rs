//! A scenario: services, calls, load, faults, and what must hold.
//!
//! Times are [`Duration`](std::time::Duration)s since the start of the run. Everything here is plain data that
//! was checked when it was read: indices are in range, shares are 0 to 1, the graph has no cycle.
//!
//! Files are TOML; `docs/chaos/format.md` has every key. A file with mistakes is told all of them at once:
//!
//! ```
//! let text = "purpose = \"too little\"\n[[service]]\nname = \"A\"\nworkers = 0\nservice_ms = 5\n";
//! let error = chaos::Scenario::parse("shop.toml", text, chaos::scenario::Folder::BuiltIn).unwrap_err();
//! let lines: Vec<String> = error.to_string().lines().map(String::from).collect();
//! assert_eq!(
//!     lines,
//!     [
//!         "shop.toml:1: a file without [[business]], expected at least one: where tasks enter",
//!         "shop.toml:1: a file without [[load]], expected at least one: what comes when",
//!         "shop.toml:4: workers = 0, expected a whole number, 1 to 1000000, or \"unlimited\"",
//!     ]
//! );
//! ```

mod builtin;
mod calendar;
mod capacity;
mod document;
mod draw;
mod files;
pub mod generate;
mod key;
mod keys;
mod mistake;
mod model;
mod names;
mod nearest;
mod order;
mod read;
mod section;
mod template;
mod value;

#[cfg(test)]
mod tests;

use std::path::Path;

pub(crate) use self::order::callers_first;
pub use self::{
    builtin::builtin,
    capacity::{capacity, tasks_capacity, tasks_capacity_of, visits},
    draw::{Weigher, visits_of_draw},
    files::Folder,
    mistake::{Mistake, ScenarioError},
    model::*,
    template::TEMPLATE,
};
use self::{document::Document, mistake::Mistakes};

impl Scenario {
    /// Reads the file at `path`; files that it refers to lie beside it.
    ///
    /// # Errors
    ///
    /// If there is no regular file, or it cannot be read, is longer than 1 MiB or not UTF-8, or as
    /// [`parse`](Self::parse).
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ScenarioError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        match files::contents(path, MOST_BYTES) {
            Ok(text) => {
                let folder = path.parent().unwrap_or_else(|| Path::new(""));
                Self::parse(&name, &text, Folder::At(folder))
            }
            Err(allowed) => Err(Mistake::new(&name, 0, allowed).into()),
        }
    }

    /// Reads `text`; `file` is what mistakes call it and, without folders and `.toml`, the scenario's name.
    ///
    /// # Errors
    ///
    /// If it is longer than 1 MiB or not TOML; if a key is unknown, given twice, missing, out of range or in
    /// contradiction to another; if the graph has a cycle or services that nobody calls; if a criterion cannot be
    /// met. All mistakes at once, except that a text that is not TOML is not looked into further.
    pub fn parse(file: &str, text: &str, folder: Folder<'_>) -> Result<Self, ScenarioError> {
        if text.len() > MOST_BYTES {
            let allowed = format!("at most {MOST_BYTES} bytes");
            return Err(Mistake::new(file, 0, allowed).into());
        }
        let mistakes = Mistakes::default();
        let document = Document::parse(text, file, &mistakes);
        let read = document.and_then(|document| read::scenario(file, &document, folder, &mistakes));
        mistakes.none_or(read)
    }
}

/// Room for ten thousand services, and little enough to read at once.
const MOST_BYTES: usize = 1 << 20;
