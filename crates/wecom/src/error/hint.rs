//! The `hint` in an `errmsg`, which WeCom's support asks for.

/// Longest hint kept, in bytes; those seen have 40 to 60.
const LONGEST: usize = 128;

/// Returns what stands in brackets after `hint:`, as in `…, hint: [1620808383_162_ab], from ip: …`.
///
/// Hexadecimal digits in parts, with `_` between, and the first a number: so nothing in a log can be forged with it, and
/// what is no hint, such as the id of a person, is not told. `None` if there is no such thing.
pub(crate) fn find_hint(errmsg: &str) -> Option<Box<str>> {
    let (_, rest) = errmsg.split_once("hint:")?;
    let rest = rest.trim_start().strip_prefix('[')?;
    let (hint, _) = rest.split_once(']')?;
    let (first, parts) = hint.split_once('_')?;
    let is_number = !first.is_empty() && first.bytes().all(|b| b.is_ascii_digit());
    let is_hex = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_hexdigit());
    let is_hint = hint.len() <= LONGEST && is_number && parts.split('_').all(is_hex);
    is_hint.then(|| hint.into())
}

#[cfg(test)]
mod tests {
    use super::find_hint;

    #[test]
    fn a_hint_is_found_and_nothing_else_is_taken_for_one() {
        let long = format!("hint: [1_{}]", "a".repeat(1000));
        let cases = [
            (
                "api freq out of limit, hint: [1620808383_162_4d5e], from ip: 1.1.1.1, more info at",
                Some("1620808383_162_4d5e"),
            ),
            ("hint:[1620808383_162_ab]", Some("1620808383_162_ab")),
            ("hint: [zhangsan]", None),
            ("hint: [1_zhangsan]", None),
            ("hint: [ab_1]", None),
            ("hint: [1620808383]", None),
            ("hint: [1__2]", None),
            ("hint: [1_2\n\u{1b}[31m张]", None),
            (&long, None),
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
