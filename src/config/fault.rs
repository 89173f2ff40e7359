//! What is wrong with the settings, all of it.

use std::{error, fmt};

/// Everything that is wrong with some settings.
///
/// Displays one fault a line. At most 100 are kept; how many more there were is said on a last line.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SettingsError {
    faults: Vec<Fault>,
    more: usize,
}

/// One thing that is wrong: where, which key, its value and what is allowed.
///
/// Displays on one line, as in `dagor.toml:3: threshold_ms = 0, expected 0.1 to 10000 ms`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Fault {
    place: Option<String>,
    key: Option<String>,
    value: Option<String>,
    allowed: String,
    /// Where to put it among the others: the byte of the file it was found at.
    order: usize,
}

/// Collects faults.
#[derive(Debug, Default)]
pub(super) struct Faults {
    list: Vec<Fault>,
    more: usize,
}

// === impl SettingsError ===

impl SettingsError {
    /// Returns the faults, in the order of the file where there is one. Never empty.
    pub fn faults(&self) -> impl Iterator<Item = &Fault> {
        self.faults.iter()
    }
}

impl From<Fault> for SettingsError {
    fn from(fault: Fault) -> Self {
        Self {
            faults: vec![fault],
            more: 0,
        }
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.faults.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            fault.fmt(f)?;
        }
        if self.more > 0 {
            write!(f, "\nand {} more", self.more)?;
        }
        Ok(())
    }
}

impl error::Error for SettingsError {}

// === impl Fault ===

impl Fault {
    pub(super) fn new(allowed: impl Into<String>) -> Self {
        Self {
            place: None,
            key: None,
            value: None,
            allowed: allowed.into(),
            order: usize::MAX,
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

    #[cfg(feature = "config")]
    #[must_use]
    pub(super) fn at(mut self, place: &str, order: usize) -> Self {
        self.place = Some(printable(place));
        self.order = order;
        self
    }

    /// Returns where it was found: a file, a file and its line, or `environment`.
    #[must_use]
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// Returns the key as the place has it; `None` if the fault is not about one key.
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

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        match (&self.key, &self.value) {
            (Some(key), Some(value)) => write!(f, "{key} = {value}, ")?,
            (Some(key), None) => write!(f, "{key}, ")?,
            (None, Some(value)) => write!(f, "{value}, ")?,
            (None, None) => {}
        }
        write!(f, "expected {}", self.allowed)
    }
}

impl error::Error for Fault {}

// === impl Faults ===

impl Faults {
    pub(super) fn push(&mut self, fault: Fault) {
        if self.list.len() < MOST_FAULTS {
            self.list.push(fault);
        } else {
            self.more += 1;
        }
    }

    /// As [`push`](Self::push), for a fault that takes time to describe.
    #[cfg(feature = "config")]
    pub(super) fn push_with(&mut self, fault: impl FnOnce() -> Fault) {
        if self.list.len() < MOST_FAULTS {
            self.list.push(fault());
        } else {
            self.more += 1;
        }
    }

    /// Whether one of them is about this key.
    #[cfg(feature = "config")]
    pub(super) fn mention(&self, key: &str) -> bool {
        self.list.iter().any(|fault| fault.key() == Some(key))
    }

    /// Returns `value` if there are none.
    pub(super) fn none_or<T>(mut self, value: T) -> Result<T, SettingsError> {
        if self.list.is_empty() {
            return Ok(value);
        }
        self.list.sort_by_key(|fault| fault.order);
        Err(SettingsError {
            faults: self.list,
            more: self.more,
        })
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

/// A file of a hundred faults is not one that somebody corrects line by line.
const MOST_FAULTS: usize = 100;

/// Of a key or value: enough to find it by.
const MOST_CHARS: usize = 120;
