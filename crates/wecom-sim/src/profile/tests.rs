//! That the template, the types and the readers have the same keys, and what wrong files are told.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use wecom::token::BoxFuture;

use super::*;

/// The paths of all keys of a value; which element of a list it is does not matter.
fn keys(value: &Value, path: &str, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let path = format!("{path}.{key}");
                keys(value, &path, into);
                into.insert(path);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| keys(value, path, into)),
        _ => {}
    }
}

fn keys_of(value: &impl Serialize) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    keys(&json!(value), "", &mut found);
    found
}

/// The template with what is commented out in it.
fn whole_template() -> String {
    let lines = TEMPLATE.lines().map(|line| match line.strip_prefix('#') {
        Some(rest) if !rest.starts_with(' ') => rest,
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn told(text: &str) -> Vec<String> {
    match Profile::parse(text) {
        Ok(_) => Vec::new(),
        Err(faulty) => faulty.mistakes().map(ToString::to_string).collect(),
    }
}

#[test]
fn the_template_is_the_default() {
    assert_eq!(Profile::parse(TEMPLATE), Ok(Profile::default()));
    assert_eq!(Profile::parse(""), Ok(Profile::default()));
}

#[test]
fn the_template_has_every_key_of_the_types_and_no_other() {
    let written: toml::Table = whole_template().parse().unwrap();
    let read = Profile::parse(&whole_template()).unwrap();
    // An enum has the keys of one kind at a time; the template shows each kind that has any.
    assert_eq!(keys_of(&written), keys_of(&read));
    assert_eq!(read.corps.len(), 1);
    assert!(read.corps[0].callback.is_some() && read.corps[0].members.len() == 1);
}

#[test]
fn every_default_is_named_by_the_template() {
    let written: toml::Table = TEMPLATE.parse().unwrap();
    let preset = keys_of(&Profile::default());
    let missing: Vec<_> = preset
        .iter()
        .filter(|key| ![".fault", ".corp", ".tokens.suite_access_token"].contains(&key.as_str()))
        .filter(|key| !keys_of(&written).contains(*key))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn words_are_those_of_the_answers() {
    fn same<W: crate::given::Word + Serialize>() {
        for (word, value) in W::ALL {
            assert_eq!(json!(value), json!(word));
        }
    }
    same::<WindowKind>();
    same::<TokenMode>();
    same::<Check>();
    same::<EmptyUser>();
    same::<ConflictMode>();
    same::<AddEvents>();
    same::<MemberFlag>();
    for kind in [
        "timeout-before",
        "timeout-after",
        "reset",
        "html-502",
        "busy",
        "wrong-json",
    ] {
        let text = format!("[[fault]]\nkind = {kind:?}\n");
        let profile = Profile::parse(&text).unwrap();
        assert_eq!(json!(profile.faults[0])["kind"], kind);
    }
}

#[test]
fn all_mistakes_are_told_at_once_with_lines_and_ranges() {
    let text = r#"
sed = 3
[windows]
divide_time = 0
concurrency = "five"
kind = "slidng"
[callbacks]
lost = 1.5
timeout = 3
[[fault]]
kind = "latency"
median_ms = 100
p99_ms = 50
bytes_per_s = 3
[[fault]]
share = 0.5
[[fault]]
kind = "errcode"
errcode = 0
"#;
    let expected = [
        "profile:2: sed: expected a known key, did you mean \"seed\"?",
        "profile:4: windows.divide_time = 0, expected a whole number, 1 to 60000",
        "profile:5: windows.concurrency = \"five\", expected a whole number, 0 to 1000000",
        "profile:6: windows.kind = \"slidng\", expected one of \"sliding\", \"fixed\", did you mean \"sliding\"?",
        "profile:8: callbacks.lost = 1.5, expected a number, 0 to 1",
        "profile:9: callbacks.timeout: expected a known key, did you mean \"timeout_ms\"?",
        "profile:13: fault[0].p99_ms = 50, expected a number, 100 to 3600000",
        "profile:14: fault[0].bytes_per_s: expected one of the keys api, corp, share, times, kind, median_ms, p99_ms",
        "profile:15: fault[1].kind: expected one of latency, timeout-before, timeout-after, reset, html-502, busy, \
         wrong-json, slow-body, errcode; it is missing",
        "profile:17: fault[2].errcode = 0, expected a number but 0, which is success",
    ];
    assert_eq!(told(text), expected);
}

#[test]
fn what_enterprises_say_of_themselves_has_to_fit() {
    let text = r#"
[[corp]]
id = "a b"
[[corp]]
id = "ww1"
secret = "s"
more_members = 3
[[corp.member]]
userid = "m3"
[[corp.member]]
userid = "m4"
departments = [7]
[[corp.member]]
userid = "m4"
departments = []
[[corp.department]]
id = 2
parent = 3
[[corp.department]]
id = 3
parent = 2
[[corp.department]]
id = 3
parent = 9
[[corp]]
id = "ww1"
secret = "t"
"#;
    let found = told(text);
    let parts = [
        "corp[0].id = \"a b\", expected 1 to 64 letters",
        "corp[0].secret: expected 1 to 256 characters of ASCII that can be seen; it is missing",
        "corp[1].member[0].userid = \"m3\", expected an id that is not among those of `more_members`",
        "corp[1].member[1].departments = 7, expected 1, the root, or the id of a department",
        "corp[1].member[2].userid = \"m4\", expected an id that no other member has; member[1] has it",
        "corp[1].member[2].departments = [], expected at least one",
        "corp[1].department[2].id = 3, expected an id that no other department has",
        "corp[1].department[2].parent = 9, expected 1, the root",
        "corp[2].id = \"ww1\", expected an id that no other enterprise has; corp[1] has it",
    ];
    for part in parts {
        assert!(
            found.iter().any(|line| line.contains(part)),
            "{part} in {found:#?}"
        );
    }
    assert_eq!(found.len(), parts.len(), "{found:#?}");
}

#[test]
fn a_ring_of_departments_is_found() {
    let text = "[[corp]]\nid = \"a\"\nsecret = \"s\"\n\
                [[corp.department]]\nid = 2\nparent = 3\n[[corp.department]]\nid = 3\nparent = 2\n\
                [[corp.department]]\nid = 4\nparent = 2\n";
    let found = told(text);
    let said = "expected a department that is not below this one";
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found.iter().all(|line| line.ends_with(said)), "{found:#?}");
}

#[test]
fn secrets_are_never_shown() {
    let text = "[[corp]]\nid = \"ww1\"\nsecret = \"hush hush\"\npermanent_code = 12345\n\
                [corp.callback]\nurl = \"http://10.0.0.1/\"\ntoken = \"to-ken\"\n\
                encoding_aes_key = \"tooshortkey\"\n";
    let found = told(text).join("\n");
    for part in [
        "corp[0].secret = (9 characters)",
        "corp[0].permanent_code = (no text)",
        "corp[0].callback.url = \"http://10.0.0.1/\", expected an http address of this machine",
        "corp[0].callback.token = (6 characters), expected 1 to 32 letters and digits",
        "corp[0].callback.encoding_aes_key = (11 characters), expected 43 letters and digits",
    ] {
        assert!(found.contains(part), "{part} in\n{found}");
    }
    for secret in ["hush", "12345", "to-ken", "tooshort"] {
        assert!(!found.contains(secret), "{secret} in\n{found}");
    }
    let profile = Profile::parse(&whole_template()).unwrap();
    let shown = format!("{profile:?} {}", json!(profile));
    for secret in ["secret1", "code1", "QDG6eK", "jWmYm7"] {
        assert!(!shown.contains(secret), "{secret} in\n{shown}");
    }
}

#[test]
fn what_is_no_toml_is_told_by_its_line() {
    let found = told("seed = 1\n[windows\nsecret = \"hush\"\n");
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with("profile:2: expected") || found[0].starts_with("profile:2: not TOML"),
        "{found:?}"
    );
    assert!(!found[0].contains("hush"));
    let twice = told("seed = 1\nseed = 2\n");
    assert!(twice[0].contains("duplicate key"), "{twice:?}");
}

#[test]
fn no_text_makes_it_panic() {
    // Every prefix, and every line left out or given twice.
    let text = whole_template();
    for (end, _) in text.char_indices().step_by(7) {
        let _ = Profile::parse(&text[..end]);
    }
    let lines: Vec<&str> = text.lines().collect();
    for skip in 0..lines.len() {
        let mut fewer = lines.clone();
        fewer.remove(skip);
        let _ = Profile::parse(&fewer.join("\n"));
        let mut more = lines.clone();
        more.insert(skip, lines[skip]);
        let _ = Profile::parse(&more.join("\n"));
    }
    for odd in [
        "seed = 99999999999999999999999999999999999999999999999",
        "seed = nan",
        "seed = 1979-05-27",
        "seed = {}",
        "corp = 1",
        "corp = [1, {}]",
        "windows = []",
        "contact_ways = {order = [\"token\", \"token\"]}",
        "fault = [{kind = 3}]",
        "callbacks.lost = inf",
    ] {
        assert!(Profile::parse(odd).is_err(), "{odd}");
    }
    let deep = format!("seed = {}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(Profile::parse(&deep).is_err());
}

#[test]
fn no_mutation_of_a_profile_makes_it_panic() {
    let text = whole_template();
    let odd = [
        "\"", "[", "]", "{", "}", "=", "#", "\n", ".", "-", "9", "e", "'", "\u{0}", "\u{5bc6}",
    ];
    let mut draw = crate::fault::Draw::new(11, 0, 0);
    for _ in 0..3000 {
        let mut mutated = text.clone();
        for _ in 0..1 + draw.below(4) {
            let mut at = draw.below(mutated.len());
            while !mutated.is_char_boundary(at) {
                at -= 1;
            }
            match draw.below(2) {
                0 => mutated.insert_str(at, odd[draw.below(odd.len())]),
                _ => drop(mutated.remove(at)),
            }
        }
        let _ = Profile::parse(&mutated);
    }
}

#[test]
fn there_are_no_more_faults_than_a_call_can_draw_for() {
    let faults = |count| "[[fault]]\nkind = \"busy\"\n".repeat(count);
    assert_eq!(Profile::parse(&faults(1000)).unwrap().faults.len(), 1000);
    let told = Profile::parse(&faults(1001)).unwrap_err().to_string();
    assert!(
        told.contains("fault = (1001 faults), expected at most 1000"),
        "{told}"
    );
}

/// Returns what is said of the one fault of a profile with one enterprise.
fn told_of_fault(keys: &str) -> Vec<String> {
    told(&format!(
        "[[corp]]\nid = \"ww1\"\nsecret = \"s\"\n[[fault]]\nkind = \"busy\"\n{keys}\n"
    ))
}

#[test]
fn a_fault_of_a_call_or_an_enterprise_that_is_not_there_is_refused() {
    for (keys, value, near) in [
        (
            "api = \"update_contact_wy\"",
            "update_contact_wy",
            ", did you mean \"update_contact_way\"?",
        ),
        (
            "api = \"/cgi-bin/externalcontact/add_contact_wy\"",
            "/cgi-bin/externalcontact/add_contact_wy",
            ", did you mean \"externalcontact/add_contact_way\"?",
        ),
        ("api = \"get\"", "get", ""),
        ("api = \"\"", "", ""),
    ] {
        let expected = format!(
            "profile:6: fault[0].api = {value:?}, expected one of gettoken, get_corp_token, add_contact_way, \
             get_contact_way, list_contact_way, update_contact_way, del_contact_way, close_temp_chat, \
             get_follow_user_list, externalcontact/get, batch/get_by_user, user/get, department/list, \
             getcallbackip, or the path of one{near}"
        );
        assert_eq!(told_of_fault(keys), [expected]);
    }
    let expected = "profile:6: fault[0].corp = \"ww2\", expected the id of an enterprise that is there, \
                    did you mean \"ww1\"?";
    assert_eq!(told_of_fault("corp = \"ww2\""), [expected]);
    let none = told("[[fault]]\nkind = \"busy\"\ncorp = \"ww2\"\n");
    let expected =
        "profile:3: fault[0].corp = \"ww2\", expected the id of an enterprise that is there";
    assert_eq!(none, [expected]);
    assert!(told_of_fault("corp = \"ww1\"").is_empty());
}

#[test]
fn a_call_is_known_by_its_name_and_by_its_path() {
    for api in crate::Api::ALL {
        let path = format!("/cgi-bin/{}", api.path());
        for given in [api.name(), api.path(), &path] {
            let text = format!("[[fault]]\nkind = \"busy\"\napi = {given:?}\n");
            let fault = Profile::parse(&text).unwrap().faults.remove(0);
            assert_eq!(fault.api.as_deref(), Some(api.name()), "{given}");
        }
        assert!(TEMPLATE.contains(api.name()), "{}", api.name());
    }
}

#[test]
fn a_heading_that_makes_a_table_of_a_list_or_the_reverse_is_told_with_the_right_one() {
    for (text, expected) in [
        (
            "seed = 1\n[[corp.member]]\nuserid = \"a\"\n",
            "profile:2: corp: expected each to begin with [[corp]], before any [corp.…] or [[corp.…]] of its own",
        ),
        (
            "[corp]\nid = \"ww1\"\nsecret = \"hush\"\n",
            "profile:1: corp: expected each to begin with [[corp]], before any [corp.…] or [[corp.…]] of its own",
        ),
        (
            "[fault]\nkind = \"busy\"\n",
            "profile:1: fault: expected each to begin with [[fault]], before any [fault.…] or [[fault.…]] of its own",
        ),
        (
            "[[corp]]\nid = \"ww1\"\nsecret = \"s\"\n[corp.member]\nuserid = \"a\"\n",
            "profile:4: corp[0].member: expected each to begin with [[corp.member]], before any [corp.member.…] or \
             [[corp.member.…]] of its own",
        ),
        (
            "[[windows]]\ncorp_per_hour = 5\n",
            "profile:1: windows: expected it once, as [windows]",
        ),
        (
            "[[corp]]\nid = \"ww1\"\nsecret = \"s\"\n[[corp.callback]]\nurl = \"a\"\n",
            "profile:4: corp[0].callback: expected it once, as [corp.callback]",
        ),
    ] {
        assert_eq!(told(text), [expected]);
    }
}

struct NoSuite;

impl wecom::SuiteTokens for NoSuite {
    fn suite_access_token(&self) -> BoxFuture<'_, Result<wecom::Secret, wecom::BoxError>> {
        Box::pin(async { Err("none".into()) })
    }
}

#[test]
fn a_secret_that_fits_here_fits_the_client() {
    for (key, length, fits) in [
        ("secret", 256, true),
        ("secret", 257, false),
        ("permanent_code", 512, true),
        ("permanent_code", 513, false),
    ] {
        let text = "s".repeat(length);
        let own = match key {
            "secret" => String::new(),
            _ => String::from("secret = \"s\"\n"),
        };
        let profile = format!("[[corp]]\nid = \"ww1\"\n{own}{key} = {text:?}\n");
        assert_eq!(Profile::parse(&profile).is_ok(), fits, "{key} {length}");
        let client = match key {
            "secret" => wecom::Credential::app("ww1", text),
            _ => wecom::Credential::suite("ww1", text, NoSuite),
        };
        assert_eq!(client.is_ok(), fits, "{key} {length}");
    }
}
