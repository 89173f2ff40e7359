//! The report that is written: whole, the same to the byte, safe to open.

mod report_support;

use std::{fs, path::Path};

use chaos::{
    Engine, Scenario,
    measure::Outcome,
    policy::Name,
    report::{
        Cell, Cells, Collect, Report, RunTiming, ScenarioReport, Timing, commit, page, table, write,
    },
};
use html5gum::{Token, Tokenizer};
use report_support::{
    seconds,
    story::{policies, run, slow_shard},
};

fn runs(
    scenario: &Scenario,
    policy: Name,
    seeds: impl Iterator<Item = u64>,
) -> Vec<(u64, Outcome)> {
    seeds
        .map(|seed| (seed, run(scenario, policy, seed)))
        .collect()
}

/// A report of these scenarios with some policies and seeds, all in the order given.
fn report(scenarios: &[Scenario], policies: &[Name], seeds: &[u64]) -> Report {
    let mut report = Report::new("0123abc");
    for scenario in scenarios {
        let mut collect = Collect::new(scenario, Engine::Sim, false);
        for &policy in policies {
            collect.add(policy, &runs(scenario, policy, seeds.iter().copied()));
        }
        report.add(collect.finish());
    }
    report
}

fn small() -> Report {
    report(
        &[slow_shard("slow-shard")],
        &[Name::None, Name::Cinnamon, Name::Dagor],
        &[7, 8],
    )
}

#[test]
fn it_is_the_same_to_the_byte_in_whatever_order_things_ran() {
    let (one, two) = (slow_shard("one"), slow_shard("two"));
    let names = [Name::None, Name::Codel, Name::Dagor];
    let first = report(&[one.clone(), two.clone()], &names, &[1, 2, 3]);
    let names = [Name::Dagor, Name::None, Name::Codel];
    let second = report(&[two, one], &names, &[3, 1, 2]);
    assert_eq!(first.json().unwrap(), second.json().unwrap());
    assert_eq!(page(&first), page(&second));
    assert_eq!(table(&first), table(&second));
}

