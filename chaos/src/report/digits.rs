//! Numbers in data: as many digits as mean something, so that the last bits of a sum do not show.

use serde::{Serialize as _, Serializer};

/// Rounds to six significant digits.
#[must_use]
pub fn round(value: f64) -> f64 {
    to(value, 6)
}

/// Rounds to so many significant digits, at least 1, half to even on the decimal that the value stands for.
#[must_use]
pub fn to(value: f64, digits: usize) -> f64 {
    if !value.is_finite() {
        return value;
    }
    let text = format!("{value:.*e}", digits.saturating_sub(1));
    let rounded: f64 = text.parse().unwrap_or(value);
    // No -0.0 in data.
    rounded + 0.0
}

/// For `serialize_with`: rounded, null if not finite.
///
/// # Errors
///
/// Those of the serializer.
pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    round(*value).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_to_significant_digits() {
        let rounded = [
            (1.0 / 3.0, 4, "0.3333"),
            (123_456.789, 4, "123500.0"),
            (0.1 + 0.2, 6, "0.3"),
            (-0.0, 6, "0.0"),
            (0.0, 3, "0.0"),
            (1e-9, 3, "1e-9"),
            (999.96, 4, "1000.0"),
        ];
        for (value, digits, text) in rounded {
            assert_eq!(serde_json::to_string(&to(value, digits)).unwrap(), text);
        }
        assert_eq!(serde_json::to_string(&round(f64::NAN)).unwrap(), "null");
    }
}
