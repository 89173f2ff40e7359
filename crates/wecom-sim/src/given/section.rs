//! One table of keys, from which a reader takes what it knows.

use super::{
    mistake::Mistakes,
    nearest::perhaps,
    node::{Node, Value},
};

/// A table while it is read. Each key is taken once; [`end`](Self::end) says which nobody took.
#[derive(Debug)]
pub(crate) struct Section<'a> {
    pub(super) mistakes: &'a Mistakes,
    path: String,
    line: Option<usize>,
    pub(super) fields: Vec<(String, Node)>,
    known: Vec<&'static str>,
}

/// What a text must be like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// As a message says it.
    pub(crate) said: &'static str,
    /// Whether a text is so.
    pub(crate) fits: fn(&str) -> bool,
    /// Whether a message must not show the text, but its length alone.
    pub(crate) is_secret: bool,
}

// === impl Section ===

impl<'a> Section<'a> {
    /// Returns the table, or says that it is none.
    pub(crate) fn new(node: Node, path: impl Into<String>, mistakes: &'a Mistakes) -> Option<Self> {
        let path = path.into();
        let Value::Table(fields) = node.value else {
            mistakes.push(node.line, &path, Some(&node.written), "a table of keys");
            return None;
        };
        Some(Self {
            mistakes,
            path,
            line: node.line,
            fields,
            known: Vec::new(),
        })
    }

    /// Returns what stands at a key, if it was given.
    pub(crate) fn take(&mut self, key: &'static str) -> Option<Node> {
        self.known.push(key);
        let place = self.fields.iter().position(|(name, _)| name == key)?;
        Some(self.fields.swap_remove(place).1)
    }

    /// Says which of the keys nobody took.
    pub(crate) fn end(self) {
        for (name, node) in &self.fields {
            let near = perhaps(name, self.known.iter().copied());
            let known = self.known.join(", ");
            let expected = match near.is_empty() {
                true => format!("one of the keys {known}"),
                false => format!("a known key{near}"),
            };
            self.mistakes
                .push(node.line, &self.at(name), None, expected);
        }
    }

    /// Returns whether a key is there and not taken yet.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.fields.iter().any(|(name, _)| name == key)
    }

    /// Returns the line on which it begins.
    pub(crate) fn line(&self) -> Option<usize> {
        self.line
    }

    /// Returns the path of one of its keys.
    pub(crate) fn at(&self, key: &str) -> String {
        match self.path.as_str() {
            "" => String::from(key),
            path => format!("{path}.{key}"),
        }
    }

    /// Returns one of its keys as a heading of TOML has it: without the places in lists.
    pub(super) fn heading(&self, key: &str) -> String {
        let path = self.at(key);
        let parts = path.split('.').map(|part| part.split('[').next());
        let parts: Vec<&str> = parts.flatten().collect();
        parts.join(".")
    }

    /// Says what is wrong with a key that is already taken.
    pub(crate) fn wrong(&self, key: &str, value: Option<&str>, expected: impl Into<String>) {
        self.mistakes
            .push(self.line, &self.at(key), value, expected);
    }

    /// Says that a key is not there that has to be.
    pub(crate) fn missing(&mut self, key: &'static str, expected: &str) {
        self.known.push(key);
        self.wrong(key, None, format!("{expected}; it is missing"));
    }

    /// Returns where mistakes go.
    pub(crate) fn mistakes(&self) -> &'a Mistakes {
        self.mistakes
    }

    pub(super) fn unfit(&self, key: &str, node: &Node, expected: impl Into<String>) {
        self.mistakes
            .push(node.line, &self.at(key), Some(&node.written), expected);
    }
}

// === impl Wanted ===

impl Wanted {
    /// A text that messages may show.
    pub(crate) const fn open(said: &'static str, fits: fn(&str) -> bool) -> Self {
        Self {
            said,
            fits,
            is_secret: false,
        }
    }

    /// A text of which messages tell the length alone.
    pub(crate) const fn secret(said: &'static str, fits: fn(&str) -> bool) -> Self {
        Self {
            said,
            fits,
            is_secret: true,
        }
    }
}
