//! What a simulated WeCom is like: its windows, its modes, its faults, its enterprises.
//!
//! All of it can be written in a TOML file, and most of it changed while it runs (`PUT /admin/settings`). Defaults
//! are what the documents say, and where they are silent the mode in which a client is hurt the least. [`TEMPLATE`]
//! has every key with its range and its default. A file with a mistake is refused whole, and all of its mistakes are
//! told at once, each with its line.
//!
//! ```
//! use wecom_sim::Profile;
//!
//! let profile = Profile::parse("[windows]\ndivide_counts = 100\n")?;
//! assert_eq!(profile.windows.divide_counts, 100);
//! assert_eq!(profile.windows.corp_per_minute, 10_000);
//!
//! let wrong = Profile::parse("[windows]\ndivide_count = 100\n").unwrap_err();
//! let told = "profile:2: windows.divide_count: expected a known key, did you mean \"divide_counts\"?";
//! assert_eq!(wrong.to_string(), told);
//! # Ok::<(), wecom_sim::Faulty>(())
//! ```

use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

use serde::Serialize;

use crate::given::{Mistakes, Node, Section};

pub use crate::given::{Faulty, Mistake};

mod callbacks;
mod contact_ways;
mod corp;
mod fault;
mod file;
pub(crate) mod names;
#[cfg(test)]
mod tests;
mod tokens;
mod windows;
mod within;

pub use self::{
    callbacks::{AddEvents, Callbacks},
    contact_ways::{Check, ConflictMode, ContactWays, EmptyUser},
    corp::{CallbackTo, Corp, Department, Member, MemberFlag},
    fault::{Fault, FaultKind},
    tokens::{TokenMode, Tokens},
    windows::{WindowKind, Windows},
};
pub(crate) use self::{
    corp::MOST_CUSTOMERS,
    fault::{MOST_ERRCODE, api_named, no_corp},
};

/// Everything.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Profile {
    /// From it comes everything that is random, 0 to 2^63 - 1. Default 1.
    pub seed: u64,
    /// The vendor's limits.
    pub windows: Windows,
    /// How tokens are given out.
    pub tokens: Tokens,
    /// How contact ways behave where the documents are silent.
    pub contact_ways: ContactWays,
    /// How callbacks are sent.
    pub callbacks: Callbacks,
    /// What goes wrong by itself, at most 1,000 faults. Default nothing.
    #[serde(rename = "fault")]
    pub faults: Vec<Fault>,
    /// The enterprises. None: add them with the admin interface.
    #[serde(rename = "corp")]
    pub corps: Vec<Corp>,
}

/// A profile with every key, its range and its default; what has no default is commented out.
pub const TEMPLATE: &str = include_str!("template.toml");

/// Each call draws for each of them.
const MOST_FAULTS: usize = 1000;

// === impl Profile ===

impl Profile {
    /// Reads a profile from a file of at most 256 MiB.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or is wrong as for [`parse`](Self::parse).
    pub fn read(path: &Path) -> Result<Self, Faulty> {
        let text = file::text(path)?;
        Self::named(&text, &path.display().to_string())
    }

    /// Reads a profile from its text.
    ///
    /// # Errors
    ///
    /// If it is not TOML, or with every key that is not known, and every value that is out of its range, of the wrong
    /// type, or at odds with another.
    pub fn parse(text: &str) -> Result<Self, Faulty> {
        Self::named(text, "profile")
    }

    fn named(text: &str, name: &str) -> Result<Self, Faulty> {
        let root = Node::toml(text, name)?;
        let mistakes = Mistakes::new(Some(name));
        let mut profile = Self::default();
        if let Some(mut table) = Section::new(root, "", &mistakes) {
            // TOML's own numbers end there.
            table.whole("seed", 0..=i64::MAX.unsigned_abs(), &mut profile.seed);
            let corps = corps(&mut table);
            let ids: HashSet<&str> = corps.iter().map(|corp| corp.id.as_str()).collect();
            profile.update(&mut table, &|id| match ids.contains(id) {
                true => Ok(()),
                false => Err(no_corp(id, corps.iter().map(|corp| corp.id.as_str()))),
            });
            profile.corps = corps;
            table.end();
        }
        mistakes.none_or(profile)
    }

    /// Takes what a table says over the settings that can be changed while it runs. `corp` says what is expected of
    /// the id of an enterprise that is not there.
    pub(crate) fn update(
        &mut self,
        table: &mut Section<'_>,
        corp: &dyn Fn(&str) -> Result<(), String>,
    ) {
        if let Some(part) = table.section("windows") {
            self.windows.update(part);
        }
        if let Some(part) = table.section("tokens") {
            self.tokens.update(part);
        }
        if let Some(part) = table.section("contact_ways") {
            self.contact_ways.update(part);
        }
        if let Some(part) = table.section("callbacks") {
            self.callbacks.update(part);
        }
        if let Some(faults) = table.sections("fault") {
            if faults.len() > MOST_FAULTS {
                let count = format!("({} faults)", faults.len());
                table.wrong("fault", Some(&count), format!("at most {MOST_FAULTS}"));
            }
            let faults = faults.into_iter();
            self.faults = faults
                .filter_map(|table| Fault::read(table, corp))
                .collect();
        }
    }
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            seed: 1,
            windows: Windows::default(),
            tokens: Tokens::default(),
            contact_ways: ContactWays::default(),
            callbacks: Callbacks::default(),
            faults: Vec::new(),
            corps: Vec::new(),
        }
    }
}

fn corps(table: &mut Section<'_>) -> Vec<Corp> {
    let mut corps = Vec::new();
    let mut seen = HashMap::new();
    for (index, table) in table
        .sections("corp")
        .unwrap_or_default()
        .into_iter()
        .enumerate()
    {
        let (mistakes, line, path) = (table.mistakes(), table.line(), table.at("id"));
        let corp = Corp::read(table);
        if let Some(first) = seen.insert(corp.id.clone(), index)
            && !corp.id.is_empty()
        {
            let told = format!("{:?}", corp.id);
            let expected = format!("an id that no other enterprise has; corp[{first}] has it");
            mistakes.push(line, &path, Some(&told), expected);
        }
        corps.push(corp);
    }
    corps
}
