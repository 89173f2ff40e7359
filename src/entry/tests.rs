use std::{net::IpAddr, time::Duration};

use http::{Extensions, Method};

use super::{
    error::{Fault, Problem},
    patterns::Patterns,
    table::Table,
    user::{Host, UserHash},
};
use crate::priority::Business;

fn table(patterns: &[&str]) -> Table {
    let numbers = (0..)
        .zip(patterns)
        .map(|(number, pattern)| (pattern, number));
    Table::from_entries(numbers).unwrap()
}

/// Returns which of `patterns` matches, 255 if none.
fn found(patterns: &[&str], method: &Method, path: &str) -> u8 {
    table(patterns).business(method, path).get()
}

#[test]
fn exact_method_then_exact_path_then_longest_prefix() {
    let patterns = [
        "POST /a/b",
        "/a/b",
        "/a/*",
        "/*",
        "/a/b/*",
        "GET /a/b/*",
        "POST /only",
        "/pay.Payments/Charge",
        "/pay.Payments/*",
    ];
    for (method, path, expected) in [
        (Method::POST, "/a/b", 0),
        (Method::GET, "/a/b", 1),
        (Method::GET, "/a/c", 2),
        (Method::GET, "/a/", 2),
        (Method::GET, "/a", 3),
        (Method::GET, "/", 3),
        (Method::GET, "/ab/c", 3),
        (Method::POST, "/a/b/c/d", 4),
        (Method::GET, "/a/b/c/d", 5),
        (Method::POST, "/only", 6),
        (Method::GET, "/only", 3),
        (Method::POST, "/pay.Payments/Charge", 7),
        (Method::POST, "/pay.Payments/Refund", 8),
        (Method::POST, "/pay.PaymentsX/Refund", 3),
        (Method::OPTIONS, "*", 255),
        (Method::CONNECT, "", 255),
    ] {
        assert_eq!(found(&patterns, &method, path), expected, "{method} {path}");
    }
    assert_eq!(table(&patterns).len(), 9);
    assert!(table(&[]).is_empty());
}

/// The chain of parents, against a search of all prefixes.
#[test]
fn the_longest_prefix_is_found_among_many() {
    let segments = ["a", "b", "ab", "a.b", "-", "~"];
    let mut paths = vec![String::new()];
    for depth in 0..4 {
        let longer = paths
            .iter()
            .filter(|path| path.matches('/').count() == depth);
        let longer = longer.flat_map(|path| segments.map(|segment| format!("{path}/{segment}")));
        paths.extend(longer.collect::<Vec<_>>());
    }
    let chosen: Vec<String> = (0..)
        .zip(&paths)
        .filter(|(index, _)| index % 7 == 3 || index % 11 == 5)
        .map(|(_, path)| format!("{path}/*"))
        .collect();
    let mut faults = Vec::new();
    let patterns = Patterns::collect(chosen.iter().map(|path| (path, path.len())), &mut faults);
    assert!(chosen.len() > 200 && faults.is_empty());
    for path in &paths {
        let naive = chosen
            .iter()
            .filter(|pattern| path.starts_with(&pattern[..pattern.len() - 1]))
            .map(String::len)
            .max();
        assert_eq!(patterns.find(&Method::GET, path), naive, "{path}");
    }
}

#[test]
fn every_fault_is_named_at_once() {
    let long = format!("/{}", "x".repeat(Table::LONGEST_PATTERN));
    let entries = [
        ("/ok", None),
        ("login", Some(Problem::NoSlash)),
        ("", Some(Problem::NoSlash)),
        ("POST login", Some(Problem::NoSlash)),
        ("FETCH /login", Some(Problem::UnknownMethod)),
        ("post /login", Some(Problem::UnknownMethod)),
        ("/ok", Some(Problem::Duplicate)),
        ("GET /ok", None),
        ("GET /ok", Some(Problem::Duplicate)),
        ("/ok/*", None),
        ("/ok/*", Some(Problem::Duplicate)),
        ("/a*", Some(Problem::Wildcard)),
        ("/a/*/b", Some(Problem::Wildcard)),
        ("/users/{id}", Some(Problem::Character)),
        ("/a?b=c", Some(Problem::Character)),
        ("/a b", Some(Problem::NoSlash)),
        ("GET /a b", Some(Problem::Character)),
        ("/ü", Some(Problem::Character)),
        (&long, Some(Problem::TooLong)),
    ];
    let error = Table::from_entries(entries.map(|(pattern, _)| (pattern, 1))).unwrap_err();
    let faulty = entries
        .iter()
        .filter_map(|(pattern, problem)| Some((pattern, (*problem)?)));
    let expected: Vec<_> = faulty
        .map(|(pattern, problem)| Fault::new(pattern, problem))
        .collect();
    assert_eq!(error.faults(), expected);
    let text = error.to_string();
    assert!(
        text.starts_with(r#"invalid entry settings: "login" has no path"#),
        "{text}"
    );
    assert!(text.len() < 2000, "a long pattern is cut short");
}

#[test]
fn a_table_has_at_most_4096_entries() {
    let entries = |count| (0..count).map(|index| (format!("/{index}"), 1));
    assert_eq!(Table::from_entries(entries(4096)).unwrap().len(), 4096);
    let error = Table::from_entries(entries(1_000_000)).unwrap_err();
    assert_eq!(error.faults(), [Fault::new("/4096", Problem::TooMany)]);
}

#[test]
fn a_path_of_many_slashes_costs_nothing() {
    let patterns = table(&["/a/*", "/a/b/*", "/z"]);
    let path = format!("/a{}", "/".repeat(60_000));
    assert_eq!(patterns.business(&Method::GET, &path), Business::new(0));
}

#[test]
fn the_hash_does_not_change_between_versions() {
    // Replicas of two versions run side by side while one replaces the other.
    let hash = UserHash::default();
    let at = Duration::from_secs(1_700_000_000);
    let hash_at = |identity: &[u8]| hash.user(at, identity);
    let user = hash_at(b"alice");
    assert_eq!((user.level(), user.sub_level()), (80, 87));

    // Whatever the length of the identity: 56 bytes of it fit into the first block of the hash.
    for length in [0, 1, 55, 56, 57, 64, 1023, 1024, 5000] {
        let identity = vec![b'x'; length];
        let input = [&472_222_u64.to_le_bytes()[..], &identity].concat();
        let hash = blake3::keyed_hash(&UserHash::DEFAULT_KEY, &input);
        let [high, low, ..] = *hash.as_bytes();
        let expected = u16::from_be_bytes([high, low]) >> 1;
        let user = hash_at(&identity);
        assert_eq!(
            u16::from_be_bytes([user.level(), user.sub_level()]),
            expected
        );
    }

    let debug = format!("{hash:?}");
    assert_eq!(
        debug, "UserHash { epoch: 3600s, .. }",
        "the key is a secret"
    );
}

#[test]
fn a_host_is_an_ipv4_address_or_an_ipv6_network() {
    let host = |text: &str| Host::from(text.parse::<IpAddr>().unwrap());
    assert_eq!(host("192.0.2.1"), Host::V4([192, 0, 2, 1]));
    assert_eq!(host("::ffff:192.0.2.1"), host("192.0.2.1"));
    assert_eq!(host("2001:db8:1:2::1"), host("2001:db8:1:2:ffff::"));
    assert_ne!(host("2001:db8:1:2::1"), host("2001:db8:1:3::1"));
    assert_eq!(Host::of(&Extensions::new()), None);
}
