//! What can be wrong with an entry's settings.

use std::{error, fmt};

/// Settings that make no entry: every fault of them at once.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct EntryError {
    faults: Vec<Fault>,
}

/// One fault in an entry's settings: which part, and what is wrong with it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Fault {
    subject: String,
    problem: Problem,
}

/// What is wrong with a part of an entry's settings.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Problem {
    /// The same pattern stands there twice.
    Duplicate,
    /// The path of the pattern does not begin with `/`.
    NoSlash,
    /// The word before the path is not an HTTP method (in capitals).
    UnknownMethod,
    /// A `*` stands elsewhere than in `/*` at the end.
    Wildcard,
    /// It has a character that a pattern cannot match: a space, `?`, `#`, a brace, or none of ASCII.
    Character,
    /// It is longer than [`Table::LONGEST_PATTERN`](super::Table::LONGEST_PATTERN).
    TooLong,
    /// It is the first one more than [`Table::MOST_ENTRIES`](super::Table::MOST_ENTRIES).
    TooMany,
    /// The epoch is shorter than a second.
    ShortEpoch,
}

// === impl EntryError ===

impl EntryError {
    /// Returns what is wrong, in the order in which it was set.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Returns `value`, or the faults found on the way to it.
    pub(super) fn check<T>(faults: Vec<Fault>, value: T) -> Result<T, Self> {
        if faults.is_empty() {
            Ok(value)
        } else {
            Err(Self { faults })
        }
    }
}

impl fmt::Display for EntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("invalid entry settings: ")?;
        for (index, fault) in self.faults.iter().enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            fault.fmt(f)?;
        }
        Ok(())
    }
}

impl error::Error for EntryError {}

// === impl Fault ===

impl Fault {
    pub(super) fn new(subject: &str, problem: Problem) -> Self {
        Self {
            subject: subject.chars().take(Self::SHOWN).collect(),
            problem,
        }
    }

    /// Returns the part that is wrong: the pattern as it was given (its first 80 characters), or the name
    /// of the setting.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Returns what is wrong with it.
    #[must_use]
    pub const fn problem(&self) -> Problem {
        self.problem
    }

    const SHOWN: usize = 80;
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.subject, self.problem)
    }
}

// === impl Problem ===

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Duplicate => "is there twice",
            Self::NoSlash => "has no path that begins with '/'",
            Self::UnknownMethod => "begins with an unknown method",
            Self::Wildcard => "has a '*' elsewhere than in \"/*\" at the end",
            Self::Character => "has a character that it could not match",
            Self::TooLong => "is longer than 1024 bytes",
            Self::TooMany => "is one more than the 4096 entries there may be",
            Self::ShortEpoch => "is shorter than 1 s",
        })
    }
}
