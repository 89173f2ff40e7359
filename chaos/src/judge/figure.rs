//! A measured value, and whether it is within a bound.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::{report::digits, scenario::Bound};

/// What was measured. In data a number of six digits, or null.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Figure {
    /// This much.
    Is(f64),
    /// Beyond all measure: a recovery that did not come, a ratio to nothing.
    Never,
    /// There was nothing to measure.
    #[default]
    Unknown,
}

/// What a figure counts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Unit {
    /// A share, 0 to 1, or a little above where a moment borrows from the next.
    Share,
    /// Milliseconds.
    Milliseconds,
    /// Seconds.
    Seconds,
    /// How many times as much.
    Times,
    /// Weight (calls or tasks) a second.
    Rate,
}

// === impl Figure ===

impl Figure {
    /// A part of a whole; unknown if the whole is nothing.
    #[must_use]
    pub fn ratio(part: f64, whole: f64) -> Self {
        if whole > 0.0 {
            Self::of(part / whole)
        } else {
            Self::Unknown
        }
    }

    /// A number, which may have become infinite.
    #[must_use]
    pub fn of(value: f64) -> Self {
        match value {
            value if value.is_finite() => Self::Is(value),
            value if value.is_nan() => Self::Unknown,
            _ => Self::Never,
        }
    }

    /// Returns the number, if it is one.
    #[must_use]
    pub const fn number(self) -> Option<f64> {
        match self {
            Self::Is(value) => Some(value),
            Self::Never | Self::Unknown => None,
        }
    }

    /// Returns whether it is within the bound. What could not be measured is within none.
    #[must_use]
    pub fn is_within(self, bound: Bound) -> bool {
        match (self, bound) {
            (Self::Is(value), Bound::AtLeast(least)) => value >= least,
            (Self::Is(value), Bound::AtMost(most)) => value <= most,
            (Self::Never, bound) => matches!(bound, Bound::AtLeast(_)),
            (Self::Unknown, _) => false,
        }
    }

    /// Returns the one that is farther from holding. What could not be measured is left out, unless nothing could.
    #[must_use]
    pub fn worse(self, other: Self, bound: Bound) -> Self {
        match (self, other, bound) {
            (Self::Unknown, other, _) => other,
            (this, Self::Unknown, _) => this,
            (Self::Is(one), Self::Is(two), Bound::AtLeast(_)) => Self::Is(one.min(two)),
            (Self::Is(one), Self::Is(two), Bound::AtMost(_)) => Self::Is(one.max(two)),
            (Self::Is(one), Self::Never, Bound::AtLeast(_)) => Self::Is(one),
            (Self::Never, other, Bound::AtLeast(_)) => other,
            (Self::Never, _, Bound::AtMost(_)) | (_, Self::Never, Bound::AtMost(_)) => Self::Never,
        }
    }
}

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.number().map(digits::round).serialize(serializer)
    }
}

// === impl Unit ===

impl Unit {
    /// Returns the word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Share => "share",
            Self::Milliseconds => "ms",
            Self::Seconds => "s",
            Self::Times => "times",
            Self::Rate => "a second",
        }
    }

    /// Writes a value for people: shares with three places (or more if it is all but 1), times with what tells them
    /// apart, and the unit where it is not plain.
    #[must_use]
    pub fn show(self, figure: Figure) -> String {
        let value = match figure {
            Figure::Is(value) => value,
            Figure::Never if matches!(self, Self::Seconds | Self::Rate) => return "never".into(),
            Figure::Never => return "\u{221e}".into(),
            Figure::Unknown => return "-".into(),
        };
        match self {
            // 0.9996 must not read as a full 1.000.
            Self::Share if (0.9995..1.0).contains(&value) => format!("{:.5}", value.min(0.99999)),
            Self::Share => format!("{value:.3}"),
            Self::Milliseconds if value < 100.0 => format!("{value:.1} ms"),
            Self::Milliseconds if value < 10_000.0 => format!("{value:.0} ms"),
            Self::Milliseconds => format!("{:.1} s", value / 1e3),
            Self::Seconds => format!("{value:.1} s"),
            Self::Times => format!("{value:.2}x"),
            Self::Rate => format!("{value:.0}/s"),
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for Unit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_up_to_its_bound() {
        assert!(Figure::Is(0.95).is_within(Bound::AtLeast(0.95)));
        assert!(!Figure::Is(0.949).is_within(Bound::AtLeast(0.95)));
        assert!(Figure::Is(2.0).is_within(Bound::AtMost(2.0)));
        assert!(!Figure::Is(2.1).is_within(Bound::AtMost(2.0)));
    }

    #[test]
    fn never_is_more_than_anything_and_unknown_holds_nothing() {
        assert!(!Figure::Never.is_within(Bound::AtMost(1e9)));
        assert!(Figure::Never.is_within(Bound::AtLeast(20.0)));
        assert!(!Figure::Unknown.is_within(Bound::AtMost(1.0)));
        assert!(!Figure::Unknown.is_within(Bound::AtLeast(0.0)));
        assert_eq!(Figure::ratio(1.0, 0.0), Figure::Unknown);
        assert_eq!(Figure::of(f64::INFINITY), Figure::Never);
    }

    #[test]
    fn the_worse_one_depends_on_the_bound() {
        let (least, most) = (Bound::AtLeast(0.0), Bound::AtMost(0.0));
        let (one, two) = (Figure::Is(1.0), Figure::Is(2.0));
        for (a, b) in [(one, two), (two, one)] {
            assert_eq!(a.worse(b, least), one);
            assert_eq!(a.worse(b, most), two);
        }
        for (a, b) in [(one, Figure::Never), (Figure::Never, one)] {
            assert_eq!(a.worse(b, least), one);
            assert_eq!(a.worse(b, most), Figure::Never);
        }
        assert_eq!(Figure::Unknown.worse(one, most), one);
        assert_eq!(Figure::Never.worse(Figure::Unknown, least), Figure::Never);
    }

    #[test]
    fn reads_well_and_never_rounds_up_to_all() {
        let shown = [
            (Unit::Share, 0.949_96, "0.950"),
            (Unit::Share, 0.999_6, "0.99960"),
            (Unit::Share, 0.999_999_9, "0.99999"),
            (Unit::Share, 1.0, "1.000"),
            (Unit::Milliseconds, 18.44, "18.4 ms"),
            (Unit::Milliseconds, 435.6, "436 ms"),
            (Unit::Milliseconds, 13_973.0, "14.0 s"),
            (Unit::Seconds, 0.8, "0.8 s"),
            (Unit::Times, 1.034, "1.03x"),
        ];
        for (unit, value, text) in shown {
            assert_eq!(unit.show(Figure::Is(value)), text);
        }
        assert_eq!(Unit::Seconds.show(Figure::Never), "never");
    }

    #[test]
    fn is_a_number_of_six_digits_or_null_in_data() {
        let data = serde_json::to_string(&[Figure::Is(1.0 / 3.0), Figure::Never, Figure::Unknown]);
        assert_eq!(data.unwrap(), "[0.333333,null,null]");
    }
}
