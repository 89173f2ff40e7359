//! What is wrong with what was asked: told at once, nothing run, nothing written.

use std::fs;

use super::{TINY, folder, lines, names, path, run, status, text};

#[test]
fn all_that_is_wrong_is_told_at_once_and_nothing_written() {
    let folder = folder("[[call]]\nfrom = \"A\"\nto = \"B\"\n[[criterion]]\nname = \"x\"\n");
    let out = path(&folder, "out");
    let output = run([
        "run",
        &path(&folder, "tiny.toml"),
        "no-such-scenario",
        "--engine",
        "moon",
        "--policy",
        "dagor,dager,acc,nine",
        "--out",
        &out,
    ]);
    assert_eq!(status(&output), 2);
    assert!(output.stdout.is_empty());
    let lines = lines(&output.stderr);
    for said in [
        "engine = \"moon\", expected sim or live",
        "policy = \"dager\", expected one of none, ",
        "policy = \"nine\", expected one of none, ",
        "no-such-scenario: expected ",
    ] {
        let found = lines.iter().filter(|line| line.starts_with(said)).count();
        assert_eq!(found, 1, "{said}: {lines:#?}");
    }
    for near in [
        "acc, governor, perhaps dagor",
        "acc, governor, perhaps none",
    ] {
        assert!(lines.iter().any(|line| line.ends_with(near)), "{lines:#?}");
    }
    // The call to nowhere and the criterion without a measure.
    let in_file = lines
        .iter()
        .filter(|line| line.contains("tiny.toml:"))
        .count();
    assert!(in_file >= 2, "{lines:#?}");
    assert_eq!(names(folder.path()), ["tiny.toml"]);
}

#[test]
fn a_policy_that_needs_real_sockets_is_refused_in_virtual_time() {
    let folder = folder("");
    let file = path(&folder, "tiny.toml");
    let output = run(["run", &file, "--engine", "sim", "--policy", "acc,dagor"]);
    assert_eq!(status(&output), 2);
    let lines = lines(&output.stderr);
    assert_eq!(
        lines,
        ["tiny: policy = \"acc\" runs on real sockets only, with --engine live"]
    );
}

#[test]
fn a_place_that_cannot_be_written_is_told_before_anything_runs() {
    let folder = folder("");
    let file = path(&folder, "tiny.toml");
    // A file is in the way.
    let output = run(["run", &file, "--out", &format!("{file}/below")]);
    assert_eq!(status(&output), 2);
    assert_eq!(lines(&output.stderr).len(), 1, "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("is not a folder"));
    let output = run([
        "table",
        "--quick",
        "--json",
        &path(&folder, "no/cells.json"),
    ]);
    assert_eq!(status(&output), 2);
    assert_eq!(names(folder.path()), ["tiny.toml"]);
}

#[test]
fn wrong_usage_is_status_2_and_help_is_not() {
    for args in [
        &["run"][..],
        &["run", "--all", "flash-crowd"],
        &["run", "flash-crowd", "--seeds", "0"],
        &["frobnicate"],
        &["check"],
        &["watch", "flash-crowd", "--listen", "nowhere"],
        &["table", "--balance", "sideways"],
        &[],
    ] {
        let output = run(args);
        assert_eq!(status(&output), 2, "{args:?}");
        assert!(
            output.stdout.is_empty() && !output.stderr.is_empty(),
            "{args:?}"
        );
    }
    for args in [
        &["--help"][..],
        &["run", "--help"],
        &["help", "table"],
        &["--version"],
    ] {
        let output = run(args);
        assert_eq!(status(&output), 0, "{args:?}");
        assert!(!output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn check_tells_the_faults_of_all_files() {
    let folder = folder("");
    let (good, bad) = (path(&folder, "tiny.toml"), path(&folder, "bad.toml"));
    fs::write(
        &bad,
        TINY.replace("workers = 4", "workers = 0")
            .replace("seed = 3", "sead = 3"),
    )
    .unwrap();
    let output = run(["check", &good, &bad, &path(&folder, "none.toml")]);
    assert_eq!(status(&output), 2);
    assert_eq!(lines(&output.stdout).len(), 1, "the good one");
    let faults = lines(&output.stderr);
    assert_eq!(faults.len(), 3, "{faults:#?}");
    assert!(
        faults.iter().any(|line| line.contains("workers = 0")),
        "{faults:#?}"
    );
    assert!(
        faults.iter().any(|line| line.contains("sead")),
        "{faults:#?}"
    );
    assert!(
        faults.iter().any(|line| line.contains("none.toml")),
        "{faults:#?}"
    );
}
