//! Values as somebody gave them, before anybody knows what they are for.

use super::fault::{Fault, Faults};

/// One key and its value, from a file or the environment.
pub(super) struct Given {
    /// The key as files have it, dotted.
    pub(super) key: String,
    /// The key as this place has it.
    pub(super) name: String,
    pub(super) value: Value,
    /// The value as it was written.
    pub(super) written: String,
    pub(super) place: String,
    /// Its position among the others of its place.
    pub(super) order: usize,
}

/// A value by its type; variables have none and are taken for what the key needs.
pub(super) enum Value {
    Whole(f64),
    Float(f64),
    Text(String),
    List(Vec<Self>),
    Variable(String),
    /// A truth value, date or table: no key takes one.
    Other,
}

// === impl Given ===

impl Given {
    pub(super) fn fault(&self, allowed: impl Into<String>) -> Fault {
        Fault::new(allowed)
            .key_is(&self.name)
            .value_is(&self.written)
            .at(&self.place, self.order)
    }

    /// Returns what `read` makes of the value, or puts down that something else is allowed.
    pub(super) fn read<T>(
        &self,
        faults: &mut Faults,
        read: impl FnOnce(&Value) -> Option<T>,
        allowed: impl FnOnce() -> String,
    ) -> Option<T> {
        let value = read(&self.value);
        if value.is_none() {
            faults.push(self.fault(allowed()));
        }
        value
    }
}

// === impl Value ===

impl Value {
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Whole(number) | Self::Float(number) => Some(*number),
            Self::Variable(text) => text.trim().parse().ok(),
            Self::Text(_) | Self::List(_) | Self::Other => None,
        }
    }

    pub(super) fn whole(&self) -> Option<f64> {
        match self {
            Self::Whole(number) => Some(*number),
            Self::Variable(text) => text.trim().parse::<u32>().ok().map(f64::from),
            Self::Float(_) | Self::Text(_) | Self::List(_) | Self::Other => None,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Variable(text) => Some(text),
            Self::Whole(_) | Self::Float(_) | Self::List(_) | Self::Other => None,
        }
    }

    /// Returns the texts of a list; a variable has them between commas.
    pub(super) fn texts(&self) -> Option<Vec<String>> {
        let text = |value: &Self| value.text().map(String::from);
        match self {
            Self::List(values) => values.iter().map(text).collect(),
            Self::Variable(list) => {
                let parts = list.split(',').map(str::trim);
                Some(
                    parts
                        .filter(|part| !part.is_empty())
                        .map(String::from)
                        .collect(),
                )
            }
            Self::Whole(_) | Self::Float(_) | Self::Text(_) | Self::Other => None,
        }
    }

    /// Returns a list of two numbers; a variable has them between a comma.
    pub(super) fn two_numbers(&self) -> Option<(f64, f64)> {
        match self {
            Self::List(values) => match values.as_slice() {
                [low, high] => Some((low.number()?, high.number()?)),
                _ => None,
            },
            Self::Variable(list) => {
                let (low, high) = list.split_once(',')?;
                Some((low.trim().parse().ok()?, high.trim().parse().ok()?))
            }
            Self::Whole(_) | Self::Float(_) | Self::Text(_) | Self::Other => None,
        }
    }
}
