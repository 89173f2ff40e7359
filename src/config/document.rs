//! A TOML document, taken apart into keys and values with their lines.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeTable, DeValue, Error},
};

use super::{
    fault::{Fault, Faults},
    given::{Given, Value},
    read::{Names, keys, known_key},
};

/// What a document holds, sorted by what it is for, each in the order of the text.
#[derive(Default)]
pub(super) struct Document {
    pub(super) given: Vec<Given>,
    pub(super) businesses: Vec<Given>,
}

/// The text, for saying where in it something is.
struct Source<'a> {
    text: &'a str,
    name: &'a str,
    /// Where each line but the first begins.
    lines: Vec<usize>,
}

// === impl Document ===

impl Document {
    /// Takes `text` apart; `None` if it is not TOML.
    ///
    /// What does not parse can turn the rest into something that nobody wrote, so the rest is not looked
    /// at then. A key given twice does no such harm.
    pub(super) fn parse(text: &str, name: &str, faults: &mut Faults) -> Option<Self> {
        let source = Source::new(text, name);
        let (root, errors) = DeTable::parse_recoverable(text);
        for error in &errors {
            faults.push_with(|| source.syntax_fault(error));
        }
        if errors.iter().any(|error| error.message() != GIVEN_TWICE) {
            return None;
        }
        let mut document = Self::default();
        source.collect(root.get_ref(), &mut document, faults);
        document.given.sort_by_key(|given| given.order);
        document.businesses.sort_by_key(|given| given.order);
        Some(document)
    }
}

// === impl Source ===

impl<'a> Source<'a> {
    fn new(text: &'a str, name: &'a str) -> Self {
        let ends = text.match_indices('\n');
        let lines = ends.map(|(end, _)| end + 1).collect();
        Self { text, name, lines }
    }

    /// Walks the tree, one level into the sections there are.
    fn collect(&self, root: &DeTable<'_>, document: &mut Document, faults: &mut Faults) {
        for (key, value) in root {
            let name = key.get_ref().as_ref();
            if !NAMES.sections.contains(&name) {
                // A dot inside quotes is not one between a section and its key.
                let quoted = name.contains('.').then(|| format!("{name:?}"));
                let path = quoted.as_deref().unwrap_or(name);
                self.add(path, key, value, &mut document.given, faults);
                continue;
            }
            let DeValue::Table(section) = value.get_ref() else {
                let given = self.given(name, key, value);
                faults.push(given.fault(format!("a section, [{name}]")));
                continue;
            };
            for (key, value) in section {
                if name == "business" {
                    let mut given = self.given(key.get_ref(), key, value);
                    given.name = format!("business.{:?}", given.key);
                    document.businesses.push(given);
                } else {
                    let path = format!("{name}.{}", key.get_ref());
                    self.add(&path, key, value, &mut document.given, faults);
                }
            }
        }
    }

    /// Takes a key and its value, unless the value is a section: there are none but those walked.
    fn add<K>(
        &self,
        path: &str,
        key: &Spanned<K>,
        value: &Spanned<DeValue<'_>>,
        given: &mut Vec<Given>,
        faults: &mut Faults,
    ) {
        if matches!(value.get_ref(), DeValue::Table(_)) {
            faults.push_with(|| {
                let span = key.span();
                let known = keys().any(|key| key == path);
                let allowed = known.then(|| String::from("a value"));
                let allowed = allowed.unwrap_or_else(|| known_key(path, NAMES));
                let fault = Fault::new(allowed).key_is(path);
                fault.at(&self.place(&span), span.start)
            });
        } else {
            given.push(self.given(path, key, value));
        }
    }

    fn given<K>(&self, path: &str, key: &Spanned<K>, value: &Spanned<DeValue<'_>>) -> Given {
        let span = key.span();
        Given {
            key: String::from(path),
            name: String::from(path),
            value: Value::from(value.get_ref()),
            written: String::from(self.slice(&value.span())),
            place: self.place(&span),
            order: span.start,
        }
    }

    fn syntax_fault(&self, error: &Error) -> Fault {
        let span = error.span().unwrap_or(self.text.len()..self.text.len());
        let place = self.place(&span);
        if error.message() == GIVEN_TWICE {
            let fault = Fault::new("each key once").key_is(self.slice(&span));
            return fault.at(&place, span.start);
        }
        let message = error.message().replace('\n', ", ");
        let fault = Fault::new(format!("TOML: {message}"));
        let fault = fault.value_is(self.line(span.start).trim());
        fault.at(&place, span.start)
    }

    fn place(&self, span: &Range<usize>) -> String {
        let line = 1 + self.lines.partition_point(|begin| *begin <= span.start);
        format!("{}:{line}", self.name)
    }

    /// Returns the first line of a part of the text.
    fn slice(&self, span: &Range<usize>) -> &'a str {
        let text = self.text.get(span.clone()).unwrap_or_default();
        text.lines().next().unwrap_or_default()
    }

    /// Returns the line around a byte.
    fn line(&self, at: usize) -> &'a str {
        let index = self.lines.partition_point(|begin| *begin <= at);
        let begin = index.checked_sub(1).map_or(0, |before| self.lines[before]);
        self.slice(&(begin..self.text.len()))
    }
}

impl From<&DeValue<'_>> for Value {
    fn from(value: &DeValue<'_>) -> Self {
        match value {
            DeValue::String(text) => Self::Text(String::from(text.as_ref())),
            DeValue::Integer(integer) if integer.radix() == 10 => {
                Self::Whole(integer.as_str().parse().unwrap_or(f64::NAN))
            }
            // Nobody writes a large number in hexadecimal here: infinity is in no range.
            DeValue::Integer(integer) => {
                let number = u32::from_str_radix(integer.as_str(), integer.radix());
                Self::Whole(number.map_or(f64::INFINITY, f64::from))
            }
            DeValue::Float(float) => Self::Float(float.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Array(values) => {
                Self::List(values.iter().map(|value| value.get_ref().into()).collect())
            }
            DeValue::Boolean(_) | DeValue::Datetime(_) | DeValue::Table(_) => Self::Other,
        }
    }
}

pub(super) const NAMES: Names = Names {
    of: str::to_owned,
    sections: &["concurrency", "refusal", "business"],
};

/// How the parser says it.
const GIVEN_TWICE: &str = "duplicate key";
