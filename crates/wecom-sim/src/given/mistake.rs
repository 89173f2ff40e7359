//! What is wrong with what was given, all of it.

use std::{cell::RefCell, error, fmt};

/// Everything that is wrong with a profile or a request. Never empty.
///
/// Displays one mistake a line. At most 100 are kept; how many more there were is said on a last line.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Faulty {
    mistakes: Vec<Mistake>,
    more: usize,
}

/// One thing that is wrong: where, which key, its value and what is allowed.
///
/// Displays on one line, as in `sim.toml:3: windows.divide_time = 0, expected a whole number, 1 to 1000000`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Mistake {
    line: Option<usize>,
    file: Option<String>,
    key: String,
    value: Option<String>,
    expected: String,
}

/// Collects mistakes; whoever reads a part has a reference.
#[derive(Debug, Default)]
pub(crate) struct Mistakes {
    file: Option<String>,
    found: RefCell<Faulty>,
}

// === impl Faulty ===

impl Faulty {
    /// Returns the mistakes, in the order of the text.
    pub fn mistakes(&self) -> impl Iterator<Item = &Mistake> {
        self.mistakes.iter()
    }

    /// Returns one mistake that no key is to blame for; `told` says it all.
    pub(crate) fn of(file: Option<&str>, line: Option<usize>, told: String) -> Self {
        let mistakes = Mistakes::new(file);
        mistakes.push(line, "", None, told);
        mistakes.found.into_inner()
    }
}

impl fmt::Display for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, mistake) in self.mistakes.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            mistake.fmt(f)?;
        }
        if self.more > 0 {
            write!(f, "\nand {} more", self.more)?;
        }
        Ok(())
    }
}

impl error::Error for Faulty {}

// === impl Mistake ===

impl Mistake {
    /// Returns the line of the file, from 1; none for a request.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.line
    }

    /// Returns the path of the key, as in `corp[0].member[2].userid`; empty if it is no key.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, "{file}:{line}: ")?,
            (Some(file), None) => write!(f, "{file}: ")?,
            (None, Some(line)) => write!(f, "line {line}: ")?,
            (None, None) => {}
        }
        match (self.key.as_str(), &self.value) {
            ("", None) => {}
            ("", Some(value)) => write!(f, "{value}, expected ")?,
            (key, None) => write!(f, "{key}: expected ")?,
            (key, Some(value)) => write!(f, "{key} = {value}, expected ")?,
        }
        f.write_str(&self.expected)
    }
}

// === impl Mistakes ===

impl Mistakes {
    /// Returns an empty collection for what is called `file`, or for a request.
    pub(crate) fn new(file: Option<&str>) -> Self {
        Self {
            file: file.map(printable),
            found: RefCell::default(),
        }
    }

    /// Adds one. `value` is what was written, never a secret.
    pub(crate) fn push(
        &self,
        line: Option<usize>,
        key: &str,
        value: Option<&str>,
        expected: impl Into<String>,
    ) {
        let mut found = self.found.borrow_mut();
        if found.mistakes.len() >= MOST_KEPT {
            found.more += 1;
            return;
        }
        found.mistakes.push(Mistake {
            line,
            file: self.file.clone(),
            key: printable(key),
            value: value.map(printable),
            expected: expected.into(),
        });
    }

    /// Returns `done`, unless something was wrong.
    ///
    /// # Errors
    ///
    /// With everything that was.
    pub(crate) fn none_or<T>(self, done: T) -> Result<T, Faulty> {
        let mut found = self.found.into_inner();
        if found.mistakes.is_empty() {
            return Ok(done);
        }
        found.mistakes.sort_by_key(|mistake| mistake.line);
        Err(found)
    }
}

/// Returns what a terminal can show of a text on one line: at most 64 characters.
fn printable(text: &str) -> String {
    let mut shown = String::new();
    for (index, letter) in text.chars().enumerate() {
        if index == LONGEST_SHOWN {
            shown.push('…');
            break;
        }
        match letter.is_control() {
            true => shown.extend(letter.escape_default()),
            false => shown.push(letter),
        }
    }
    shown
}

/// More than anybody reads.
const MOST_KEPT: usize = 100;

/// More than any path of a key but one that is wrong.
const LONGEST_SHOWN: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_each_in_the_order_of_the_text() {
        let mistakes = Mistakes::new(Some("sim.toml"));
        mistakes.push(Some(9), "seed", Some("-1"), "a whole number");
        mistakes.push(Some(2), "corp[0].id", None, "a text");
        let faulty = mistakes.none_or(()).unwrap_err();
        let text = "sim.toml:2: corp[0].id: expected a text\n\
                    sim.toml:9: seed = -1, expected a whole number";
        assert_eq!(faulty.to_string(), text);
    }

    #[test]
    fn keeps_a_hundred_and_counts_the_rest() {
        let mistakes = Mistakes::new(None);
        for _ in 0..150 {
            mistakes.push(None, "x", None, "nothing");
        }
        let faulty = mistakes.none_or(()).unwrap_err();
        assert_eq!(faulty.mistakes().count(), 100);
        assert!(faulty.to_string().ends_with("\nand 50 more"));
    }

    #[test]
    fn shows_no_control_characters_and_no_novels() {
        let mistakes = Mistakes::new(None);
        let long = "x".repeat(10_000);
        mistakes.push(None, "a\nb\u{1b}[31m", Some(&long), "less");
        let text = mistakes.none_or(()).unwrap_err().to_string();
        assert!(text.starts_with("a\\nb\\u{1b}[31m = xxx"), "{text}");
        assert!(text.len() < 120, "{text}");
    }
}
