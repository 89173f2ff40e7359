//! Files: the scenario's, and those with numbers that lie beside it.

use std::{
    fs,
    io::Read as _,
    path::{Component, Path},
};

use super::{
    builtin,
    document::Value,
    key::{Key, Range},
    mistake::{Mistake, Mistakes},
    section::Section,
};

/// Where the files lie that a scenario refers to.
#[derive(Clone, Copy, Debug)]
pub enum Folder<'a> {
    /// In this folder.
    At(&'a Path),
    /// Among those that come with the binary.
    BuiltIn,
}

impl Folder<'_> {
    fn text(&self, name: &str) -> Result<String, String> {
        match self {
            Self::At(folder) => contents(&folder.join(name), MOST_BYTES_OF_NUMBERS),
            Self::BuiltIn => {
                let text = builtin::trace(name);
                text.map(String::from)
                    .ok_or_else(|| String::from("a file that is built in"))
            }
        }
    }
}

/// Returns the text of a file of at most `most` bytes, or what was expected of it.
pub(super) fn contents(path: &Path, most: usize) -> Result<String, String> {
    let because = |error| format!("a readable file: {error}");
    // Looked at before it is opened: opening a pipe would wait for its writer.
    if !fs::metadata(path).map_err(because)?.is_file() {
        return Err(String::from("a regular file"));
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(because)?;
    // One byte more than allowed tells too long from just fitting.
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    file.take(limit).read_to_end(&mut bytes).map_err(because)?;
    if bytes.len() > most {
        return Err(format!("at most {most} bytes"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        format!("UTF-8, which byte {valid} is not")
    })
}

/// Returns the numbers, one a row, in the file that a key names; puts down every row that is wrong.
///
/// Empty rows and those that begin with `#` are passed over.
pub(super) fn numbers(
    section: &Section<'_>,
    key: &Key,
    folder: Folder<'_>,
    range: Range,
    mistakes: &Mistakes,
) -> Option<Vec<f64>> {
    let name = section.read(key, |value: &Value| {
        value.text().filter(|name| is_beside(name))
    })?;
    let text = match folder.text(name) {
        Ok(text) => text,
        Err(allowed) => {
            section.wrong(key, allowed);
            return None;
        }
    };
    let before = mistakes.count();
    let (_, order) = section.place(key);
    let mut numbers = Vec::new();
    for (row, line) in (1..).zip(text.lines().map(str::trim)) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match line.parse().ok().filter(|number| range.contains(*number)) {
            Some(number) => numbers.push(number),
            None => mistakes.push_with(|| {
                let place = format!("{name}:{row}");
                Mistake::new(&place, order, format!("a number, {range}")).value_is(line)
            }),
        }
    }
    if mistakes.count() > before {
        return None;
    }
    if !(1..=MOST_ROWS).contains(&numbers.len()) {
        section.wrong(key, format!("a file of 1 to {MOST_ROWS} rows"));
        return None;
    }
    Some(numbers)
}

/// Whether a path leads to a file in the folder or one below, on every system and in the binary.
fn is_beside(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    let is_plain = parts.all(|part| matches!(part, Component::Normal(_)));
    let is_visible = path
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    is_plain && is_visible && (1..=200).contains(&path.len())
}

/// A day's worth of requests at ten a second.
const MOST_ROWS: usize = 1_000_000;

/// As many rows as may be, twenty digits each.
const MOST_BYTES_OF_NUMBERS: usize = 20 * MOST_ROWS;
