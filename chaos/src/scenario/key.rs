//! What a key of a scenario's file is called, takes, and is without being given.
//!
//! One table for each section ([`keys`](super::keys)), so that reading, the messages, the template and the
//! documentation cannot disagree.

use std::fmt;

use crate::{Engine, policy::Name};

/// A kind of section.
#[derive(Debug)]
pub(super) struct Schema {
    /// Its name; empty for the keys above all sections.
    pub(super) name: &'static str,
    /// Whether there may be several: `[[name]]`.
    pub(super) is_list: bool,
    /// The key whose word decides which other keys fit.
    pub(super) switch: Option<Key>,
    /// All of its keys.
    pub(super) keys: &'static [Key],
}

/// A key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    /// Its name, with its unit.
    pub(super) name: &'static str,
    /// What it takes.
    pub(super) takes: Takes,
    /// What it is if it is not given.
    pub(super) preset: Preset,
    /// The words of the section's switch with which it fits; empty for all.
    pub(super) only: &'static [&'static str],
}

/// What a key takes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Takes {
    Number(Range),
    Whole(Range),
    Flag,
    /// One line in somebody's own words.
    Text,
    /// What services, businesses and scenarios are called.
    Name,
    /// A file beside the scenario's.
    File,
    /// The moment at which the calendar stands.
    Date,
    Word(&'static [&'static str]),
    Engines,
    Policy,
    Policies,
    /// The name of a service.
    Service,
    /// The name of a business.
    Business,
    /// Names of businesses.
    Businesses,
    Numbers(Range),
    Wholes(Range),
    /// A whole number or `"unlimited"`.
    WholeOrUnlimited(Range),
    /// A whole number or a list of them.
    WholeOrWholes(Range),
}

/// What a key is if it is not given.
#[derive(Clone, Copy, Debug)]
pub(super) enum Preset {
    /// It has to be given wherever it fits.
    Required,
    /// Something that only words can say.
    Said(&'static str),
    Number(f64),
    Flag(bool),
    Word(&'static str),
}

/// The numbers that are allowed, both ends included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    low: f64,
    high: f64,
}

// === impl Key ===

impl Key {
    const fn new(name: &'static str, takes: Takes, preset: Preset) -> Self {
        Self {
            name,
            takes,
            preset,
            only: &[],
        }
    }

    pub(super) const fn required(name: &'static str, takes: Takes) -> Self {
        Self::new(name, takes, Preset::Required)
    }

    /// A key whose default only words can say.
    pub(super) const fn optional(name: &'static str, takes: Takes, said: &'static str) -> Self {
        Self::new(name, takes, Preset::Said(said))
    }

    pub(super) const fn number(name: &'static str, low: f64, high: f64, preset: f64) -> Self {
        let takes = Takes::Number(Range::new(low, high));
        Self::new(name, takes, Preset::Number(preset))
    }

    pub(super) const fn whole(name: &'static str, low: f64, high: f64, preset: f64) -> Self {
        let takes = Takes::Whole(Range::new(low, high));
        Self::new(name, takes, Preset::Number(preset))
    }

    pub(super) const fn flag(name: &'static str, preset: bool) -> Self {
        Self::new(name, Takes::Flag, Preset::Flag(preset))
    }

    pub(super) const fn word(
        name: &'static str,
        words: &'static [&'static str],
        preset: &'static str,
    ) -> Self {
        Self::new(name, Takes::Word(words), Preset::Word(preset))
    }

    /// The same key, for some words of the section's switch only.
    pub(super) const fn only(mut self, words: &'static [&'static str]) -> Self {
        self.only = words;
        self
    }

    /// Returns whether it fits a section whose switch is `word`.
    pub(super) fn fits(&self, word: &str) -> bool {
        self.only.is_empty() || self.only.contains(&word)
    }

    /// Returns whether it has to be given wherever it fits.
    pub(super) const fn is_required(&self) -> bool {
        matches!(self.preset, Preset::Required)
    }
}

// === impl Range ===

impl Range {
    pub(super) const fn new(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    /// Returns whether `number` is allowed; what is not a number never is.
    pub(super) fn contains(self, number: f64) -> bool {
        (self.low..=self.high).contains(&number)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.low, self.high)
    }
}

// === Words ===

/// Returns the words, quoted.
pub(super) fn quoted<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| format!("{word:?}")).collect();
    words.join(", ")
}

/// As it is said in messages, in the documentation and in the template.
impl fmt::Display for Takes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(range) => write!(f, "a number, {range}"),
            Self::Whole(range) => write!(f, "a whole number, {range}"),
            Self::Flag => f.write_str("true or false"),
            Self::Text => write!(f, "a text of one line, 1 to {LONGEST_TEXT} characters"),
            Self::Name => f.write_str(NAME_ALLOWED),
            Self::File => f.write_str("a file beside this one or in a folder there"),
            Self::Date => f.write_str("a moment such as 2026-11-30T08:00:00Z, 1971 to 2099"),
            Self::Word(words) => write!(f, "one of {}", quoted(words.iter().copied())),
            Self::Engines => {
                let engines = [Engine::Sim, Engine::Live].map(|engine| engine.as_str());
                write!(f, "a list of {}", quoted(engines))
            }
            Self::Policy => write!(f, "one of {}", quoted(Name::ALL.map(Name::as_str))),
            Self::Policies => write!(f, "a list of {}", quoted(Name::ALL.map(Name::as_str))),
            Self::Service => f.write_str("the name of a service"),
            Self::Business => f.write_str("the name of a business"),
            Self::Businesses => f.write_str("a list of names of businesses"),
            Self::Numbers(range) => write!(f, "a list of numbers, each {range}"),
            Self::Wholes(range) => write!(f, "a list of whole numbers, each {range}"),
            Self::WholeOrUnlimited(range) => write!(f, "a whole number, {range}, or \"unlimited\""),
            Self::WholeOrWholes(range) => {
                write!(f, "a whole number, {range}, or a list of such")
            }
        }
    }
}

/// As it is said in the documentation and in the template.
impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Required => f.write_str("required"),
            Self::Said(said) => f.write_str(said),
            Self::Number(number) => number.fmt(f),
            Self::Flag(flag) => flag.fmt(f),
            Self::Word(word) => write!(f, "{word:?}"),
        }
    }
}

/// Whether `text` can be the name of a service, a business or a scenario: it goes into addresses, files and
/// pages as it is.
pub(super) fn is_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=40).contains(&text.len())
        && text.bytes().all(fits)
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
}

pub(super) const NAME_ALLOWED: &str =
    "1 to 40 letters, digits, - _ or ., of which the first is a letter or digit";

/// A sentence or two.
pub(super) const LONGEST_TEXT: usize = 300;
