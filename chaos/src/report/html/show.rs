//! Numbers for people.

/// Writes a rate: three digits and thousands as `k`.
pub(super) fn rate(value: f64) -> String {
    match value {
        value if value >= 999_500.0 => format!("{}M", short(value / 1e6)),
        value if value >= 9_995.0 => format!("{}k", short(value / 1e3)),
        value => short(value),
    }
}

/// Writes milliseconds, as seconds where that is shorter.
pub(super) fn millis(value: f64) -> String {
    if value >= 1000.0 {
        format!("{} s", short(value / 1e3))
    } else {
        format!("{} ms", short(value))
    }
}

/// Writes seconds.
pub(super) fn seconds(value: f64) -> String {
    format!("{} s", short(value))
}

/// Writes at most three digits behind which nothing is lost for the eye.
fn short(value: f64) -> String {
    let places = match value.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        _ => 2,
    };
    let text = format!("{value:.places$}");
    if text.contains('.') {
        return text.trim_end_matches('0').trim_end_matches('.').into();
    }
    text
}

/// Returns what can be an anchor.
pub(super) fn slug(text: &str) -> String {
    let plain = |letter: char| {
        if letter.is_ascii_alphanumeric() {
            letter
        } else {
            '-'
        }
    };
    text.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn are_short() {
        let rates = [
            (0.0, "0"),
            (0.5, "0.5"),
            (750.04, "750"),
            (5000.0, "5000"),
            (12_345.0, "12.3k"),
        ];
        for (value, text) in rates {
            assert_eq!(rate(value), text);
        }
        assert_eq!(rate(2e6), "2M");
        assert_eq!(millis(18.44), "18.4 ms");
        assert_eq!(millis(20_000.0), "20 s");
        assert_eq!(seconds(60.0), "60 s");
        assert_eq!(slug("a b<c>"), "a-b-c-");
    }
}
