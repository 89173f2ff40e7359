//! Which known key somebody may have meant.

/// Returns the candidate nearest to `name`, if one is near enough to be worth naming.
///
/// The last part of a dotted key counts as much as the whole: a key is easily put into the wrong
/// section. So does a key that lacks only its unit.
pub(super) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if name.len() > LONGEST_NAME {
        return None;
    }
    let mut best = None;
    let mut least = usize::MAX;
    for candidate in candidates {
        let away = near(name, candidate)
            .min(near(last_part(name), last_part(candidate)))
            .min(without_unit(name, candidate));
        if away < least {
            (best, least) = (Some(candidate), away);
        }
    }
    best
}

fn last_part(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

/// Returns the distance if it is at most a third of what was meant.
fn near(name: &str, meant: &str) -> usize {
    let away = distance(name, meant);
    if away <= meant.len() / 3 {
        away
    } else {
        usize::MAX
    }
}

/// One away if both are the same word before a unit or the lack of one.
fn without_unit(name: &str, candidate: &str) -> usize {
    let stem = |key| {
        let word = last_part(key);
        word.rsplit_once('_').unwrap_or((word, "")).0
    };
    let same = stem(name) == stem(candidate) || last_part(name) == stem(candidate);
    if same { 1 } else { usize::MAX }
}

/// Returns how many characters have to be put in, left out or changed.
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.chars().count()).collect();
    for (index, a) in from.chars().enumerate() {
        let mut diagonal = index;
        row[0] = index + 1;
        for (column, b) in to.chars().enumerate() {
            let changed = diagonal + usize::from(a != b);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

/// Longer than any key: what is longer was not a slip of the hand.
const LONGEST_NAME: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 5] = [
        "threshold_ms",
        "window_ms",
        "slots",
        "refusal.status",
        "mode",
    ];

    #[test]
    fn finds_slips_wrong_sections_and_missing_units() {
        for (name, meant) in [
            ("thresold_ms", "threshold_ms"),
            ("threshold", "threshold_ms"),
            ("threshold_seconds", "threshold_ms"),
            ("status", "refusal.status"),
            ("concurrency.slots", "slots"),
            ("mod", "mode"),
        ] {
            assert_eq!(nearest(name, KEYS), Some(meant), "{name}");
        }
    }

    #[test]
    fn is_silent_when_nothing_is_near() {
        assert_eq!(nearest("colour", KEYS), None);
        assert_eq!(
            nearest("refusal.colour", KEYS),
            None,
            "a long section is no likeness"
        );
        assert_eq!(nearest("", KEYS), None);
        assert_eq!(nearest(&"x".repeat(100_000), KEYS), None);
    }

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance("", ""), 0);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("straße", "strasse"), 2);
    }
}
