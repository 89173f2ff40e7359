//! Which known word somebody may have meant.

/// Returns `, did you mean "…"?` if a known word is near enough to be worth naming, otherwise nothing.
pub(crate) fn perhaps<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map_or_else(String::new, |near| format!(", did you mean {near:?}?"))
}

fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST_NAME {
        return None;
    }
    let distances = known
        .into_iter()
        .filter_map(|known| distance(name, known).map(|away| (away, known)));
    distances
        .min_by_key(|(away, _)| *away)
        .map(|(_, near)| near)
}

/// Returns how far `name` is from what may be meant, if it is not too far: a third of its length, or one slip in
/// something of more than one letter. A key that lacks only its unit is near, however long the unit.
fn distance(name: &str, meant: &str) -> Option<usize> {
    if stem(name) == stem(meant) || name == stem(meant) {
        return Some(1);
    }
    let away = strsim::osa_distance(name, meant);
    let near = away <= (meant.len() / 3).max(1) && away < meant.len();
    near.then_some(away)
}

/// Returns a key without its unit.
fn stem(key: &str) -> &str {
    key.rsplit_once('_').map_or(key, |(stem, _)| stem)
}

/// Longer than any key: what is longer was not a slip of the hand.
const LONGEST_NAME: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips_and_missing_units() {
        let keys = ["timeout_ms", "retries", "lost", "retry_after_ms"];
        for (name, meant) in [
            ("timout_ms", Some("timeout_ms")),
            ("timeout", Some("timeout_ms")),
            ("timeout_s", Some("timeout_ms")),
            ("retires", Some("retries")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, keys), meant, "{name}");
        }
        assert_eq!(nearest(&"x".repeat(100_000), keys), None);
    }
}
