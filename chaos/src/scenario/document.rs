//! A TOML document, taken apart into sections, keys and values with their lines.

use std::{cell::Cell, ops::Range};

use toml::{
    Spanned,
    de::{DeTable, DeValue, Error},
    value::Datetime,
};

use super::{
    key::Schema,
    keys::{self, SECTIONS},
    mistake::{Mistake, Mistakes},
    nearest::nearest,
};

/// What a document holds, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub(super) sections: Vec<Raw>,
    /// Whether all sections of the text are among them.
    pub(super) is_complete: bool,
}

/// A section before anybody looked at its keys.
#[derive(Debug)]
pub(super) struct Raw {
    pub(super) schema: &'static Schema,
    pub(super) place: String,
    pub(super) order: usize,
    pub(super) given: Vec<Given>,
}

/// One key and its value.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) key: String,
    pub(super) value: Value,
    /// The value as it was written, its first line.
    pub(super) written: String,
    pub(super) place: String,
    /// The byte of the file.
    pub(super) order: usize,
}

/// A value by its type.
#[derive(Debug)]
pub(super) enum Value {
    /// `None` for one that has more than 64 bits.
    Whole(Option<i64>),
    Float(f64),
    Flag(bool),
    Text(String),
    Date(Datetime),
    List(Vec<Self>),
    Table,
}

/// The text, for saying where in it something is.
struct Source<'a> {
    text: &'a str,
    name: &'a str,
    /// Where each line but the first begins.
    lines: Vec<usize>,
    mistakes: &'a Mistakes,
    /// Whether something was left out that may have been meant for a section.
    has_strays: Cell<bool>,
}

type Table<'t> = DeTable<'t>;

// === impl Document ===

impl Document {
    /// Takes `text` apart; `None` if it is not TOML.
    ///
    /// What does not parse can turn the rest into something that nobody wrote, so the rest is not looked
    /// at then. A key given twice does no such harm.
    pub(super) fn parse(text: &str, name: &str, mistakes: &Mistakes) -> Option<Self> {
        let ends = text.match_indices('\n');
        let source = Source {
            text,
            name,
            lines: ends.map(|(end, _)| end + 1).collect(),
            mistakes,
            has_strays: Cell::new(false),
        };
        let (root, errors) = DeTable::parse_recoverable(text);
        for error in &errors {
            mistakes.push_with(|| source.syntax(error));
        }
        if errors.iter().any(|error| error.message() != GIVEN_TWICE) {
            return None;
        }
        let twice = errors
            .iter()
            .filter_map(Error::span)
            .map(|span| source.slice(&span));
        let mut twice = twice.map(|name| name.trim_matches(['"', '\'']));
        let is_section = |name| SECTIONS.iter().any(|schema| schema.name == name);
        source.has_strays.set(twice.any(is_section));
        let mut sections = source.sections(root.get_ref());
        for section in &mut sections {
            section.given.sort_by_key(|given| given.order);
        }
        sections.sort_by_key(|section| section.order);
        let is_complete = !source.has_strays.get();
        Some(Self {
            sections,
            is_complete,
        })
    }
}

// === impl Source ===

impl<'a> Source<'a> {
    fn sections(&self, root: &Table<'_>) -> Vec<Raw> {
        let mut top = self.raw(&keys::TOP, 0..0);
        let mut found = Vec::new();
        for (key, value) in root {
            let name = key.get_ref().as_ref();
            let schema = SECTIONS.iter().find(|schema| schema.name == name);
            match (schema, value.get_ref()) {
                (Some(schema), DeValue::Array(elements)) if schema.is_list => {
                    found.extend(
                        elements
                            .iter()
                            .filter_map(|it| self.element(schema, key, it)),
                    );
                }
                (Some(schema), DeValue::Table(table)) if !schema.is_list => {
                    found.push(self.section(schema, value.span(), table));
                }
                (Some(schema), _) => self.misplaced(key, value, schema.heading()),
                (None, DeValue::Table(_)) => self.misplaced(key, value, known_section(name)),
                (None, DeValue::Array(elements))
                    if elements.iter().any(|it| it.get_ref().is_table()) =>
                {
                    self.misplaced(key, value, known_section(name));
                }
                (None, _) => top.given.push(self.given(name, key, value)),
            }
        }
        found.push(top);
        found
    }

