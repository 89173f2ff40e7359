//! What a value is taken for.

use super::{
    document::Value,
    key::{Range, Takes},
};

impl Value {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn number_in(&self, range: Range) -> Option<f64> {
        let number = match self {
            Self::Whole(whole) => as_number((*whole)?),
            Self::Float(number) => *number,
            _ => return None,
        };
        range.contains(number).then_some(number)
    }

    pub(super) fn whole_in(&self, range: Range) -> Option<i64> {
        match self {
            Self::Whole(Some(whole)) if range.contains(as_number(*whole)) => Some(*whole),
            _ => None,
        }
    }

    pub(super) fn list<'v, T>(&'v self, each: impl Fn(&'v Self) -> Option<T>) -> Option<Vec<T>> {
        match self {
            Self::List(values) => values.iter().map(each).collect(),
            _ => None,
        }
    }

    /// Defaults of whole numbers are written as the numbers they are.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a default is a small whole number"
    )]
    pub(super) const fn from_preset(number: f64) -> Option<i64> {
        Some(number as i64)
    }
}

/// Returns the nearest double: of numbers that large, only whether they are in a range is of interest.
#[expect(
    clippy::cast_precision_loss,
    reason = "ranges of whole numbers end below 2^53"
)]
const fn as_number(whole: i64) -> f64 {
    whole as f64
}

impl Takes {
    /// Returns the numbers it takes, if it takes numbers.
    pub(super) const fn range(&self) -> Option<Range> {
        match self {
            Self::Number(range)
            | Self::Whole(range)
            | Self::Numbers(range)
            | Self::Wholes(range)
            | Self::WholeOrUnlimited(range)
            | Self::WholeOrWholes(range) => Some(*range),
            _ => None,
        }
    }
}
