//! Puts the scenarios of this package, and the traces that they refer to, into the binary.

use std::{
    env,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=scenarios");
    let mut files = Vec::new();
    collect(Path::new("scenarios"), &mut files)?;
    // Folders list their files in an order of their own; the binary must not depend on it.
    files.sort();
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
