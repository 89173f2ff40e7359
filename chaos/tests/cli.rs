//! The program from outside: what it prints, what it leaves, how it ends.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

#[path = "cli/faults.rs"]
mod faults;

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

/// A second of a small service under more than it can do.
const TINY: &str = r#"
purpose = "Twice the load"
seed = 3
duration_s = 2
warm_up_s = 1
policies = ["none", "dagor"]

[[service]]
name = "A"
workers = 4
service_ms = 20

[[business]]
name = "tasks"
number = 3
entry = "A"

[[load]]
times_capacity = 2
"#;

/// A criterion that holds, and one that cannot.
const HOLDS: &str = "[[criterion]]\nname = \"some pass\"\nmeasure = \"goodput\"\nat_least = 0.1\n";
const FAILS: &str = "[[criterion]]\nname = \"all pass\"\nmeasure = \"goodput\"\nat_least = 1.05\n";

fn chaos() -> Command {
    Command::new(env!("CARGO_BIN_EXE_chaos"))
}

fn run<A: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = A>) -> Output {
    chaos().args(args).output().unwrap()
}

fn status(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn lines(bytes: &[u8]) -> Vec<String> {
    text(bytes).lines().map(str::to_owned).collect()
}

/// A folder with `tiny.toml` in it, with these lines more.
fn folder(more: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tiny.toml"), format!("{TINY}{more}")).unwrap();
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn path(folder: &TempDir, name: &str) -> String {
    folder
        .path()
        .join(name)
        .into_os_string()
        .into_string()
        .unwrap()
}

#[test]
fn lists_a_header_and_a_scenario_a_line() {
    let output = run(["list"]);
    assert_eq!((status(&output), text(&output.stderr)), (0, String::new()));
    let lines = lines(&output.stdout);
    let header: Vec<&str> = lines[0].split_whitespace().collect();
    assert_eq!(header, ["name", "engines", "length", "purpose"]);
    let names: Vec<&str> = lines[1..]
        .iter()
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    let builtin: Vec<&str> = chaos::scenario::builtin().map(|(name, _)| name).collect();
    assert!(!names.is_empty());
    assert_eq!(names, builtin);
    let flash = lines
        .iter()
        .find(|line| line.starts_with("flash-crowd "))
        .unwrap();
    let words: Vec<&str> = flash.split_whitespace().collect();
    assert!(
        words[1]
            .split(',')
            .all(|engine| ["sim", "live"].contains(&engine)),
        "{flash}"
    );
    assert!(
        words[2].parse::<f64>().is_ok() && words[3] == "s",
        "{flash}"
    );
}

#[test]
fn a_criterion_that_fails_is_status_1() {
    for (more, expected, verdict) in [(HOLDS, 0, "pass"), (FAILS, 1, "fail"), ("", 0, "shown")] {
        let folder = folder(more);
        let out = path(&folder, "out");
        let output = run([
            "run",
            &path(&folder, "tiny.toml"),
            "--policy",
            "dagor",
            "--out",
            &out,
        ]);
        assert_eq!(status(&output), expected, "{more}{}", text(&output.stderr));
        let warned = text(&output.stderr).contains("tiny: nothing was judged");
        assert_eq!(warned, verdict == "shown", "{}", text(&output.stderr));
        assert!(
            text(&output.stdout).contains("tiny (sim, seed 3)"),
            "{}",
            text(&output.stdout)
        );
        let report = fs::read_to_string(Path::new(&out).join("report.json")).unwrap();
        let report: Value = serde_json::from_str(&report).unwrap();
        let dagor = &report["scenarios"][0]["policies"][0];
        assert_eq!(
            (&dagor["policy"], &dagor["verdict"]),
            (&"dagor".into(), &verdict.into())
        );
        let files = names(Path::new(&out));
        assert!(files.contains(&"index.html".into()), "{files:?}");
        assert!(files.iter().all(|name| !name.contains("tmp")), "{files:?}");
    }
}

#[test]
fn json_goes_to_standard_output_and_nothing_else_does() {
    let folder = folder(FAILS);
    let file = path(&folder, "tiny.toml");
    let output = run(["run", &file, "--json", "--seed", "9", "--seeds", "2"]);
    assert_eq!(status(&output), 1);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let scenario = &report["scenarios"][0];
    assert_eq!(scenario["name"], "tiny");
    assert_eq!(
        (&scenario["replay"]["seed"], &scenario["replay"]["seeds"]),
        (&9.into(), &2.into())
    );
    let policies = scenario["policies"].as_array().unwrap();
    let policies: Vec<&str> = policies
        .iter()
        .map(|policy| policy["policy"].as_str().unwrap())
        .collect();
    assert_eq!(policies, ["none", "dagor"]);
    assert_eq!(
        names(folder.path()),
        ["tiny.toml"],
        "nothing is written without --out"
    );
}

#[test]
fn the_template_is_written_once_and_is_right() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "mine.toml");
    assert_eq!(status(&run(["new", &file])), 0);
    let written = fs::read(&file).unwrap();
    assert_eq!(written, run(["new"]).stdout);

    let again = run(["new", &file]);
    assert_eq!(status(&again), 2);
    assert_eq!(text(&again.stderr), format!("{file} exists already\n"));
    assert_eq!(fs::read(&file).unwrap(), written);

    let checked = run(["check", &file]);
    assert_eq!(status(&checked), 0, "{}", text(&checked.stderr));
    assert!(text(&checked.stdout).starts_with(&format!("{file}: right: ")));
}

