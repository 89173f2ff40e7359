//! Files that nobody meant.

use super::GOOD;
use crate::{
    scenario::{Folder, Scenario, TEMPLATE, Weigher, builtin, visits},
    world::Chance,
};

/// What somebody's hand, or somebody's malice, may put in the place of a value.
const VALUES: [&str; 26] = [
    "0",
    "-1",
    "1",
    "2.5",
    "1e308",
    "-0.0",
    "nan",
    "inf",
    "99999999999999999999",
    "0xffffffffffffffff",
    "1e-320",
    "86400",
    "100000",
    "\"\"",
    "\"stock\"",
    "\"order\"",
    "\"trace\"",
    "\"unlimited\"",
    "\"\\u0000\"",
    "\"é\"",
    "[]",
    "[1, 2]",
    "[[1], {a = 2}]",
    "true",
    "2026-11-30T08:00:00Z",
    "{ a = 1 }",
];

/// Changes a few lines.
fn mutate(text: &str, chance: &mut Chance) -> String {
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    for _ in 0..=chance.below(4) {
        let place = chance.below(lines.len());
        let line = lines[place].clone();
        match chance.below(8) {
            0 => drop(lines.remove(place)),
            1 => lines.insert(place, line),
            2 => {
                let other = chance.below(lines.len());
                lines.swap(place, other);
            }
            3 => lines[place] = line.trim_start_matches('#').to_owned(),
            4 => {
                let end = chance.below(line.chars().count() + 1);
                lines[place] = line.chars().take(end).collect();
            }
            5 => {
                let odd = ['[', ']', '"', '=', '.', '\u{0}', 'é', '\n', '{', '-'];
                let at = chance.below(line.chars().count() + 1);
                let (before, after): (Vec<_>, Vec<_>) =
                    line.chars().enumerate().partition(|(place, _)| *place < at);
                let before = before.into_iter().map(|(_, char)| char);
                let after = after.into_iter().map(|(_, char)| char);
                lines[place] = before
                    .chain([odd[chance.below(odd.len())]])
                    .chain(after)
                    .collect();
            }
            _ => {
                if let Some((key, _)) = line.trim_start_matches('#').split_once(" = ") {
                    lines[place] = format!("{key} = {}", VALUES[chance.below(VALUES.len())]);
                }
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    lines.join("\n")
}

/// What is promised of a scenario that was read.
fn holds(scenario: &Scenario) {
    let services = scenario.services.len();
    assert!(services > 0 && !scenario.loads.is_empty() && scenario.warm_up < scenario.duration);
    assert!(
        scenario
            .edges
            .iter()
            .all(|edge| edge.from < services && edge.to < services)
    );
    assert!(scenario.faults.iter().all(|fault| fault.service < services));
    let mut loads = scenario.loads.iter();
    assert!(loads.all(|load| load.rate.is_finite() && load.until <= scenario.duration));
    for business in 0..scenario.businesses.len() {
        let visits = visits(scenario, business);
        assert!(
            visits
                .iter()
                .all(|visits| visits.is_finite() && *visits >= 0.0)
        );
        assert!(Weigher::new(scenario, business, services - 1).of(7) <= 100_000);
    }
}

#[test]
fn files_that_nobody_meant_are_read_or_told_but_never_panic() {
    let built_in = builtin().map(|(_, text)| text);
    let texts: Vec<&str> = built_in.chain([TEMPLATE, GOOD]).collect();
    let (mut read, mut told) = (0, 0);
    for seed in 0..4_000 {
        let mut chance = Chance::new(seed, "mutants", 0);
        let text = mutate(texts[chance.below(texts.len())], &mut chance);
        let result = std::panic::catch_unwind(|| {
            match Scenario::parse("mutant.toml", &text, Folder::BuiltIn) {
                Ok(scenario) => {
                    holds(&scenario);
                    true
                }
                Err(error) => {
                    assert!(error.mistakes().count() > 0);
                    let lines = error.to_string();
                    let is_line =
                        |line: &str| line.contains("expected") || line.starts_with("and ");
                    assert!(lines.lines().all(is_line), "{lines}");
                    false
                }
            }
        });
        match result {
            Ok(true) => read += 1,
            Ok(false) => told += 1,
            Err(_) => panic!("seed {seed}:\n{text}"),
        }
    }
    // Otherwise the changes would be too wild, or too tame, to find anything.
    assert!(read > 400 && told > 1_000, "{read} read, {told} told");
}
