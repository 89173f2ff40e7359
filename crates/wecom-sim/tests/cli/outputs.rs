//! What it does where an output is closed, full, or thrown away.

use std::{
    fs,
    process::{Child, Command, Stdio},
};

use super::{PROGRAM, Serving, address, run_into, status, text, unread};

#[test]
fn a_pipe_that_is_closed_is_told_where_somebody_has_to_hear() {
    let served = run_into(unread(), &["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(served.status.code(), Some(2), "{served:?}");
    let told = text(&served.stderr);
    assert!(told.starts_with("standard output: "), "{told}");
    let small = concat!(env!("CARGO_MANIFEST_DIR"), "/profiles/small.toml");
    for args in [
        &["profile"][..],
        &["check", small],
        &["--help"],
        &["serve", "--help"],
        &["--version"],
    ] {
        let printed = run_into(unread(), args);
        assert_eq!(printed.status.code(), Some(0), "{args:?}: {printed:?}");
        assert_eq!(text(&printed.stderr), "", "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_told_by_every_command() {
    let full = || fs::File::options().write(true).open("/dev/full").unwrap();
    let small = concat!(env!("CARGO_MANIFEST_DIR"), "/profiles/small.toml");
    for args in [
        &["serve", "--listen", "127.0.0.1:0"][..],
        &["profile"],
        &["check", small],
        &["check", small, "/nowhere/at/all.toml"],
        &["demo"],
        &["--help"],
        &["serve", "--help"],
        &["--version"],
    ] {
        let printed = run_into(full(), args);
        assert_eq!(printed.status.code(), Some(2), "{args:?}: {printed:?}");
        let told = text(&printed.stderr);
        let is_told = told
            .lines()
            .any(|line| line.starts_with("standard output: "));
        assert!(is_told, "{args:?}: {told}");
        let is_wrong = told.contains("/nowhere/at/all.toml: cannot be read");
        assert_eq!(is_wrong, args.len() == 3 && args[0] == "check", "{told}");
    }
}

/// Starts the program with some of its outputs closed or thrown away, as a shell does; returns it.
fn closed(args: &str, how: &str) -> Child {
    let mut command = Command::new("bash");
    command.args(["-c", &format!("exec \"$program\" {args} {how}")]);
    command.env("program", PROGRAM).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

#[test]
fn an_address_that_goes_nowhere_is_told_on_standard_error() {
    for how in [">&-", ">/dev/null", ">&- <&-"] {
        let mut child = closed("serve --listen 127.0.0.1:0", how);
        let stderr = child.stderr.take().unwrap();
        let mut serving = Serving::of(child, stderr, |line| {
            let told = "standard output: closed or /dev/null; it serves at http://";
            line.strip_prefix(told).map(String::from)
        });
        let list = serving.ask("GET", "/admin", "");
        assert!(list.starts_with("HTTP/1.1 200"), "{how}: {list}");
        serving.child.stdout.take();
        assert_eq!(serving.end("-TERM").code(), Some(0), "{how}");
    }
    let printed = closed("profile", ">&-").wait_with_output().unwrap();
    let told = text(&printed.stderr);
    assert!(told.starts_with("standard output: closed"), "{told}");
}

#[test]
fn a_port_that_nobody_would_learn_is_not_served() {
    for how in [">&- 2>&-", ">/dev/null 2>/dev/null"] {
        let served = closed("serve --listen 127.0.0.1:0", how);
        assert_eq!(status(served).code(), Some(2), "{how}");
    }
}

#[test]
fn without_standard_error_it_serves_all_the_same() {
    let mut child = closed("serve --listen 127.0.0.1:0", "2>&-");
    let stdout = child.stdout.take().unwrap();
    let serving = Serving::of(child, stdout, address);
    assert_eq!(serving.end("-INT").code(), Some(0));
    let wrong = closed("check /nowhere/at/all.toml", "2>&-");
    assert_eq!(status(wrong).code(), Some(2));
}