#[test]
fn the_data_say_everything_that_issue_and_replay_ask_for() {
    let json: serde_json::Value = serde_json::from_str(&small().json().unwrap()).unwrap();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["commit"], "0123abc");
    let scenario = &json["scenarios"][0];
    let command = "chaos run slow-shard --engine sim --seed 7 --seeds 2 --policy none,cinnamon,dagor --out DIR";
    assert_eq!(scenario["replay"]["command"], command);
    assert_eq!(scenario["replay"]["seed"], 7);
    assert_eq!(scenario["counted"], "calls at M");
    assert_eq!(scenario["top_business"], "payments");
    assert_eq!(scenario["faults"][0]["what"], "storage 0: speed 0.5");
    let policies = scenario["policies"].as_array().unwrap();
    let names: Vec<&str> = policies
        .iter()
        .map(|it| it["policy"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["none", "cinnamon", "dagor"]);
    let dagor = &policies[2];
    assert_eq!(dagor["verdict"], "pass");
    let finding = &dagor["findings"][0];
    assert_eq!(finding["criterion"], "stays up");
    assert_eq!(finding["bound"]["at_least"], 0.9);
    assert_eq!(finding["unit"], "share");
    assert_eq!(finding["each"].as_array().unwrap().len(), 2);
    assert_eq!(dagor["published"][0]["published"], 0.88);
    assert!(
        policies[0]["findings"][1]["value"].is_null(),
        "none is never back"
    );
    let series = &dagor["series"];
    assert_eq!(series["step_s"], 0.2);
    for name in ["offered", "good", "optimum", "refused", "withheld"] {
        assert_eq!(series[name].as_array().unwrap().len(), 300, "{name}");
    }
    let services = series["wait_ms"].as_array().unwrap();
    let names: Vec<&str> = services
        .iter()
        .map(|it| it["service"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["entry", "M", "basket", "storage"]);
    assert_eq!(series["level"][3]["values"].as_array().unwrap().len(), 300);
}

#[test]
fn numbers_have_no_more_digits_than_they_mean() {
    let json = small().json().unwrap();
    for number in json.split(|letter: char| !(letter.is_ascii_digit() || ".e-".contains(letter))) {
        let digits = number.split('e').next().unwrap().replace(['.', '-'], "");
        let digits = digits.trim_start_matches('0').trim_end_matches('0');
        assert!(digits.len() <= 7, "{number}");
    }
}

#[test]
fn a_text_in_a_scenario_stays_a_text() {
    let mut scenario = slow_shard("slow-shard");
    let evil = "<script>alert('x')</script>\"><img src=x onerror=y> & co";
    scenario.purpose = evil.into();
    scenario.source = Some(evil.into());
    scenario.name = evil.into();
    for service in &mut scenario.services {
        service.name = evil.into();
    }
    for business in &mut scenario.businesses {
        business.name = evil.into();
    }
    for criterion in &mut scenario.criteria {
        criterion.name = evil.into();
    }
    scenario.published[0].what = evil.into();
    let mut report = report(&[scenario], &[Name::None, Name::Dagor], &[1]);
    report.commit = evil.into();
    let page = page(&report);
    assert!(page.contains("&lt;script&gt;alert"), "it is shown");
    assert_eq!(page.matches("<script").count(), 1, "our own");
    assert!(!page.contains("<img"));
    assert_well_formed(&page);
}

#[test]
fn the_page_needs_nothing_else() {
    let page = page(&small());
    for outside in [
        "http:", "https:", "url(", "@import", "src=", "fetch(", "XMLHttp",
    ] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_well_formed(&page);
}

#[test]
fn the_page_tells_what_it_has_to() {
    let page = page(&small());
    let told = [
        "who is back within two seconds",
        "section 5.2",
        "stays up",
        "at least 0.9",
        "20 s to 40 s",
        "storage 0: speed 0.5",
        "Published, and ours",
        "chaos run slow-shard --engine sim --seed 7",
        "0123abc",
        "never",
        "success of payments",
        "Mean queuing time",
        "At caller: of what was refused",
        "<desc>",
    ];
    for told in told {
        assert!(page.contains(told), "{told}");
    }
}

#[test]
fn a_page_of_everything_is_not_too_large() {
    let drawn = report(&[slow_shard("scenario")], &policies(), &[1])
        .scenarios
        .remove(0);
    let mut all = Report::new("0123abc");
    for place in 0..35 {
        all.add(ScenarioReport {
            name: format!("scenario-{place}"),
            ..drawn.clone()
        });
    }
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report");
    write(&dir, &all, &Timing::default()).unwrap();
    let page = fs::metadata(dir.join("index.html")).unwrap().len();
    assert!(page <= 3_000_000, "{page} bytes");
}

#[test]
fn an_empty_report_is_one_too() {
    let report = Report::new("0123abc");
    assert_well_formed(&page(&report));
    assert_eq!(table(&report), "0 scenarios, 0 of 0 criteria hold\n");
    let mut scenario = slow_shard("idle");
    scenario.criteria.clear();
    scenario.measured = None;
    let mut collect = Collect::new(&scenario, Engine::Live, true);
    collect.add(Name::Dagor, &[(1, Outcome::default())]);
    let mut report = Report::new("0123abc");
    report.add(collect.finish());
    assert_well_formed(&page(&report));
    assert!(page(&report).contains("Nothing was judged"));
    assert!(
        table(&report).contains("nothing was judged: none of the policies run has a criterion")
    );
    assert!(
        report
            .json()
            .unwrap()
            .contains("--engine live --seed 1 --seeds 1 --policy dagor --quick --out DIR")
    );
}

#[test]
fn the_report_is_written_whole() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("written/deep");
    drop(fs::remove_dir_all(&dir));
    let timing = Timing {
        seconds: 12.345_678_9,
        runs: vec![RunTiming {
            scenario: "slow-shard".into(),
            engine: Engine::Sim,
            policy: Name::Dagor,
            seeds: 2,
            seconds: 2.0,
            events: 3_000_000,
            requests: 600_000,
        }],
        ..Timing::default()
    };
    let report = small();
    write(&dir, &report, &timing).unwrap();
    write(&dir, &report, &timing).unwrap();
    let mut names: Vec<String> = fs::read_dir(&dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["index.html", "report.json", "timing.json"]);
    assert_eq!(
        fs::read_to_string(dir.join("report.json")).unwrap(),
        report.json().unwrap()
    );
    assert_eq!(
        fs::read_to_string(dir.join("index.html")).unwrap(),
        page(&report)
    );
    let timing = fs::read_to_string(dir.join("timing.json")).unwrap();
    assert!(timing.contains("12.3457"), "{timing}");
}

