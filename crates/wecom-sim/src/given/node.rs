//! A tree of values with their lines, made of TOML or JSON.

use std::{borrow::Cow, ops::Range};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::mistake::Faulty;

/// A value, and where it was written.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) value: Value,
    /// The line of its key, from 1; none in a request.
    pub(crate) line: Option<usize>,
    /// The first line of it as it was written.
    pub(crate) written: String,
}

/// A value by its type.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// JSON's `null`.
    Null,
    Flag(bool),
    Whole(i128),
    Float(f64),
    Text(String),
    /// TOML's dates, which no key takes.
    Date,
    List(Vec<Node>),
    Table(Vec<(String, Node)>),
}

/// A text of which parts are asked for by their bytes.
struct Source<'a> {
    text: &'a str,
    /// Where each line but the first begins.
    lines: Vec<usize>,
}

// === impl Node ===

impl Node {
    /// Takes TOML apart.
    ///
    /// # Errors
    ///
    /// If it is not TOML, with each place that does not parse. The line itself is not told: it may hold a secret.
    pub(crate) fn toml(text: &str, name: &str) -> Result<Self, Faulty> {
        let ends = text.match_indices('\n');
        let source = Source {
            text,
            lines: ends.map(|(end, _)| end + 1).collect(),
        };
        let root = DeTable::parse(text).map_err(|error| {
            let line = source.line(error.span().map_or(text.len(), |span| span.start));
            let message = error.message().replace('\n', ", ");
            Faulty::of(Some(name), Some(line), format!("not TOML: {message}"))
        })?;
        Ok(Self {
            value: source.table(root.get_ref()),
            line: None,
            written: String::new(),
        })
    }

    /// Takes JSON apart.
    ///
    /// # Errors
    ///
    /// If it is not JSON.
    pub(crate) fn json(body: &[u8]) -> Result<Self, Faulty> {
        let value: serde_json::Value = serde_json::from_slice(body).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let told = format!("the body is no JSON: line {line}, column {column}");
            Faulty::of(None, None, told)
        })?;
        Ok(value.into())
    }
}

impl From<serde_json::Value> for Node {
    fn from(given: serde_json::Value) -> Self {
        use serde_json::Value as Json;

        // What a list or table holds is told by its own keys.
        let written = match &given {
            Json::Array(_) => String::from("[…]"),
            Json::Object(_) => String::from("{…}"),
            other => other.to_string(),
        };
        let value = match given {
            Json::Null => Value::Null,
            Json::Bool(flag) => Value::Flag(flag),
            Json::Number(number) => number.as_i128().map_or_else(
                || Value::Float(number.as_f64().unwrap_or(f64::NAN)),
                Value::Whole,
            ),
            Json::String(text) => Value::Text(text),
            Json::Array(values) => Value::List(values.into_iter().map(Self::from).collect()),
            Json::Object(fields) => Value::Table(
                fields
                    .into_iter()
                    .map(|(key, value)| (key, value.into()))
                    .collect(),
            ),
        };
        Self {
            value,
            line: None,
            written,
        }
    }
}

// === impl Source ===

impl Source<'_> {
    fn table(&self, table: &DeTable<'_>) -> Value {
        let mut fields: Vec<(Range<usize>, &Spanned<Cow<'_, str>>, &Spanned<DeValue<'_>>)> = table
            .iter()
            .map(|(key, value)| (key.span(), key, value))
            .collect();
        fields.sort_by_key(|(span, ..)| span.start);
        let fields = fields.into_iter().map(|(span, key, value)| {
            let name = String::from(key.get_ref().as_ref());
            (name, self.node(span.start, value))
        });
        Value::Table(fields.collect())
    }

    fn node(&self, at: usize, value: &Spanned<DeValue<'_>>) -> Node {
        let span = value.span();
        // A table's span begins at its heading, which its key may share with others.
        let at = if value.get_ref().is_table() {
            span.start
        } else {
            at
        };
        let written = self.text.get(span).unwrap_or_default();
        Node {
            value: self.value(value.get_ref()),
            line: Some(self.line(at)),
            written: String::from(written.lines().next().unwrap_or_default()),
        }
    }

    fn value(&self, value: &DeValue<'_>) -> Value {
        match value {
            DeValue::String(text) => Value::Text(String::from(text.as_ref())),
            DeValue::Integer(whole) => i128::from_str_radix(whole.as_str(), whole.radix())
                .map_or(Value::Float(f64::NAN), Value::Whole),
            DeValue::Float(float) => Value::Float(float.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Boolean(flag) => Value::Flag(*flag),
            DeValue::Datetime(_) => Value::Date,
            DeValue::Array(values) => {
                let nodes = values
                    .iter()
                    .map(|value| self.node(value.span().start, value));
                Value::List(nodes.collect())
            }
            DeValue::Table(table) => self.table(table),
        }
    }

    fn line(&self, at: usize) -> usize {
        1 + self.lines.partition_point(|begin| *begin <= at)
    }
}
