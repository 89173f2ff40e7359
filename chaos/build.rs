//! Puts the scenarios of this package, and the traces that they refer to, into the binary, and says which commit it
//! is built from.

use std::{
    env,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

fn main() -> io::Result<()> {
    commit();
    println!("cargo::rerun-if-changed=scenarios");
    let mut files = Vec::new();
    collect(Path::new("scenarios"), &mut files)?;
    // Folders list their files in an order of their own; the binary must not depend on it. Names are ordered, not
    // files: "m1" comes before "m1-1500", but "m1.toml" after "m1-1500.toml".
    files.sort_by_key(|file| file.with_extension(""));
    let list = |extension: &str| list(&files, extension);
    let code = format!(
        "const SCENARIOS: &[(&str, &str)] = &[{}];\nconst TRACES: &[(&str, &str)] = &[{}];\n",
        list("toml"),
        list("csv"),
    );
    let out = env::var_os("OUT_DIR")
        .map(PathBuf::from)
        .unwrap_or_default();
    fs::write(out.join("builtin.rs"), code)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns pairs of a path under `scenarios` and the text of the file.
fn list(files: &[PathBuf], extension: &str) -> String {
    let mut code = String::new();
    for file in files
        .iter()
        .filter(|file| file.extension().is_some_and(|it| it == extension))
    {
        let Some(path) = file.to_str().map(|path| path.replace('\\', "/")) else {
            continue;
        };
        let name = path.trim_start_matches("scenarios/");
        let text = format!(
            "include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {:?}))",
            format!("/{path}")
        );
        // Writing to a string cannot fail.
        let _ = write!(code, "\n    ({name:?}, {text}),");
    }
    code
}

/// Gives the commit to the compiler: what `DAGOR_COMMIT` says, for builds outside a checkout, or else what git says.
fn commit() {
    println!("cargo::rerun-if-env-changed=DAGOR_COMMIT");
    let given = env::var("DAGOR_COMMIT").ok();
    let commit = given.or_else(|| git(&["rev-parse", "HEAD"]));
    println!(
        "cargo::rustc-env=DAGOR_CHAOS_COMMIT={}",
        commit.as_deref().unwrap_or("unknown")
    );
    // What changes with every commit and every checkout. A file that is not there would count as changed always.
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    for name in ["HEAD", "logs/HEAD", "packed-refs"]
        .into_iter()
        .chain(branch.as_deref())
    {
        let path = git(&["rev-parse", "--git-path", name]);
        if let Some(path) = path.filter(|path| Path::new(path).exists()) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let text = text.trim();
    (output.status.success() && !text.is_empty()).then(|| text.into())
}
