//! The documentation says of every key what the reader goes by.

use super::{SECTIONS, TOP};
use crate::scenario::key::{Key, Takes};

const PAGE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../docs/chaos/format.md"
));

/// The rows of the first table under a heading, by their cells.
fn rows(heading: &str) -> Vec<Vec<&'static str>> {
    let lines = PAGE
        .lines()
        .skip_while(|line| line.trim_start_matches("## ") != heading);
    let under = lines.skip(1).take_while(|line| !line.starts_with("## "));
    let table = under.skip_while(|line| !line.starts_with('|'));
    let table = table.take_while(|line| line.starts_with('|')).skip(2);
    table
        .map(|row| row.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}

fn takes(key: &Key) -> String {
    match key.takes {
        // Named in a section of their own.
        Takes::Policy => String::from("a policy"),
        Takes::Policies => String::from("a list of policies"),
        takes => takes.to_string(),
    }
}

#[test]
fn every_key_is_documented_as_it_is_read() {
    let mut sections = vec![(String::from("Above all sections"), TOP.keys)];
    for schema in &SECTIONS {
        sections.push((format!("`{}`", schema.heading()), schema.keys));
    }
    for (heading, keys) in sections {
        let documented: Vec<Vec<&str>> = rows(&heading);
        let read: Vec<Vec<String>> = keys
            .iter()
            .map(|key| {
                vec![
                    format!("`{}`", key.name),
                    takes(key),
                    key.preset.to_string(),
                ]
            })
            .collect();
        // In an order of their own, so that related keys are beside each other in both.
        for row in &read {
            let name = &row[0];
            let found: Vec<_> = documented.iter().filter(|it| it[0] == name).collect();
            assert_eq!(found.len(), 1, "{heading} {name}");
            assert_eq!(found[0][..3], row[..], "{heading}");
            assert!(
                found[0].len() == 4 && !found[0][3].is_empty(),
                "{heading} {name}"
            );
        }
        assert_eq!(documented.len(), read.len(), "{heading}");
    }
}

#[test]
fn keys_of_some_words_only_say_of_which() {
    for schema in &SECTIONS {
        let rows = rows(&format!("`{}`", schema.heading()));
        for key in schema
            .keys
            .iter()
            .filter(|key| (1..=4).contains(&key.only.len()))
        {
            let row = rows
                .iter()
                .find(|row| row[0] == format!("`{}`", key.name))
                .unwrap();
            for word in key.only {
                assert!(row[3].contains(&format!("{word:?}")), "{} {word}", key.name);
            }
        }
    }
}

#[test]
fn every_policy_kind_and_measure_is_documented() {
    for name in crate::policy::Name::ALL {
        assert!(PAGE.contains(&format!("{:?}", name.as_str())), "{name}");
    }
    for switch in SECTIONS.iter().filter_map(|schema| schema.switch) {
        let Takes::Word(words) = switch.takes else {
            panic!("{}", switch.name);
        };
        let has_table = ["kind", "measure"].contains(&switch.name);
        for word in words.iter().filter(|_| has_table) {
            assert!(PAGE.contains(&format!("\n| `{word}` | ")), "{word}");
        }
    }
}

#[test]
fn the_example_is_without_mistakes() {
    let begin = PAGE.find("```toml\n").unwrap() + 8;
    let text = &PAGE[begin..][..PAGE[begin..].find("```").unwrap()];
    let read = crate::Scenario::parse("page.toml", text, crate::scenario::Folder::BuiltIn);
    assert!(read.is_ok(), "{read:?}");
}

#[test]
fn every_switch_is_one_of_the_keys_and_knows_the_words() {
    for schema in &SECTIONS {
        for key in schema.keys.iter().filter(|key| !key.only.is_empty()) {
            let switch = schema.switch.unwrap();
            assert!(schema.keys.iter().any(|it| it.name == switch.name));
            let Takes::Word(words) = switch.takes else {
                panic!("{}", switch.name);
            };
            for word in key.only {
                assert!(words.contains(word), "{} {word}", key.name);
            }
        }
    }
}
