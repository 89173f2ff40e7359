//! Tests of the checks, and of the file, the environment and the watch.

mod checking;
#[cfg(feature = "config")]
mod sources;

use super::{Settings, SettingsError};

/// One line for each fault.
fn lines(error: &SettingsError) -> Vec<String> {
    assert!(error.faults().count() > 0);
    error.to_string().lines().map(String::from).collect()
}
