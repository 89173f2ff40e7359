//! What is wrong with a scenario, all of it.

use std::{cell::RefCell, error, fmt};

/// Everything that is wrong with a scenario.
///
/// Displays one mistake a line. At most 100 are kept; how many more there were is said on a last line.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ScenarioError {
    mistakes: Vec<Mistake>,
    more: usize,
}

/// One thing that is wrong: where, which key, its value and what is allowed.
///
/// Displays on one line, as in `retry.toml:3: workers = 0, expected a whole number, 1 to 1000000`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Mistake {
    place: String,
    key: Option<String>,
    value: Option<String>,
    allowed: String,
    /// Where to put it among the others: the byte of the file it was found at.
    order: usize,
}

/// Collects mistakes; whoever reads a part of the file has a reference.
#[derive(Debug, Default)]
pub(super) struct Mistakes(RefCell<ScenarioError>);

// === impl ScenarioError ===

impl ScenarioError {
    /// Returns the mistakes, in the order of the file. Never empty.
    pub fn mistakes(&self) -> impl Iterator<Item = &Mistake> {
        self.mistakes.iter()
    }
}

impl Default for ScenarioError {
    fn default() -> Self {
        let mistakes = Vec::new();
        Self { mistakes, more: 0 }
    }
}

impl From<Mistake> for ScenarioError {
    fn from(mistake: Mistake) -> Self {
        let mistakes = vec![mistake];
        Self { mistakes, more: 0 }
    }
}

impl fmt::Display for ScenarioError {
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

impl error::Error for ScenarioError {}

// === impl Mistake ===

impl Mistake {
    /// A mistake at this place; `order` is the byte of the scenario's file.
    pub(super) fn new(place: &str, order: usize, allowed: impl Into<String>) -> Self {
        Self {
            place: printable(place),
            key: None,
            value: None,
            allowed: allowed.into(),
            order,
        }
    }

    #[must_use]
    pub(super) fn key_is(mut self, key: &str) -> Self {
        self.key = Some(printable(key));
        self
    }

    #[must_use]
    pub(super) fn value_is(mut self, value: &str) -> Self {
        self.value = Some(printable(value));
        self
    }

    /// Returns where it was found: a file, or a file and its line.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Returns the key as the file has it; `None` if it is not about one key.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// Returns the value found, shortened if it is long.
    #[must_use]
    pub fn value(&self) -> Option<&str> {
        self.value.as_deref()
    }

    /// Returns what would have been accepted.
    #[must_use]
    pub fn allowed(&self) -> &str {
        &self.allowed
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place)?;
        match (&self.key, &self.value) {
            (Some(key), Some(value)) => write!(f, "{key} = {value}, ")?,
            (Some(key), None) => write!(f, "{key}, ")?,
            (None, Some(value)) => write!(f, "{value}, ")?,
            (None, None) => {}
        }
        write!(f, "expected {}", self.allowed)
    }
}

impl error::Error for Mistake {}

// === impl Mistakes ===

impl Mistakes {
    pub(super) fn push(&self, mistake: Mistake) {
        self.push_with(|| mistake);
    }

    /// As [`push`](Self::push), for a mistake that takes time to describe.
    pub(super) fn push_with(&self, mistake: impl FnOnce() -> Mistake) {
        if self.0.borrow().mistakes.len() < MOST_MISTAKES {
            // Made before the borrow: making it may not need the list, but must not depend on that.
            let mistake = mistake();
            self.0.borrow_mut().mistakes.push(mistake);
        } else {
            self.0.borrow_mut().more += 1;
        }
    }

    /// Returns how many there are so far.
    pub(super) fn count(&self) -> usize {
        let so_far = self.0.borrow();
        so_far.mistakes.len() + so_far.more
    }

    /// Returns `value` if there are none.
    pub(super) fn none_or<T>(self, value: Option<T>) -> Result<T, ScenarioError> {
        let mut error = self.0.into_inner();
        match value {
            Some(value) if error.mistakes.is_empty() => Ok(value),
            _ => {
                error.mistakes.sort_by_key(|mistake| mistake.order);
                Err(error)
            }
        }
    }
}

/// One line of what came from outside: no control characters, not longer than a line of text.
fn printable(text: &str) -> String {
    let mut line = String::new();
    for (index, char) in text.chars().enumerate() {
        if index == MOST_CHARS {
            line.push_str("...");
            break;
        }
        if char.is_control() {
            line.extend(char.escape_debug());
        } else {
            line.push(char);
        }
    }
    line
}

/// A file of a hundred mistakes is not one that somebody corrects line by line.
const MOST_MISTAKES: usize = 100;

/// Of a place, key or value: enough to find it by.
const MOST_CHARS: usize = 160;
