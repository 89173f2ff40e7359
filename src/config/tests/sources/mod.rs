//! Tests of the file, the environment and the watch.

mod broken;
mod environment;
mod reading;
mod watching;

use std::{fs, path::PathBuf};

use super::{Settings, SettingsError, lines};
use crate::config::File;

fn parse(text: &str) -> Result<File, SettingsError> {
    Settings::from_toml(text, "dagor.toml")
}

/// The faults of a text, one line each.
fn faults(text: &str) -> Vec<String> {
    lines(&parse(text).unwrap_err())
}

/// A folder of its own for one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let name = format!("dagor-config-{test}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}
