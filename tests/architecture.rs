//! Who may import whom: reads `src/` and fails where a module reaches for what it must not know.
//!
//! The ladder is that of docs/design.md, one row of [`MODULES`] for each module of the crate. A path counts
//! wherever it stands, in a `use`, in an expression or in a type; tests inside of `src/` are left out,
//! because they may look at anything. What a finding says: file, line, the path, and the rule.

#![allow(clippy::unwrap_used, reason = "what cannot go on in a test fails it")]

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// A module, the modules of this crate it may name, and the crates beside `std`.
type Rule = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

/// From the ground up. Nobody may name what stands further down, with one exception: `wire` gives its
/// three fields to `admission` and knows nothing above `observe` itself.
const MODULES: &[Rule] = &[
    ("priority", &[], &[]),
    ("control", &["priority"], &[]),
    ("clock", &[], &["tokio"]),
    ("sync", &[], &["loom"]),
    ("error", &["priority"], &[]),
    ("unknown", &["priority"], &[]),
    ("observe", &["control", "error", "priority"], &[]),
    ("config", &["control", "priority"], &["toml"]),
    ("task", &["priority"], &["tokio"]),
    ("trace", &["observe", "priority"], &["tracing"]),
    ("metrics", &["error", "observe", "priority"], &["metrics"]),
    (
        "wire",
        &["config", "error", "observe", "priority"],
        &["http"],
    ),
    (
        "gate",
        &[
            "clock", "config", "control", "error", "observe", "priority", "sync",
        ],
        &["tokio"],
    ),
    (
        "queuing_time",
        &["clock", "observe"],
        &[
            "axum",
            "futures_core",
            "http",
            "pin_project_lite",
            "tokio",
            "tonic",
        ],
    ),
    (
        "admission",
        &[
            "clock",
            "config",
            "control",
            "error",
            "gate",
            "observe",
            "priority",
            "queuing_time",
            "sync",
            "trace",
            "unknown",
            "wire",
        ],
        &["arc_swap", "hdrhistogram", "tokio"],
    ),
    (
        "server",
        &[
            "admission",
            "clock",
            "config",
            "error",
            "gate",
            "observe",
            "priority",
            "queuing_time",
            "task",
            "wire",
        ],
        &[
            "bytes",
            "http",
            "http_body",
            "pin_project_lite",
            "tower_layer",
            "tower_service",
        ],
    ),
    (
        "client",
        &[
            "clock", "config", "control", "error", "observe", "priority", "sync", "task",
            "unknown", "wire",
        ],
        &[
            "arc_swap",
            "http",
            "http_body",
            "pin_project_lite",
            "tokio",
            "tower",
            "tower_layer",
            "tower_service",
        ],
    ),
    (
        "entry",
        &[
            "clock", "config", "error", "observe", "priority", "task", "wire",
        ],
        &[
            "arc_swap",
            "axum",
            "blake3",
            "http",
            "pin_project_lite",
            "tower_layer",
            "tower_service",
        ],
    ),
];

/// Crates that a path can begin with; everything else at the beginning of a path is of this crate or
/// of the prelude.
const CRATES: &[&str] = &[
    "arc_swap",
    "axum",
    "blake3",
    "bytes",
    "futures_core",
    "hdrhistogram",
    "http",
    "http_body",
    "hyper",
    "hyper_util",
    "loom",
    "metrics",
    "pin_project_lite",
    "rand",
    "tokio",
    "toml",
    "tonic",
    "tower",
    "tower_layer",
    "tower_service",
    "tracing",
];

/// Integrations that only the files named after them mention.
const OWN_FILE: &[&str] = &["axum", "tonic"];

/// A path of the source, as far as it is written out, and the line it begins on.
#[derive(Debug, Eq, PartialEq)]
struct Found {
    line: usize,
    path: Vec<String>,
}

type Token<'a> = (usize, &'a str);

#[test]
fn src_keeps_the_ladder() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    collect(&root.join("src"), &mut files);
    assert!(files.len() > 50, "src/ was not found: {files:?}");
    let lib = fs::read_to_string(root.join("src/lib.rs")).unwrap();
    let exports = exports(&lib);
    assert_eq!(exports["Priority"], "priority");

    let mut findings = String::new();
    for file in files {
        let name = file.strip_prefix(root).unwrap().to_str().unwrap();
        let text = fs::read_to_string(&file).unwrap();
        for finding in check(name, &text, &exports) {
            writeln!(findings, "{finding}").unwrap();
        }
    }
    assert!(findings.is_empty(), "\n{findings}");
}