#[test]
fn the_terminal_shows_a_table_and_what_failed() {
    let text = table(&small());
    let wanted = "\
slow-shard (sim, 2 seeds from 7)
  A five-tier chain whose last shard works at half speed from second 20 to 40: who finishes what was begun, and \
who is back within two seconds.
";
    assert!(text.starts_with(wanted), "{text}");
    assert!(text.contains("\n  policy    goodput  "), "{text}");
    assert!(
        text.contains("  mean wait  success of payments  verdict\n"),
        "{text}"
    );
    assert!(text.contains("\n  published dagor, "), "{text}");
    assert!(text.contains(": 0.880, here 0."), "{text}");
    assert!(text.contains("5 of 5 criteria hold"), "{text}");
    let mut scenario = slow_shard("slow-shard");
    for criterion in &mut scenario.criteria {
        criterion.policies = vec![Name::None];
    }
    let text = table(&report(&[scenario], &[Name::None], &[7]));
    assert!(
        text.contains(
            "  FAIL none, comes back: time to 0.95 of the optimum never, expected at most 2 s\n"
        ),
        "{text}"
    );
    assert!(text.contains("FAIL\n"), "{text}");
    assert!(!text.contains("not sent"), "{text}");
    let mut live = small();
    live.scenarios[0].policies[2].surplus = 12;
    let text = table(&live);
    assert!(text.contains("\n  dagor: 12 tasks not sent, "), "{text}");
}

#[test]
fn cells_have_the_agreed_shape() {
    let cells = vec![
        Cell::new(Name::Dagor, 2.0, "mix", 700.0, 750.0),
        Cell::new(Name::None, 2.0, "1", 0.0, 750.0),
        Cell::new(Name::Dagor, 0.67, "mix", 502.5, 502.5),
        Cell::new(Name::None, 2.0, "mix", 75.0, 750.0),
    ];
    let turned: Vec<Cell> = cells.iter().rev().cloned().collect();
    let cells = Cells::new(cells);
    let json = cells.json().unwrap();
    assert_eq!(json, Cells::new(turned).json().unwrap());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let wanted = serde_json::json!({
        "cells": [
            {"policy": "none", "load": 2.0, "calls": "1", "goodput": 0.0, "optimum": 750.0, "ratio": 0.0},
            {"policy": "none", "load": 2.0, "calls": "mix", "goodput": 75.0, "optimum": 750.0, "ratio": 0.1},
            {"policy": "dagor", "load": 0.67, "calls": "mix", "goodput": 502.5, "optimum": 502.5, "ratio": 1.0},
            {"policy": "dagor", "load": 2.0, "calls": "mix", "goodput": 700.0, "optimum": 750.0, "ratio": 0.933_333},
        ],
        "geomean": {"none": 0.01, "dagor": 0.966_092},
    });
    assert_eq!(json, wanted);
    let shown = "  goodput / optimum  calls  0.67x     2x
  none                   1      -  0.000
                       mix      -  0.100
                      mean  0.010
  dagor                  1      -      -
                       mix  1.000  0.933
                      mean  0.966
";
    assert_eq!(cells.table(), shown);
}

#[test]
fn the_commit_is_a_hash_or_unknown() {
    let hash = commit().len() == 40 && commit().chars().all(|letter| letter.is_ascii_hexdigit());
    assert!(hash || commit() == "unknown", "{}", commit());
}

#[test]
fn a_long_run_has_no_more_points() {
    let mut scenario = slow_shard("drip");
    scenario.duration = seconds(600.0);
    let report = report(&[scenario], &[Name::Dagor], &[1]);
    let series = &report.scenarios[0].policies[0].series;
    assert_eq!(
        (series.good.len(), series.wait_ms[0].values.len()),
        (300, 300)
    );
    let good: f64 = series.good.iter().sum::<f64>() * 2.0;
    let summed = &report.scenarios[0].policies[0].summary;
    assert!(
        (good / 600.0 / summed.good - 1.0).abs() < 0.02,
        "the same work in fewer points"
    );
}

/// Tags without an end.
const VOID: [&str; 3] = ["link", "meta", "br"];

/// Checks that a browser's parser has nothing to object and that every tag is closed where it should be.
#[track_caller]
fn assert_well_formed(page: &str) {
    let mut open: Vec<String> = Vec::new();
    let mut ids = std::collections::BTreeSet::new();
    for token in Tokenizer::new(page) {
        match token.expect("a string has no errors of reading") {
            Token::StartTag(tag) => {
                let name = String::from_utf8(tag.name.0).expect("UTF-8");
                if let Some(id) = tag.attributes.get(&b"id"[..]) {
                    assert!(ids.insert(id.to_vec()), "twice: {id:?}");
                }
                if !VOID.contains(&name.as_str()) && !tag.self_closing {
                    open.push(name);
                }
            }
            Token::EndTag(tag) => {
                let name = String::from_utf8(tag.name.0).expect("UTF-8");
                assert_eq!(open.pop(), Some(name), "after {open:?}");
            }
            Token::Error(error) => panic!("{error:?} in {open:?}"),
            _ => {}
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
}
