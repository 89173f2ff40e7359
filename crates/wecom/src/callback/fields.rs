//! The fields of a message, in the order in which they came.

use std::{fmt, sync::Arc};

use super::{rejected::Rejected, xml};

/// All fields of a message by name, whether this version knows them or not. Cheap to clone.
///
/// The name of a field within others is its path, such as `ExtAttr/Item/Name`; several may have one name. Text
/// is kept to the last space. `Debug` shows the names alone, for the values are people's.
#[derive(Clone, Eq, PartialEq)]
pub struct Fields(Arc<Collected>);

/// The fields while they are read: all names and values in one text.
#[derive(Eq, PartialEq)]
pub(super) struct Collected {
    text: String,
    entries: Vec<Entry>,
}

/// Where a name begins and ends, and where the value that follows it ends.
#[derive(Clone, Copy, Eq, PartialEq)]
struct Entry {
    name: usize,
    value: usize,
    end: usize,
}

// === impl Fields ===

impl Fields {
    /// Reads a decrypted message.
    ///
    /// # Errors
    ///
    /// [`Rejected::Message`] if it is not XML, or more of it than WeCom sends: a document type, an entity of its
    /// own, more than 1,024 fields, 8 levels or 64 bytes of a name.
    pub fn parse(message: &str) -> Result<Self, Rejected> {
        let collected = xml::parse(message).map_err(|_| Rejected::Message)?;
        Ok(Self(Arc::new(collected)))
    }

    /// Returns the first field of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut all = self.iter();
        all.find_map(|(this, value)| (this == name).then_some(value))
    }

    /// Returns all names and values, in order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        let Collected { text, entries } = &*self.0;
        let of = |entry: &Entry| {
            (
                &text[entry.name..entry.value],
                &text[entry.value..entry.end],
            )
        };
        entries.iter().map(of)
    }

    /// Returns how many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.entries.len()
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.entries.is_empty()
    }

    /// Returns the first field of this name unless it is empty, which WeCom writes for "none" at times.
    pub(super) fn some(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !value.is_empty())
    }
}

impl From<Collected> for Fields {
    fn from(collected: Collected) -> Self {
        Self(Arc::new(collected))
    }
}

impl fmt::Debug for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fields")?;
        f.debug_list()
            .entries(self.iter().map(|(name, _)| name))
            .finish()
    }
}

// === impl Collected ===

impl Collected {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self {
            text: String::with_capacity(bytes),
            entries: Vec::with_capacity(16),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn push(&mut self, name: &str, value: &str) {
        let start = self.text.len();
        self.text.push_str(name);
        self.text.push_str(value);
        self.entries.push(Entry {
            name: start,
            value: start + name.len(),
            end: self.text.len(),
        });
    }
}