/// Everything wrong with one file.
fn check(file: &str, text: &str, exports: &BTreeMap<String, String>) -> Vec<String> {
    let module = module_of(file);
    let Some(top) = module.first() else {
        return Vec::new(); // The root names them all.
    };
    let Some(&(_, modules, crates)) = MODULES.iter().find(|(name, ..)| name == top) else {
        return vec![format!(
            "{file}:1: module `{top}` has no rule in tests/architecture.rs"
        )];
    };
    let mut findings = Vec::new();
    for Found { line, path } in paths(&without_tests(&tokens(text))) {
        let mut report = |rule: String| {
            findings.push(format!("{file}:{line}: `{}`: {rule}", path.join("::")));
        };
        if path.ends_with(&["Instant".into(), "now".into()])
            || path.ends_with(&["SystemTime".into(), "now".into()])
        {
            if top != "clock" {
                report("only clock.rs reads the time".to_owned());
            }
        } else if let Some(head) = in_crate(&module, &path) {
            let head = exports.get(&head).unwrap_or(&head);
            if head != top && !modules.contains(&&**head) {
                report(format!("`{top}` may name {modules:?} of this crate only"));
            }
        } else if let Some(krate) = path.first().filter(|head| CRATES.contains(&&***head)) {
            if !crates.contains(&&**krate) {
                report(format!("`{top}` may name std and {crates:?} only"));
            }
            if OWN_FILE.contains(&&**krate) && module.last() != Some(krate) {
                report(format!("only files named {krate}.rs mention {krate}"));
            }
        }
    }
    findings
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && name != "tests" {
            collect(&path, files);
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            files.push(path);
        }
    }
    files.sort();
}

/// `src/gate/queue.rs` is `[gate, queue]`, `src/gate/mod.rs` is `[gate]`.
fn module_of(file: &str) -> Vec<String> {
    let path = file.trim_start_matches("src/").trim_end_matches(".rs");
    let mut module: Vec<_> = path.split('/').map(str::to_owned).collect();
    if module
        .last()
        .is_some_and(|last| last == "mod" || last == "lib")
    {
        module.pop();
    }
    module
}

/// Names that the root hands on, and the modules they come from.
fn exports(lib: &str) -> BTreeMap<String, String> {
    let tokens = tokens(lib);
    let all = paths(&tokens).into_iter().filter_map(|found| {
        let [krate, module, .., name] = &*found.path else {
            return None;
        };
        (krate == "crate").then(|| (name.clone(), module.clone()))
    });
    all.collect()
}

/// Returns which module of the crate a path leads to, if it is one through `crate` or out of the module by
/// `super`.
fn in_crate(module: &[String], path: &[String]) -> Option<String> {
    let mut rest = path;
    if path.first()? == "crate" {
        return path.get(1).cloned();
    }
    let mut depth = module.len();
    while rest.first().is_some_and(|head| head == "super") {
        depth = depth.checked_sub(1)?;
        rest = &rest[1..];
    }
    let climbed = rest.len() < path.len() && depth == 0;
    climbed.then(|| rest.first().cloned()).flatten()
}

/// Identifiers and punctuation; without comments, texts, numbers and lifetimes.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(next) = text[at..].chars().next() {
        let rest = &text[at..];
        let len = match next {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => quoted(rest),
            'r' if rest.starts_with("r\"") || rest.starts_with("r#\"") => raw(rest),
            '\'' => character(rest),
            ':' if rest.starts_with("::") => {
                tokens.push((line, "::"));
                2
            }
            _ if next.is_alphanumeric() || next == '_' => {
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
                let word = &rest[..end.unwrap_or(rest.len())];
                tokens.push((line, word));
                word.len()
            }
            _ => {
                if !next.is_whitespace() {
                    tokens.push((line, &rest[..next.len_utf8()]));
                }
                next.len_utf8()
            }
        };
        line += rest[..len].matches('\n').count();
        at += len;
    }
    tokens
}

fn quoted(rest: &str) -> usize {
    let mut escaped = true;
    let end = rest.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.map_or(rest.len(), |end| end + 1)
}

fn raw(rest: &str) -> usize {
    let end = if rest.starts_with("r#") { "\"#" } else { "\"" };
    let from = rest.find('"').unwrap_or_default() + 1;
    rest[from..]
        .find(end)
        .map_or(rest.len(), |at| from + at + end.len())
}

/// A character with its quotes, or the quote of a lifetime.
fn character(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some((after, _))) => rest[after + 1..]
            .find('\'')
            .map_or(rest.len(), |end| after + 1 + end + 1),
        (Some(_), Some((end, '\''))) => end + 1,
        _ => 1,
    }
}

/// Leaves out every item under a `cfg` that names `test`.
fn without_tests<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let word = |ahead: usize| tokens.get(at + ahead).map_or("", |token| token.1);
        if (word(0), word(1), word(2)) == ("#", "[", "cfg") {
            let end = at + 2 + group(&tokens[at + 2..], "[", "]", 1);
            let is_test = tokens[at..end].iter().any(|token| token.1 == "test")
                && !tokens[at..end].iter().any(|token| token.1 == "any");
            if is_test {
                at = end + item(&tokens[end..]);
                continue;
            }
        }
        kept.push(tokens[at]);
        at += 1;
    }
    kept
}

