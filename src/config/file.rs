//! Settings in a TOML file.

use std::{fs, io::Read, path::Path};

use super::{
    Settings,
    document::{Document, NAMES},
    fault::{Fault, Faults, SettingsError},
    given::{Given, Value},
    numbers::whole,
    read::read,
};

/// What a file holds: the settings, and for an entry service the table of businesses.
///
/// Every key and its default is in `docs/dagor.toml`. What a file leaves out has its default. A key
/// that is unknown, given twice, of the wrong type or out of range is a fault; so that a mistyped key is
/// never a silent default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct File {
    /// The settings, checked.
    pub settings: Settings,
    /// The section `[business]`: each pattern and its number, in the order of the file.
    ///
    /// A pattern is a path that begins with `/`, with `/*` at its end for all that is under it, and before
    /// it, if wanted, a method and one space: `"/login"`, `"POST /checkout"`, `"/pay.Payments/*"`. For the
    /// table of `entry`, which takes the same patterns; a service that is not an entry has no use for it.
    pub businesses: Vec<(String, u8)>,
}

// === impl Settings ===

impl Settings {
    /// Reads `text`, a TOML document; `name` is what faults call it.
    ///
    /// An empty document is all defaults.
    ///
    /// # Errors
    ///
    /// If `text` is longer than 256 KiB or not TOML, if a key is unknown, given twice or of the wrong
    /// type, or if [`check`](Self::check) finds a fault. All faults with their lines, except that a
    /// text that is not TOML is not looked into further.
    pub fn from_toml(text: &str, name: &str) -> Result<File, SettingsError> {
        if text.len() > MOST_BYTES {
            return Err(unreadable(name, "at most 256 KiB"));
        }
        let mut faults = Faults::default();
        let mut file = File::default();
        if let Some(document) = Document::parse(text, name, &mut faults) {
            read(&document.given, NAMES, &mut file.settings, &mut faults);
            file.businesses = businesses(document.businesses, &mut faults);
        }
        faults.none_or(file)
    }

    /// Reads the file at `path`.
    ///
    /// Blocks on the file system: call it before the runtime starts, or from a blocking thread.
    ///
    /// # Errors
    ///
    /// If there is no regular file at `path`, or it cannot be read, is empty, longer than 256 KiB or not
    /// UTF-8, or as [`from_toml`](Self::from_toml). An empty file is a fault because it is what a
    /// writer leaves that was stopped half-way.
    pub fn load(path: impl AsRef<Path>) -> Result<File, SettingsError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        Self::from_toml(&contents(path, &name)?, &name)
    }
}

/// Returns the text of a file of settings.
pub(super) fn contents(path: &Path, name: &str) -> Result<String, SettingsError> {
    let because = |error| unreadable(name, format!("a readable file: {error}"));
    // Looked at before it is opened: opening a pipe would wait for its writer.
    if !fs::metadata(path).map_err(because)?.is_file() {
        return Err(unreadable(name, "a regular file"));
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(because)?;
    // One byte more than allowed tells too long from just fitting.
    let limit = u64::try_from(MOST_BYTES + 1).unwrap_or(u64::MAX);
    file.take(limit).read_to_end(&mut bytes).map_err(because)?;
    if bytes.len() > MOST_BYTES {
        return Err(unreadable(name, "at most 256 KiB"));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        unreadable(name, format!("UTF-8, which byte {valid} is not"))
    })?;
    if text.trim().is_empty() {
        return Err(unreadable(name, "settings, but it is empty"));
    }
    Ok(text)
}

fn unreadable(name: &str, allowed: impl Into<String>) -> SettingsError {
    Fault::new(allowed).at(name, 0).into()
}

fn businesses(given: Vec<Given>, faults: &mut Faults) -> Vec<(String, u8)> {
    let mut table = Vec::new();
    for given in given {
        let number = |value: &Value| u8::try_from(whole(value.whole()?)?).ok();
        let allowed = || String::from("a whole number, 0 to 255");
        let number = given.read(faults, number, allowed);
        if !is_pattern(&given.key) {
            faults.push(given.fault(format!("as key {PATTERN_ALLOWED}")));
        } else if let Some(number) = number {
            table.push((given.key, number));
        }
    }
    table
}

/// Whether `text` is a pattern of the entry's table, by the rule of that table, which is not there without
/// the feature `http`.
fn is_pattern(text: &str) -> bool {
    let (method, path) = match text.split_once(' ') {
        Some((method, path)) => (Some(method), path),
        None => (None, text),
    };
    let prefix = path.strip_suffix('*').filter(|rest| rest.ends_with('/'));
    let path = prefix.unwrap_or(path);
    let matches = |byte: u8| byte.is_ascii_graphic() && !b"*?#{}".contains(&byte);
    text.len() <= 1_024
        && method.is_none_or(|method| METHODS.contains(&method))
        && path.starts_with('/')
        && path.bytes().all(matches)
}

const METHODS: [&str; 9] = [
    "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH",
];

const PATTERN_ALLOWED: &str = "a path that begins with / and has * nowhere but in /* at its end, or a \
                               method such as GET, a space and such a path";

/// Thousands of routes; and what an attacker could make the parser hold stays small.
const MOST_BYTES: usize = 256 * 1_024;
