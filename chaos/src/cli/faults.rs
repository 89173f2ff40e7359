//! Everything that is wrong with what was asked, to be told at once.

use std::fmt::Display;

/// Faults, one line each.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<String>);

impl Faults {
    /// One fault, or several that display as a line each.
    pub(crate) fn of(faults: impl Display) -> Self {
        let mut all = Self::default();
        all.push(faults);
        all
    }

    /// Adds what displays as a line or several.
    pub(crate) fn push(&mut self, faults: impl Display) {
        self.0.extend(faults.to_string().lines().map(str::to_owned));
    }

    /// Returns the value of a result, or adds its error.
    pub(crate) fn take<T, E: Display>(&mut self, result: Result<T, E>) -> Option<T> {
        result.map_err(|faults| self.push(faults)).ok()
    }

    /// Returns `value` if there are no faults.
    pub(crate) fn none_or<T>(self, value: T) -> Result<T, Self> {
        if self.is_empty() {
            Ok(value)
        } else {
            Err(self)
        }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl From<std::io::Error> for Faults {
    fn from(error: std::io::Error) -> Self {
        Self::of(format_args!("standard output: {error}"))
    }
}
