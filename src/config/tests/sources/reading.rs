use std::{num::NonZeroUsize, time::Duration};

use super::*;
use crate::{
    config::{
        Adaptive, Concurrency, Mode, PermitEnds, Refusal, RequestStart, numbers::NUMBERS,
        read::keys,
    },
    control::Constants,
    priority::Business,
};

const DOCUMENTED: &str = include_str!("../../../../docs/dagor.toml");

#[test]
fn documented_file_is_the_default() {
    let file = parse(DOCUMENTED).unwrap();
    assert_eq!(file, File::default());
    assert_eq!(file.settings, Settings::default());
}

#[test]
fn documented_file_has_every_key() {
    let mut section = String::new();
    let mut documented = Vec::new();
    for line in DOCUMENTED.lines() {
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            section = format!("{name}.");
        }
        let key = line.trim_start_matches('#').split_once(" = ");
        if let Some((key, _)) = key.filter(|_| !line.starts_with("# ")) {
            documented.push(format!("{section}{key}"));
        }
    }
    for key in keys() {
        assert!(
            documented.iter().any(|name| name == key),
            "{key} is not in docs/dagor.toml"
        );
    }
}

#[test]
fn documented_file_has_every_range() {
    let flowing = DOCUMENTED.replace("\n# ", " ");
    for number in NUMBERS {
        let range = number.range.to_string();
        let range = range.trim_end_matches(" ms");
        assert!(
            flowing.contains(range),
            "{}: {range} is not in docs/dagor.toml",
            number.key
        );
    }
}

#[test]
fn documented_examples_are_valid() {
    let fixed = DOCUMENTED.replace("kind = \"adaptive\"", "kind = \"fixed\"");
    let adaptive = [
        "start_per_worker",
        "calm_ms",
        "busy_ms",
        "step_ratio",
        "every_ms",
    ];
    let lines = fixed
        .lines()
        .filter(|line| !adaptive.iter().any(|key| line.starts_with(key)));
    let examples: Vec<&str> = lines
        .map(|line| match line.strip_prefix('#') {
            Some(example) if !example.starts_with(' ') => example,
            _ => line,
        })
        .collect();
    let file = parse(&examples.join("\n")).unwrap();
    assert_eq!(file.settings.longest_wait, Some(Duration::from_millis(100)));
    assert_eq!(file.settings.default_business, Some(Business::new(7)));
    assert_eq!(
        file.settings.concurrency,
        Concurrency::Fixed(NonZeroUsize::new(24).unwrap())
    );
    assert_eq!(
        file.businesses,
        [("/login", 0), ("POST /checkout", 1), ("/pay.Payments/*", 0)]
            .map(|(pattern, number)| (String::from(pattern), number))
    );
}

#[test]
fn empty_text_and_comments_are_the_default() {
    assert_eq!(parse("").unwrap(), File::default());
    assert_eq!(parse("# nothing\n\n").unwrap(), File::default());
    assert_eq!(parse("\u{feff}[refusal]\r\n").unwrap(), File::default());
}

#[test]
fn every_law_passes_its_own_checks() {
    for (name, constants) in [
        ("dagor", Constants::dagor()),
        ("swift", Constants::swift()),
        ("paper", Constants::paper()),
        ("no-gate", Constants::no_gate()),
    ] {
        let file = parse(&format!("law = {name:?}")).unwrap();
        assert_eq!(file.settings.constants, constants);
    }
}

#[test]
fn numbers_change_the_law_wherever_they_stand() {
    let file = parse("threshold_ms = 0.5\nslots = 2\nlaw = \"swift\"\n").unwrap();
    let expected = Constants {
        threshold: Duration::from_micros(500),
        slots: 2.0,
        ..Constants::swift()
    };
    assert_eq!(file.settings.constants, expected);
}

