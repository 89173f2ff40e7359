//! What keys take: one reader for each kind of value, which changes what it was handed or says why not.

use std::{fmt, ops::RangeInclusive};

use super::{
    node::{Node, Value},
    section::{Section, Wanted},
    word::Word,
};

impl Section<'_> {
    /// Reads a whole number.
    pub(crate) fn whole<N>(&mut self, key: &'static str, range: RangeInclusive<N>, into: &mut N)
    where
        N: Copy + PartialOrd + fmt::Display + TryFrom<i128>,
    {
        let Some(node) = self.take(key) else { return };
        if let Some(number) = self.whole_of(key, &node, &range) {
            *into = number;
        }
    }

    /// Reads a whole number that need not be there; `null` takes it away.
    pub(crate) fn maybe_whole<N>(
        &mut self,
        key: &'static str,
        range: RangeInclusive<N>,
        into: &mut Option<N>,
    ) where
        N: Copy + PartialOrd + fmt::Display + TryFrom<i128>,
    {
        let Some(node) = self.take(key) else { return };
        match node.value {
            Value::Null => *into = None,
            _ => {
                if let Some(number) = self.whole_of(key, &node, &range) {
                    *into = Some(number);
                }
            }
        }
    }

    /// Reads a list of whole numbers.
    pub(crate) fn wholes<N>(
        &mut self,
        key: &'static str,
        range: RangeInclusive<N>,
        into: &mut Vec<N>,
    ) where
        N: Copy + PartialOrd + fmt::Display + TryFrom<i128>,
    {
        let Some(nodes) = self.list(key) else { return };
        let numbers = nodes
            .iter()
            .enumerate()
            .filter_map(|(index, node)| self.whole_of(&format!("{key}[{index}]"), node, &range));
        *into = numbers.collect();
    }

    /// Reads a whole number that has to be there.
    pub(crate) fn needed_whole<N>(
        &mut self,
        key: &'static str,
        range: RangeInclusive<N>,
    ) -> Option<N>
    where
        N: Copy + PartialOrd + fmt::Display + TryFrom<i128>,
    {
        let Some(node) = self.take(key) else {
            let (low, high) = (range.start(), range.end());
            self.missing(key, &format!("a whole number, {low} to {high}"));
            return None;
        };
        self.whole_of(key, &node, &range)
    }

    /// Reads one of a few whole numbers.
    pub(crate) fn one_of(&mut self, key: &'static str, allowed: &[i64], into: &mut i64) {
        let Some(node) = self.take(key) else { return };
        let found = allowed.iter().find(
            |number| matches!(node.value, Value::Whole(given) if given == i128::from(**number)),
        );
        match found {
            Some(number) => *into = *number,
            None => {
                let all: Vec<String> = allowed.iter().map(i64::to_string).collect();
                self.unfit(key, &node, format!("one of {}", all.join(", ")));
            }
        }
    }

    /// Reads a number with a fraction.
    pub(crate) fn number(&mut self, key: &'static str, range: RangeInclusive<f64>, into: &mut f64) {
        let Some(node) = self.take(key) else { return };
        if let Some(number) = self.number_of(key, &node, &range) {
            *into = number;
        }
    }

    /// Reads a number with a fraction that has to be there.
    pub(crate) fn needed_number(
        &mut self,
        key: &'static str,
        range: RangeInclusive<f64>,
    ) -> Option<f64> {
        let Some(node) = self.take(key) else {
            let (low, high) = (range.start(), range.end());
            self.missing(key, &format!("a number, {low} to {high}"));
            return None;
        };
        self.number_of(key, &node, &range)
    }

    /// Reads a share, 0 to 1.
    pub(crate) fn share(&mut self, key: &'static str, into: &mut f64) {
        self.number(key, 0.0..=1.0, into);
    }

    /// Reads a flag.
    pub(crate) fn flag(&mut self, key: &'static str, into: &mut bool) {
        let Some(node) = self.take(key) else { return };
        match node.value {
            Value::Flag(flag) => *into = flag,
            _ => self.unfit(key, &node, "true or false"),
        }
    }

    /// Reads one of a few words.
    pub(crate) fn word<W: Word>(&mut self, key: &'static str, into: &mut W) {
        let Some(node) = self.take(key) else { return };
        if let Some(word) = self.word_of(key, &node) {
            *into = word;
        }
    }

    /// Reads one of a few words, which need not be there.
    pub(crate) fn maybe_word<W: Word>(&mut self, key: &'static str, into: &mut Option<W>) {
        let Some(node) = self.take(key) else { return };
        if let Some(word) = self.word_of(key, &node) {
            *into = Some(word);
        }
    }

    /// Reads a list of words.
    pub(crate) fn words<W: Word>(&mut self, key: &'static str, into: &mut Vec<W>) {
        let Some(nodes) = self.list(key) else { return };
        let words = nodes
            .iter()
            .enumerate()
            .filter_map(|(index, node)| self.word_of(&format!("{key}[{index}]"), node));
        *into = words.collect();
    }

    /// Reads a text.
    pub(crate) fn text(&mut self, key: &'static str, wanted: Wanted, into: &mut String) {
        let Some(node) = self.take(key) else { return };
        if let Some(text) = self.text_of(key, &node, wanted) {
            *into = text;
        }
    }

    /// Reads a text that has to be there.
    pub(crate) fn needed(&mut self, key: &'static str, wanted: Wanted, into: &mut String) {
        if self.has(key) {
            return self.text(key, wanted, into);
        }
        self.missing(key, wanted.said);
    }

    /// Reads a text that need not be there; `null` takes it away.
    pub(crate) fn maybe_text(
        &mut self,
        key: &'static str,
        wanted: Wanted,
        into: &mut Option<String>,
    ) {
        let Some(node) = self.take(key) else { return };
        match node.value {
            Value::Null => *into = None,
            _ => {
                if let Some(text) = self.text_of(key, &node, wanted) {
                    *into = Some(text);
                }
            }
        }
    }

    /// Reads a text that need not be there, and that names something; `null` takes it away. `named` returns the name
    /// by which the thing goes, or what is expected of one that names nothing.
    pub(crate) fn maybe_named(
        &mut self,
        key: &'static str,
        wanted: Wanted,
        named: impl FnOnce(&str) -> Result<String, String>,
        into: &mut Option<String>,
    ) {
        let Some(node) = self.take(key) else { return };
        if matches!(node.value, Value::Null) {
            *into = None;
        } else if let Some(text) = self.text_of(key, &node, wanted) {
            match named(&text) {
                Ok(name) => *into = Some(name),
                Err(expected) => self.unfit(key, &node, expected),
            }
        }
    }

    /// Reads a list of texts.
    pub(crate) fn texts(&mut self, key: &'static str, wanted: Wanted, into: &mut Vec<String>) {
        let Some(nodes) = self.list(key) else { return };
        let texts = nodes
            .iter()
            .enumerate()
            .filter_map(|(index, node)| self.text_of(&format!("{key}[{index}]"), node, wanted));
        *into = texts.collect();
    }

    /// Reads a list of texts that need not be there; `null` takes it away.
    pub(crate) fn maybe_texts(
        &mut self,
        key: &'static str,
        wanted: Wanted,
        into: &mut Option<Vec<String>>,
    ) {
        let is_null =
            |(name, node): &(String, Node)| name == key && matches!(node.value, Value::Null);
        if self.fields.iter().any(is_null) {
            self.take(key);
            *into = None;
        } else if self.has(key) {
            let mut texts = Vec::new();
            self.texts(key, wanted, &mut texts);
            *into = Some(texts);
        }
    }

    /// Returns all keys and texts of a table whose keys are anybody's choice.
    pub(crate) fn into_texts(self, key: Wanted, text: Wanted) -> Vec<(String, String)> {
        let texts = self.fields.iter().filter_map(|(name, node)| {
            if !(key.fits)(name) {
                self.mistakes
                    .push(node.line, &self.at(name), None, key.said);
                return None;
            }
            Some((name.clone(), self.text_of(name, node, text)?))
        });
        texts.collect()
    }

    /// Returns the elements of a list, if one was given.
    pub(crate) fn list(&mut self, key: &'static str) -> Option<Vec<Node>> {
        let node = self.take(key)?;
        match node.value {
            Value::List(nodes) => Some(nodes),
            _ => {
                self.unfit(key, &node, "a list");
                None
            }
        }
    }

    /// Returns a table within, if one was given.
    pub(crate) fn section(&mut self, key: &'static str) -> Option<Self> {
        let node = self.take(key)?;
        if node.line.is_some()
            && let Value::List(nodes) = &node.value
            && nodes
                .iter()
                .all(|node| matches!(node.value, Value::Table(_)))
        {
            let expected = format!("it once, as [{}]", self.heading(key));
            self.mistakes.push(node.line, &self.at(key), None, expected);
            return None;
        }
        Self::new(node, self.at(key), self.mistakes)
    }

    /// Returns the tables of a list, if one was given; what is no table among them is said to be none.
    pub(crate) fn sections(&mut self, key: &'static str) -> Option<Vec<Self>> {
        let node = self.take(key)?;
        let nodes = match node.value {
            Value::List(nodes) => nodes,
            // In TOML a heading below it makes a table of what is a list.
            Value::Table(_) if node.line.is_some() => {
                let heading = self.heading(key);
                let expected = format!(
                    "each to begin with [[{heading}]], before any [{heading}.…] or [[{heading}.…]] of its own"
                );
                self.mistakes.push(node.line, &self.at(key), None, expected);
                return None;
            }
            _ => {
                self.unfit(key, &node, "a list");
                return None;
            }
        };
        let sections = nodes.into_iter().enumerate().filter_map(|(index, node)| {
            Self::new(node, self.at(&format!("{key}[{index}]")), self.mistakes)
        });
        Some(sections.collect())
    }
}
