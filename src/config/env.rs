//! Settings in environment variables.

use std::ffi::OsString;

use super::{
    Settings,
    fault::{Faults, SettingsError},
    file::File,
    given::{Given, Value},
    read::{Names, keys, read},
};

// === impl Settings ===

impl Settings {
    /// Reads settings from environment variables; what they leave out has its default.
    ///
    /// A variable has the name of the file's key, in capitals, with `DAGOR_` before it and `_` for the
    /// dot: `DAGOR_THRESHOLD_MS`, `DAGOR_REFUSAL_STATUS`. Lists are written with commas:
    /// `DAGOR_EXEMPT=/health,/metrics`, `DAGOR_REFUSAL_RETRY_AFTER_SECONDS=1,3`. Variables that do
    /// not begin with `DAGOR_` are passed over. The table of businesses has no variable.
    ///
    /// Takes any iterator, so that tests need not touch the process and unrelated variables of the same
    /// prefix can be left out. Prefer `std::env::vars_os` to `vars`, which panics when any variable
    /// of the process is not Unicode.
    ///
    /// # Errors
    ///
    /// If a variable that begins with `DAGOR_` is unknown, given twice, not Unicode or cannot be read,
    /// or if [`check`](Self::check) finds a fault; all of it at once.
    ///
    /// # Example: from the process
    ///
    /// ```
    /// use dagor::Settings;
    ///
    /// let settings = Settings::from_env(std::env::vars_os())?;
    /// # let _ = settings;
    /// let settings = Settings::from_env([("DAGOR_THRESHOLD_MS", "40"), ("HOME", "/root")])?;
    /// assert_eq!(settings.constants.threshold.as_millis(), 40);
    /// # Ok::<(), dagor::config::SettingsError>(())
    /// ```
    pub fn from_env<K, V>(
        variables: impl IntoIterator<Item = (K, V)>,
    ) -> Result<Self, SettingsError>
    where
        K: Into<OsString>,
        V: Into<OsString>,
    {
        Self::default().with_env(variables)
    }

    /// Returns these settings with what the variables say put over them, as
    /// [`from_env`](Self::from_env).
    ///
    /// `DAGOR_LAW` sets every number of the law, those these settings had included; numbers given
    /// as variables besides are put over it.
    ///
    /// # Errors
    ///
    /// As [`from_env`](Self::from_env).
    pub fn with_env<K, V>(
        mut self,
        variables: impl IntoIterator<Item = (K, V)>,
    ) -> Result<Self, SettingsError>
    where
        K: Into<OsString>,
        V: Into<OsString>,
    {
        let mut faults = Faults::default();
        let mut given: Vec<Given> = Vec::new();
        for (name, value) in variables {
            let (name, value) = (name.into(), value.into());
            let Some(variable) = variable(&name.to_string_lossy(), value, given.len()) else {
                continue;
            };
            if matches!(variable.value, Value::Other) {
                faults.push(variable.fault("Unicode"));
            } else if given.iter().any(|given| given.key == variable.key) {
                faults.push(variable.fault("each variable once"));
            } else {
                given.push(variable);
            }
        }
        read(&given, NAMES, &mut self, &mut faults);
        faults.none_or(self)
    }
}

// === impl File ===

impl File {
    /// Returns this file's settings with the environment put over them, as [`Settings::with_env`].
    ///
    /// # Errors
    ///
    /// As [`Settings::from_env`].
    pub fn with_env<K, V>(
        self,
        variables: impl IntoIterator<Item = (K, V)>,
    ) -> Result<Self, SettingsError>
    where
        K: Into<OsString>,
        V: Into<OsString>,
    {
        let settings = self.settings.with_env(variables)?;
        Ok(Self { settings, ..self })
    }
}

/// Returns the variable as a given value, if its name is one of ours.
fn variable(name: &str, value: OsString, order: usize) -> Option<Given> {
    let rest = name.strip_prefix(PREFIX)?;
    let known = keys().find(|key| name_of(key) == name);
    let key = known.map_or_else(|| rest.to_lowercase(), String::from);
    let (value, written) = match value.into_string() {
        Ok(text) => (Value::Variable(text.clone()), format!("{text:?}")),
        Err(bytes) => (Value::Other, format!("{bytes:?}")),
    };
    Some(Given {
        key,
        name: String::from(name),
        value,
        written,
        place: String::from("environment"),
        order,
    })
}

/// Returns the variable's name for a key.
pub(super) fn name_of(key: &str) -> String {
    format!("{PREFIX}{}", key.replace('.', "_").to_uppercase())
}

const NAMES: Names = Names {
    of: name_of,
    sections: &[],
};

const PREFIX: &str = "DAGOR_";