#[test]
fn reads_everything_else() {
    let text = r#"
        mode = "observe"
        longest_wait_ms = 250
        exempt = ["/health", "/admin/*"]
        permit_ends = "body"
        default_business = 0x07
        request_start = "trusted"
        concurrency = { kind = "adaptive", start_per_worker = 64, calm_ms = 1.5 }
        [refusal]
        body = ""
        content_type = "text/html"
        retry_after_seconds = [0.5, 2]
    "#;
    let file = parse(text).unwrap();
    let expected = Settings {
        mode: Mode::Observe,
        longest_wait: Some(Duration::from_millis(250)),
        exempt: vec![String::from("/health"), String::from("/admin/*")],
        permit_ends: PermitEnds::Body,
        default_business: Some(Business::new(7)),
        request_start: RequestStart::Trusted,
        concurrency: Concurrency::Adaptive(Adaptive {
            start_per_worker: 64,
            calm: Duration::from_micros(1_500),
            ..Adaptive::default()
        }),
        refusal: Refusal {
            status: 503,
            body: String::new(),
            content_type: String::from("text/html"),
            retry_after: (Duration::from_millis(500), Duration::from_secs(2)),
        },
        ..Settings::default()
    };
    assert_eq!(file.settings, expected);
    assert_eq!(
        parse("refusal.status = 429")
            .unwrap()
            .settings
            .refusal
            .status,
        429
    );
}

