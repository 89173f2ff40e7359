//! The `hint` in an `errmsg`, which WeCom's support asks for.

/// Longest hint kept, in bytes; those seen have 40 to 60.
const LONGEST: usize = 128;

/// Returns what stands in brackets after `hint:`, as in `…, hint: [1620808383_162_ab], from ip: …`.
///
/// Only letters, digits and `_:.-` of it, so that nothing in a log can be forged with it. `None` if there is no
/// such thing, or nothing is left.
pub(crate) fn find_hint(errmsg: &str) -> Option<Box<str>> {
    let (_, rest) = errmsg.split_once("hint:")?;
    let rest = rest.trim_start().strip_prefix('[')?;
    let (hint, _) = rest.split_once(']')?;
    let allowed = |c: &char| c.is_ascii_alphanumeric() || "_:.-".contains(*c);
    let hint: String = hint.chars().filter(allowed).take(LONGEST).collect();
    (!hint.is_empty()).then(|| hint.into())
}

#[cfg(test)]
mod tests {
    use super::find_hint;

    #[test]
    fn a_hint_is_found_and_cleaned() {
        let long = format!("hint: [{}]", "a".repeat(1000));
        let longest = "a".repeat(128);
        let cases = [
            (
                "api freq out of limit, hint: [1620808383_162_4d5e], from ip: 1.1.1.1, more info at",
                Some("1620808383_162_4d5e"),
            ),
            ("hint:[a:b.c-d]", Some("a:b.c-d")),
            ("hint: [x\ny \u{1b}[31m张]", Some("xy31m")),
            (&long, Some(&longest)),
            ("hint: []", None),
            ("hint: [张]", None),
            ("hint: [never closed", None),
            ("hint: 162", None),
            ("no such thing", None),
            ("", None),
        ];
        for (errmsg, hint) in cases {
            assert_eq!(find_hint(errmsg).as_deref(), hint, "{errmsg}");
        }
    }
}