/// Returns the length of an item: to its `;` or the end of its braces.
fn item(tokens: &[Token<'_>]) -> usize {
    let end = tokens
        .iter()
        .position(|token| token.1 == ";" || token.1 == "{");
    match end {
        Some(end) if tokens[end].1 == "{" => end + group(&tokens[end..], "{", "}", 0),
        Some(end) => end + 1,
        None => tokens.len(),
    }
}

/// Returns how many tokens it takes to close what is `depth` deep open.
fn group(tokens: &[Token<'_>], open: &str, close: &str, mut depth: usize) -> usize {
    for (at, token) in tokens.iter().enumerate() {
        if token.1 == open {
            depth += 1;
        } else if token.1 == close {
            depth -= 1;
            if depth == 0 {
                return at + 1;
            }
        }
    }
    tokens.len()
}

/// Returns every path of at least two parts; those of a group one by one.
fn paths(tokens: &[Token<'_>]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        // In `use ::tower::Layer` the path begins behind the keyword.
        let starts = !matches!(
            tokens[at].1,
            "use" | "dyn" | "impl" | "as" | "in" | "return"
        ) && is_name(tokens[at].1)
            && tokens.get(at + 1).is_some_and(|next| next.1 == "::");
        if starts {
            at = path(tokens, at, &[], &mut found);
        } else {
            at += 1;
        }
    }
    found
}

/// Reads the path that begins at `at`, after `before`; returns where it ends.
fn path(tokens: &[Token<'_>], mut at: usize, before: &[String], found: &mut Vec<Found>) -> usize {
    let line = tokens[at].0;
    let mut path = before.to_vec();
    loop {
        let word = tokens.get(at).map_or("", |token| token.1);
        if word == "{" {
            at += 1;
            while at < tokens.len() && tokens[at].1 != "}" {
                if is_name(tokens[at].1) {
                    at = self::path(tokens, at, &path, found);
                } else {
                    at += 1;
                }
            }
            return at + 1;
        }
        if !is_name(word) {
            break;
        }
        path.push(word.to_owned());
        at += 1;
        if tokens.get(at).is_none_or(|next| next.1 != "::") {
            break;
        }
        at += 1;
    }
    found.push(Found { line, path });
    at
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

mod planted {
    use super::*;

    fn findings(file: &str, text: &str) -> Vec<String> {
        let exports = BTreeMap::from([("Admission".to_owned(), "admission".to_owned())]);
        check(file, text, &exports)
    }

    #[test]
    fn a_forbidden_import_is_found_with_line_and_rule() {
        let text = "//! Says crate::gate.\n\nuse crate::{\n    priority::{Level, Priority},\n    gate::Gate,\n};\n";
        assert_eq!(
            findings("src/control/law.rs", text),
            [
                "src/control/law.rs:5: `crate::gate::Gate`: `control` may name [\"priority\"] of this crate only"
            ]
        );
    }

    #[test]
    fn every_way_to_write_it_is_found() {
        for (file, text) in [
            ("src/gate/mod.rs", "use http::Request;"),
            ("src/gate/mod.rs", "use ::tower::{Service, Layer};"),
            ("src/gate/queue.rs", "fn f(x: &http::HeaderMap) {}"),
            ("src/priority.rs", "fn f() { tokio::spawn(async {}); }"),
            ("src/server/future.rs", "use crate::client::Callee;"),
            ("src/client/future.rs", "use super::super::server::Server;"),
            ("src/server/mod.rs", "use super::client::Callee;"),
            ("src/control/mod.rs", "fn f(a: crate::Admission) {}"),
            ("src/wire/mod.rs", "pub use crate::admission::Admission;"),
            ("src/gate/mod.rs", "let now = std::time::Instant::now();"),
            ("src/server/mod.rs", "let now = SystemTime::now();"),
            ("src/entry/user.rs", "use axum::extract::ConnectInfo;"),
            (
                "src/queuing_time/socket.rs",
                "impl tonic::transport::server::Connected for X {}",
            ),
            ("src/novelty/mod.rs", ""),
            ("src/control/mod.rs", "#[cfg(not(loom))]\nuse tokio::time;"),
        ] {
            assert_ne!(findings(file, text), [""; 0], "{file}: {text}");
        }
    }

    #[test]
    fn what_is_allowed_is_left_alone() {
        for (file, text) in [
            (
                "src/gate/mod.rs",
                "use std::{sync::Arc, collections::BTreeMap};\nuse crate::clock::Clock;",
            ),
            (
                "src/gate/mod.rs",
                "// tower::Service\n/* axum::serve */ const A: &str = \"http::Request\";",
            ),
            (
                "src/gate/mod.rs",
                "const A: &str = r#\"crate::server\"#; const B: char = '\"'; fn f<'a>() {}",
            ),
            ("src/gate/queue.rs", "use super::core::Core;"),
            (
                "src/gate/mod.rs",
                "#[cfg(test)]\nmod tests { use crate::server::Server; }",
            ),
            (
                "src/gate/mod.rs",
                "#[cfg(all(test, not(dagor_loom)))]\nmod tests;\nuse crate::error::Reason;",
            ),
            ("src/queuing_time/axum.rs", "use axum::serve::Listener;"),
            (
                "src/queuing_time/mod.rs",
                "pub use self::axum::StampedListener;",
            ),
            ("src/clock.rs", "let now = std::time::Instant::now();"),
        ] {
            assert_eq!(findings(file, text), [""; 0], "{file}: {text}");
        }
    }
}