#[test]
fn reports_every_fault_at_once_in_the_order_of_the_file() {
    let text = "\
thresold_ms = 20
window_ms = \"100\"
slots = 100.5
mode = \"enfore\"
most_requests = 1.5
longest_window_ms = 99
default_business = 256
window_s = 3
exempt = [\"health\", \"/a*b\"]

[refusal]
status = 200
retry_after_seconds = [3, 1]
colour = \"red\"

[concurrency]
permits = 3
calm_ms = 5

[business]
\"login\" = 1
\"/pay\" = 300
\"post /x\" = 1

[refusals]
status = 3
";
    let expected = "\
dagor.toml:1: thresold_ms = 20, expected a known key, perhaps threshold_ms
dagor.toml:2: window_ms = \"100\", expected a number, 10 to 10000 ms
dagor.toml:3: slots = 100.5, expected 0 to 10
dagor.toml:4: mode = \"enfore\", expected one of \"enforce\", \"observe\", \"off\"
dagor.toml:5: most_requests = 1.5, expected a whole number, 1 to 10000000
dagor.toml:6: longest_window_ms = 99, expected at least window_ms (100)
dagor.toml:7: default_business = 256, expected a whole number, 0 to 255
dagor.toml:8: window_s = 3, expected a known key, perhaps window_ms
dagor.toml:9: exempt = \"health\", expected a path that begins with / and has * nowhere but at its end, at most 1024 bytes
dagor.toml:9: exempt = \"/a*b\", expected a path that begins with / and has * nowhere but at its end, at most 1024 bytes
dagor.toml:12: refusal.status = 200, expected 400 to 599
dagor.toml:13: refusal.retry_after_seconds = [3, 1], expected [low, high] with low not above high, each 0 to 3600 s
dagor.toml:14: refusal.colour = \"red\", expected a known key
dagor.toml:17: concurrency.permits = 3, expected only where concurrency.kind is \"fixed\"
dagor.toml:18: concurrency.busy_ms = 5, expected more than concurrency.calm_ms (5)
dagor.toml:21: business.\"login\" = 1, expected as key a path that begins with / and has * nowhere but in /* at its end, or a method such as GET, a space and such a path
dagor.toml:22: business.\"/pay\" = 300, expected a whole number, 0 to 255
dagor.toml:23: business.\"post /x\" = 1, expected as key a path that begins with / and has * nowhere but in /* at its end, or a method such as GET, a space and such a path
dagor.toml:25: refusals, expected a known key, perhaps refusal";
    let found = faults(text);
    assert_eq!(
        found,
        expected.lines().collect::<Vec<_>>(),
        "{}",
        found.join("\n")
    );
}

#[test]
fn a_fault_has_its_parts() {
    let error = parse("\nslots = nan").unwrap_err();
    let fault = error.faults().next().unwrap();
    assert_eq!(fault.place(), Some("dagor.toml:2"));
    assert_eq!(fault.key(), Some("slots"));
    assert_eq!(fault.value(), Some("NaN"));
    assert_eq!(fault.allowed(), "0 to 10");
}

#[test]
fn duplicates_are_reported_beside_the_rest() {
    let text = "slots = 1\nslots = 2\n[refusal]\nstatus = 1\n[concurrency]\n[refusal]\nbody = 1\n";
    assert_eq!(
        faults(text),
        [
            "dagor.toml:2: slots, expected each key once",
            "dagor.toml:4: refusal.status = 1, expected 400 to 599",
            "dagor.toml:6: refusal, expected each key once",
            "dagor.toml:7: refusal.body = 1, expected a text",
        ]
    );
}

#[test]
fn a_quoted_dot_is_not_a_section() {
    assert_eq!(
        faults("refusal.status = 429\n\"refusal.status\" = 503\n"),
        ["dagor.toml:2: \"refusal.status\" = 503, expected a known key, perhaps refusal.status"]
    );
}

#[test]
fn sections_must_be_sections() {
    assert_eq!(
        faults("refusal = 1\n[[business]]\n[concurrency.kind]\n"),
        [
            "dagor.toml:1: refusal = 1, expected a section, [refusal]",
            "dagor.toml:2: business = [[business]], expected a section, [business]",
            "dagor.toml:3: concurrency.kind, expected a value",
        ]
    );
}

#[test]
fn numbers_that_no_place_can_hold_are_faults() {
    for value in [
        "-1",
        "nan",
        "-nan",
        "inf",
        "-inf",
        "1e400",
        "99999999999999999999",
        "true",
        "[]",
    ] {
        let found = faults(&format!("threshold_ms = {value}"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with("dagor.toml:1: threshold_ms = "),
            "{found:?}"
        );
        assert!(found[0].ends_with("0.1 to 10000 ms"), "{found:?}");
        for key in keys() {
            assert!(
                parse(&format!("{key} = {value}")).is_err() || value == "[]",
                "{key} = {value}"
            );
        }
    }
}

#[test]
fn fixed_needs_its_permits() {
    assert_eq!(
        faults("[concurrency]\nkind = \"fixed\""),
        [
            "dagor.toml:2: concurrency.permits, expected a whole number, 1 to 1000000, because \
 concurrency.kind is \"fixed\""
        ]
    );
    assert_eq!(
        faults("[concurrency]\nkind = \"fixed\"\npermits = 0"),
        ["dagor.toml:3: concurrency.permits = 0, expected a whole number, 1 to 1000000"]
    );
    assert_eq!(
        faults("[concurrency]\nkind = \"unlimited\"\ncalm_ms = 1"),
        [
            "dagor.toml:3: concurrency.calm_ms = 1, expected only where concurrency.kind is \"adaptive\""
        ]
    );
    // What goes with a kind that cannot be read is not known.
    assert_eq!(
        faults("[concurrency]\nkind = \"fix\"\npermits = 3").len(),
        1
    );
}

#[test]
fn text_that_is_not_toml_is_reported_with_its_line() {
    let found = faults("slots = 1\nwindow_ms = = 3\nsloots = 1\n");
    assert!(
        found[0].starts_with("dagor.toml:2: window_ms = = 3, expected TOML: "),
        "{found:?}"
    );
    assert!(
        found.iter().all(|fault| !fault.contains("sloots")),
        "{found:?}"
    );
}

/// What a file may say, the table takes: otherwise half of a file would be in force.
#[cfg(feature = "http")]
#[test]
fn patterns_are_those_of_the_table() {
    let long = format!("/{}", "a".repeat(1_024));
    let refused = [
        "", "*", "login", "/a*", "/a*b", "/*/a", "/**", "GET /a*", "GET  /a", "get /a", "FETCH /a",
        "GET", "/a b", "/a?b", "/a#b", "/{id}", "/\u{e4}", &long,
    ];
    let taken = [
        "/",
        "/*",
        "/a",
        "/a/*",
        "/a/",
        "GET /a",
        "PATCH /a/*",
        "/a//*",
        "/%C3%A4",
    ];
    let patterns = refused.map(|it| (it, false)).into_iter();
    for (pattern, good) in patterns.chain(taken.map(|it| (it, true))) {
        let read = parse(&format!("[business]\n{pattern:?} = 1\n"));
        assert_eq!(read.is_ok(), good, "{pattern}");
        let table = crate::entry::Table::from_entries([(pattern, 1)]);
        assert_eq!(table.is_ok(), good, "{pattern}");
    }
    assert_eq!(
        faults("[business]\n\"/a*\" = 1\n"),
        [
            "dagor.toml:2: business.\"/a*\" = 1, expected as key a path that begins with / and has * nowhere \
             but in /* at its end, or a method such as GET, a space and such a path"
        ]
    );
}