#[test]
fn neither_the_order_of_policies_nor_another_run_changes_a_byte() {
    let folder = folder(HOLDS);
    let file = path(&folder, "tiny.toml");
    let report = |out: &str, policies: &str| {
        let out = path(&folder, out);
        let args = [
            "run", &file, "--policy", policies, "--seeds", "3", "--out", &out,
        ];
        let output = run(args);
        assert_eq!(status(&output), 0, "{}", text(&output.stderr));
        let read = |name: &str| fs::read(Path::new(&out).join(name)).unwrap();
        (read("report.json"), read("index.html"), output.stdout)
    };
    let first = report("one", "dagor,none,paper");
    assert_eq!(first, report("two", "paper,dagor,none,dagor"));
    assert_eq!(first, report("three", "dagor,none,paper"));
}

#[test]
fn the_replay_of_a_file_names_the_file_and_not_where_it_lies() {
    let folder = folder(HOLDS);
    let report = |dir: &Path, file: &str| {
        let args = ["run", file, "--policy", "none", "--json"];
        let output = chaos().args(args).current_dir(dir).output().unwrap();
        assert_eq!(status(&output), 0, "{}", text(&output.stderr));
        output.stdout
    };
    let here = report(folder.path(), "tiny.toml");
    let command = "chaos run tiny.toml --engine sim --seed 3 --seeds 1 --policy none --out DIR";
    let read: Value = serde_json::from_slice(&here).unwrap();
    assert_eq!(read["scenarios"][0]["replay"]["command"], command);
    let elsewhere = tempfile::tempdir().unwrap();
    assert_eq!(here, report(elsewhere.path(), &path(&folder, "tiny.toml")));
}

#[test]
fn a_run_that_is_killed_leaves_nothing() {
    let folder = folder("");
    let (file, out) = (path(&folder, "tiny.toml"), path(&folder, "out"));
    let long = TINY.replace("duration_s = 2", "duration_s = 200");
    fs::write(&file, long).unwrap();
    // Minutes of runs on any machine; the first lines of progress say that it is in the middle of them.
    let mut child = chaos()
        .args([
            "run",
            &file,
            "--policy",
            "none,dagor",
            "--seeds",
            "1000",
            "--out",
            &out,
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut progress = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    progress.read_line(&mut line).unwrap();
    assert!(line.contains(" of 2000 runs"), "{line:?}");
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success());
    assert_eq!(names(folder.path()), ["tiny.toml"]);
}

#[test]
fn a_closed_standard_output_is_no_accident() {
    let folder = folder(HOLDS);
    let file = path(&folder, "tiny.toml");
    for args in [
        &["list"][..],
        &["new"],
        &["--help"],
        &["run", &file, "--json"],
    ] {
        let mut child = chaos()
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut said = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut said)
            .unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{args:?}: {said}");
        assert!(!said.contains("panicked"), "{args:?}: {said}");
    }
}

#[test]
fn the_table_has_every_cell_once_in_the_documented_form() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "cells.json");
    // Without control, which is the quickest.
    let output = run([
        "table",
        "--quick",
        "--parallel",
        "--policy",
        "none",
        "--json",
        &file,
    ]);
    assert_eq!(status(&output), 0, "{}", text(&output.stderr));
    let table: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let cells = table["cells"].as_array().unwrap();
    let keys: Vec<(&str, f64)> = cells
        .iter()
        .map(|cell| {
            (
                cell["calls"].as_str().unwrap(),
                cell["load"].as_f64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        keys,
        [
            ("2", 2.0),
            ("4", 1.0),
            ("4", 2.0),
            ("4", 10.0),
            ("mix", 3.0)
        ]
    );
    let mut logarithms = 0.0;
    for cell in cells {
        let number = |key: &str| cell[key].as_f64().unwrap();
        assert_eq!(cell["policy"], "none");
        // 750 calls a second are what can be served; half a percent of chance at a load of 1.
        assert!((number("optimum") - 750.0).abs() < 20.0, "{cell}");
        let ratio = number("goodput") / number("optimum");
        assert!((ratio - number("ratio")).abs() < 1e-4, "{cell}");
        logarithms += number("ratio").max(0.001).ln();
    }
    let geomean = table["geomean"]["none"].as_f64().unwrap();
    assert!((geomean.ln() - logarithms / 5.0).abs() < 1e-3, "{geomean}");
    assert!(text(&output.stdout).contains("geomean"));
    assert_eq!(names(folder.path()), ["cells.json"]);
}
