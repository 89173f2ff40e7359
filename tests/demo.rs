//! The demo as the tests run it: the quick plan, in this process, with bars that a busy machine passes.
//!
//! The example is compiled into this test instead of being looked for in `target/`, so it is never an
//! old one and `cargo test --test demo` is enough.

use std::process::ExitCode;

use serde_json::Value;

use overload::{args::Options, json, measure::measure, progress::Progress, start};

#[path = "../examples/overload/main.rs"]
#[expect(dead_code, reason = "the terminal's side of it is not called here")]
mod overload;

/// Times that the figures are taken before they are believed to be bad: the two cores may have been
/// somebody else's for a second.
const ATTEMPTS: usize = 3;

#[test]
fn goodput_survives_three_times_the_capacity() {
    let mut told = Vec::new();
    for _ in 0..ATTEMPTS {
        let options = parse(&["--quick"]).unwrap();
        let report = Report(json::of(&measure(&options, Progress::new()).unwrap()));
        let faults = report.faults();
        if faults.is_empty() {
            return;
        }
        told.push(format!("{}\nin {}", faults.join("\n"), report.0));
    }
    panic!("{}", told.join("\n\n"));
}

/// What the demo writes with `--json`.
struct Report(Value);

impl Report {
    /// Returns the bars that the figures do not reach.
    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let mut check = |what: String, seen: f64, good: bool| {
            if !good {
                faults.push(format!("{what}: {seen:.3}"));
            }
        };
        // Where the capacity comes and goes, what is said of a share or a multiple of it means nothing.
        let steady = self.is_steady();
        for (policy, calls) in [("dagor-callee", 1), ("dagor", 1), ("dagor", 4)] {
            let what = format!("{policy} at 3x, tasks of {calls}");
            let useful = self.useful(policy, calls);
            check(
                format!("{what}, of what is served useful"),
                useful,
                useful >= 0.9,
            );
            let goodput = self.figure(policy, 3.0, calls, "goodput_ratio");
            check(
                format!("{what}, goodput"),
                goodput,
                goodput >= 0.80 || !steady,
            );
        }
        let none = self.figure("none", 3.0, 1, "goodput_ratio");
        let goodput = self.figure("dagor", 3.0, 1, "goodput_ratio");
        check(
            format!("dagor against {none:.3} of none"),
            goodput,
            goodput >= 1.5 * none,
        );
        for name in ["shed", "withheld"] {
            let refused = self.figure("dagor", 0.5, 1, name);
            check(
                format!("dagor at 0.5x, {name}"),
                refused,
                refused < 0.5 || !steady,
            );
        }
        let top = self.figure("dagor", 3.0, 1, "top_fifth");
        check(
            "dagor at 3x, the top fifth".into(),
            top,
            top >= 0.95 || !steady,
        );
        let withheld = self.figure("dagor", 3.0, 1, "at_caller");
        check(
            "dagor at 3x, refused at the caller".into(),
            withheld,
            withheld >= 0.5,
        );
        let wait = self.figure("dagor", 3.0, 1, "wait_ms");
        check("dagor at 3x, mean wait in ms".into(), wait, wait <= 60.0);
        faults
    }

    /// Returns the share of the calls served at 3x that belonged to a task which ended in time: what is
    /// left of goodput when the capacity is not known.
    fn useful(&self, policy: &str, calls: u32) -> f64 {
        let in_time = self.figure(policy, 3.0, calls, "tasks_in_time") * f64::from(calls);
        in_time / self.figure(policy, 3.0, calls, "served")
    }

    /// Returns whether the capacity was the same before and after, so that other figures can be trusted.
    fn is_steady(&self) -> bool {
        let [before, after] = ["capacity_rps", "capacity_after_rps"];
        let [before, after] =
            [&self.0[before], &self.0[after]].map(|rate| rate.as_f64().expect("a rate"));
        (after / before - 1.0).abs() < 0.1
    }

    fn figure(&self, policy: &str, load: f64, calls: u32, name: &str) -> f64 {
        let rows = self.0["rows"].as_array().expect("rows");
        let row = rows.iter().find(|row| {
            row["policy"] == policy && row["load"] == load && row["calls_per_task"] == calls
        });
        let row = row.unwrap_or_else(|| panic!("no {policy} at {load}x, tasks of {calls}"));
        // Null where nothing was served or refused; no bar is that low.
        row[name].as_f64().unwrap_or(0.0)
    }
}

#[test]
fn bad_arguments_are_named_with_what_is_allowed() {
    for (arguments, parts) in [
        (
            &["--only", "nobody"][..],
            ["--only", "\"nobody\"", "none, tower, dagor-callee, dagor"],
        ),
        (&["--seed", "-1"], ["--seed", "\"-1\"", "a whole number"]),
        (
            &["--for", "0", "--serve"],
            ["--for", "\"0\"", "0.1 to 86400"],
        ),
        (
            &["--serve", "here"],
            ["--serve", "\"here\"", "127.0.0.1:3000"],
        ),
        (&["--slow"], ["--slow", "not an argument", "--help"]),
        (&["--json"], ["--json", "missing", "argument"]),
    ] {
        let error = parse(arguments).unwrap_err().to_string();
        for part in parts {
            assert!(error.contains(part), "{arguments:?}: {error}");
        }
        let arguments = arguments.iter().map(Into::into);
        assert_eq!(start(arguments), ExitCode::from(2));
    }
}

#[test]
fn serve_takes_an_address_or_goes_without() {
    for arguments in [
        &["--serve", "127.0.0.1:0", "--for", "1"][..],
        &["--serve=127.0.0.1:0", "--for=1"],
        &["--serve", "--for", "1"],
        &["--for", "1", "--serve"],
    ] {
        let options = parse(arguments).unwrap();
        assert!(options.serve_for.is_some(), "{arguments:?}");
    }
}

fn parse(arguments: &[&str]) -> Result<Options, tower::BoxError> {
    Options::parse(arguments.iter().map(Into::into))
}
