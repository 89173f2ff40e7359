//! Which known word somebody may have meant.

/// Returns the candidate nearest to `name`, if one is near enough to be worth naming.
///
/// A key that lacks only its unit is near, however long the unit.
pub(super) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    near(name, candidates).into_iter().next()
}

/// Returns up to three near candidates, the nearest first.
pub(super) fn near<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    if name.len() > LONGEST_NAME {
        return Vec::new();
    }
    let distances = candidates.into_iter().filter_map(|candidate| {
        let away = distance(name, candidate);
        away.map(|away| (away, candidate))
    });
    let mut found: Vec<(usize, &str)> = distances.collect();
    found.sort_by_key(|(away, _)| *away);
    found.truncate(3);
    found.into_iter().map(|(_, candidate)| candidate).collect()
}

/// Returns how far `name` is from what may be meant, if it is not too far: a third of its length, or one slip in
/// something of more than one letter.
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

    const KEYS: [&str; 5] = ["deadline_ms", "duration_s", "seed", "queue", "warm_up_s"];

    #[test]
    fn finds_slips_and_missing_units() {
        for (name, meant) in [
            ("dedline_ms", "deadline_ms"),
            ("deadline", "deadline_ms"),
            ("deadline_seconds", "deadline_ms"),
            ("quuee", "queue"),
            ("sed", "seed"),
            ("warm_up", "warm_up_s"),
        ] {
            assert_eq!(nearest(name, KEYS), Some(meant), "{name}");
        }
    }

    #[test]
    fn is_silent_when_nothing_is_near() {
        assert_eq!(nearest("colour", KEYS), None);
        assert_eq!(nearest("", KEYS), None);
        assert_eq!(
            nearest("N", ["A", "M"]),
            None,
            "another letter is another name"
        );
        assert_eq!(nearest(&"x".repeat(100_000), KEYS), None);
    }

    #[test]
    fn near_ones_come_in_order_of_their_distance() {
        assert_eq!(near("m1", ["retry", "m22", "m1x", "m2"]), ["m1x", "m2"]);
    }
}
