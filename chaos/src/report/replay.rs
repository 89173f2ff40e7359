//! How to get the same report again.

use std::{borrow::Cow, fmt::Write as _, path::Path};

use serde::Serialize;

use crate::{Engine, policy::Name};

/// What a replay needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Replay {
    /// The seed of the first run.
    pub seed: u64,
    /// How many runs; each has the seed of the one before and 1.
    pub seeds: usize,
    /// What to type.
    pub command: String,
}

impl Replay {
    /// How to run `scenario`, a name or a file, again; the policies are in their order, whatever was typed.
    pub(super) fn new(
        scenario: &str,
        engine: Engine,
        seeds: (u64, usize),
        policies: impl Iterator<Item = Name>,
        quick: bool,
    ) -> Self {
        let (seed, count) = seeds;
        let policies: Vec<&str> = policies.map(Name::as_str).collect();
        let scenario = quoted(scenario);
        let mut command = format!("chaos run {scenario} --engine {engine} --seed {seed}");
        // Writing into a String does not fail.
        let _ = write!(command, " --seeds {count} --policy {}", policies.join(","));
        command.push_str(if quick {
            " --quick --out DIR"
        } else {
            " --out DIR"
        });
        Self {
            seed,
            seeds: count,
            command,
        }
    }
}

/// Returns what to type for the file at `path`: its name without its folders, which are of one machine.
pub(super) fn file_to_type(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // Without a dot it would be looked for among the built-in names first, and after a dash among the options.
    if name.contains('.') && !name.starts_with('-') {
        name.into_owned()
    } else {
        format!("./{name}")
    }
}

/// Returns a word as a shell takes it for one.
fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./+,:@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
    }
}

/// Returns the commit that the program was built from; `unknown` if it was not built in a checkout. What was
/// changed and not committed does not show.
#[must_use]
pub const fn commit() -> &'static str {
    env!("DAGOR_CHAOS_COMMIT")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_typed_so_that_it_is_found_as_one() {
        let typed = [
            ("dir/shop.toml", "shop.toml"),
            ("/a/b/shop.toml", "shop.toml"),
            ("dir/flash-crowd", "./flash-crowd"),
            ("./--all.toml", "./--all.toml"),
            ("it's mine.toml", r"'it'\''s mine.toml'"),
        ];
        for (path, wanted) in typed {
            assert_eq!(quoted(&file_to_type(Path::new(path))), wanted, "{path}");
        }
    }
}