    fn element<K>(
        &self,
        schema: &'static Schema,
        key: &Spanned<K>,
        element: &Spanned<DeValue<'_>>,
    ) -> Option<Raw> {
        let DeValue::Table(table) = element.get_ref() else {
            self.misplaced(key, element, schema.heading());
            return None;
        };
        Some(self.section(schema, element.span(), table))
    }

    fn section(&self, schema: &'static Schema, span: Range<usize>, table: &Table<'_>) -> Raw {
        let mut raw = self.raw(schema, span);
        for (key, value) in table {
            raw.given.push(self.given(key.get_ref(), key, value));
        }
        raw
    }

    fn raw(&self, schema: &'static Schema, span: Range<usize>) -> Raw {
        Raw {
            schema,
            place: self.place(&span),
            order: span.start,
            given: Vec::new(),
        }
    }

    /// Says what should be where a section or a value was found.
    fn misplaced<K>(&self, key: &Spanned<K>, value: &Spanned<DeValue<'_>>, allowed: String) {
        self.has_strays.set(true);
        self.mistakes.push_with(|| {
            let (name, written) = (self.slice(&key.span()), self.slice(&value.span()));
            // A section's own span begins at its heading; its key's is the first of that name.
            let is_heading = written.starts_with('[');
            let span = if is_heading { value.span() } else { key.span() };
            let mistake = Mistake::new(&self.place(&span), span.start, allowed);
            match is_heading || written == name {
                true => mistake.value_is(written),
                false => mistake.key_is(name).value_is(written),
            }
        });
    }

    fn given<K>(&self, name: &str, key: &Spanned<K>, value: &Spanned<DeValue<'_>>) -> Given {
        let span = key.span();
        Given {
            key: String::from(name),
            value: Value::from(value.get_ref()),
            written: String::from(self.slice(&value.span())),
            place: self.place(&span),
            order: span.start,
        }
    }

    fn syntax(&self, error: &Error) -> Mistake {
        let span = error.span().unwrap_or(self.text.len()..self.text.len());
        let place = self.place(&span);
        if error.message() == GIVEN_TWICE {
            let mistake = Mistake::new(&place, span.start, "each key once");
            return mistake.key_is(self.slice(&span));
        }
        let message = error.message().replace('\n', ", ");
        Mistake::new(&place, span.start, format!("TOML: {message}"))
            .value_is(self.line(span.start).trim())
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
            DeValue::Integer(integer) => {
                Self::Whole(i64::from_str_radix(integer.as_str(), integer.radix()).ok())
            }
            DeValue::Float(float) => Self::Float(float.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Boolean(flag) => Self::Flag(*flag),
            DeValue::Datetime(date) => Self::Date(*date),
            DeValue::Array(values) => {
                Self::List(values.iter().map(|value| value.get_ref().into()).collect())
            }
            DeValue::Table(_) => Self::Table,
        }
    }
}

impl Schema {
    /// Returns how the file begins such a section.
    pub(super) fn heading(&self) -> String {
        match self.is_list {
            true => format!("[[{}]]", self.name),
            false => format!("[{}]", self.name),
        }
    }
}

fn known_section(name: &str) -> String {
    let names = SECTIONS.iter().map(|schema| schema.name);
    let near = nearest(name, names);
    let near = near.and_then(|near| SECTIONS.iter().find(|schema| schema.name == near));
    near.map_or_else(
        || String::from("a known section"),
        |near| format!("a known section, perhaps {}", near.heading()),
    )
}

/// How the parser says it.
const GIVEN_TWICE: &str = "duplicate key";
