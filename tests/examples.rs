//! Every example runs to its end by itself, and says what it should.
//!
//! Run are the programs themselves, which `cargo test` has built beside this test. So an example stays what a
//! reader expects, a plain `fn main`, and its exit code and its output are the real ones. (Compiled into this
//! test as modules they would need a public `main`, share one process, and print where nobody looks.)
//! `cargo test --test examples` alone builds no examples; what is missing, or older than its source, says so.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{Mutex, PoisonError},
};

/// One example at a time: they measure, and would disturb each other.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs the example `name`, and expects a line that begins with each of `lines`, in this order.
fn run(name: &str, lines: &[&str]) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let output = Command::new(built(name)).output().unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{}\n{out}{err}", output.status);
    let mut said = out.lines();
    for expected in lines {
        let found = said.any(|line| line.starts_with(expected));
        assert!(
            found,
            "no line begins with {expected:?}, or not there:\n{out}{err}"
        );
    }
}

/// Returns the program of the example `name`: `target/<profile>/examples/<name>`.
fn built(name: &str) -> PathBuf {
    // This test is `target/<profile>/deps/examples-<hash>`.
    let this = env::current_exe().unwrap();
    let profile = this.parent().and_then(Path::parent).unwrap();
    let program = profile
        .join("examples")
        .join(name)
        .with_extension(env::consts::EXE_EXTENSION);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{name}.rs"));
    let written = fs::metadata(source).unwrap().modified().unwrap();
    let fresh = fs::metadata(&program)
        .and_then(|program| program.modified())
        .is_ok_and(|built| built >= written);
    assert!(
        fresh,
        "build it first: cargo build --all-features --examples"
    );
    program
}

#[test]
#[cfg(feature = "axum")]
fn axum_http() {
    run(
        "axum_http",
        &[
            "/checkout: ",
            "/catalogue: ",
            "a refusal says: 503",
            "orders (enforce)",
        ],
    );
}

#[test]
#[cfg(feature = "balance")]
fn balance() {
    run("balance", &["the quick instance got "]);
}

#[test]
#[cfg(feature = "http")]
fn call_chain() {
    run(
        "call_chain",
        &[
            "stock was told, by the first call:   1, ",
            "by one spawned without",
        ],
    );
}

#[test]
#[cfg(feature = "http")]
fn fan_out() {
    run(
        "fan_out",
        &[
            "the task ended: stock refused",
            "the two others left the gate ",
        ],
    );
}

#[test]
fn job_queue() {
    run("job_queue", &["business 1: ", "business 6: "]);
}

#[test]
#[cfg(feature = "config")]
fn reload() {
    run(
        "reload",
        &[
            "observing: ",
            "enforcing: ",
            "a bad file:",
            "kept: enforce, threshold 30ms",
        ],
    );
}

#[test]
#[cfg(feature = "http")]
fn third_party() {
    run("third_party", &["login codes: ", "newsletters: "]);
}

#[test]
#[cfg(feature = "tonic")]
fn tonic_grpc() {
    run("tonic_grpc", &["a refusal: shed", "orders (enforce)"]);
}
