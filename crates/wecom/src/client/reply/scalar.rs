//! A value of JSON of which only a number or a text is kept.
//!
//! What stands in the place of an `errcode` may be anything, and a tree of small objects takes a hundred times the
//! memory of its text.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};

/// A number or a text, or that it was neither.
#[derive(Debug, Default, Eq, PartialEq)]
pub(super) enum Scalar {
    /// Absent, or `null`.
    #[default]
    Null,
    /// A whole number.
    Whole(i64),
    /// A text.
    Text(String),
    /// Anything else; nothing is kept of it.
    Other,
}

struct Scalars;

// === impl Scalar ===

impl Scalar {
    /// Returns the text, if it is one.
    pub(super) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Null | Self::Whole(_) | Self::Other => None,
        }
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Scalars)
    }
}

// === impl Scalars ===

impl<'de> Visitor<'de> for Scalars {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Scalar, E> {
        Ok(Scalar::Null)
    }

    fn visit_i64<E>(self, number: i64) -> Result<Scalar, E> {
        Ok(Scalar::Whole(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Scalar, E> {
        Ok(i64::try_from(number).map_or(Scalar::Other, Scalar::Whole))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Scalar, E> {
        // As some write whole numbers; a text is the way to one without a cast that may lose.
        let whole = format!("{number:.0}").parse().ok();
        let whole = whole.filter(|_| number.fract() == 0.0);
        Ok(whole.map_or(Scalar::Other, Scalar::Whole))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Scalar, E> {
        Ok(Scalar::Other)
    }

    fn visit_str<E>(self, text: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Scalar, A::Error> {
        while elements.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Scalar, A::Error> {
        while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_numbers_and_texts_and_nothing_of_anything_else() {
        for (json, scalar) in [
            ("null", Scalar::Null),
            ("-1", Scalar::Whole(-1)),
            ("45009", Scalar::Whole(45009)),
            ("18446744073709551615", Scalar::Other),
            ("0.5", Scalar::Other),
            ("40014.0", Scalar::Whole(40014)),
            ("0.0", Scalar::Whole(0)),
            ("1e300", Scalar::Other),
            ("true", Scalar::Other),
            (r#""ok""#, Scalar::Text("ok".to_owned())),
            (r#"[{"":0},{"":[1,{}]}]"#, Scalar::Other),
            (r#"{"a":{"b":[]}}"#, Scalar::Other),
        ] {
            assert_eq!(
                serde_json::from_str::<Scalar>(json).unwrap(),
                scalar,
                "{json}"
            );
        }
    }
}
