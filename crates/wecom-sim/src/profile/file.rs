//! Reading a profile's file.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

use crate::given::Faulty;

/// Returns the text of a file.
pub(super) fn text(path: &Path) -> Result<String, Faulty> {
    let name = path.display().to_string();
    let told = |told: String| Faulty::of(Some(&name), None, told);
    let unread = |error: io::Error| told(format!("cannot be read: {error}"));
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unread)?;
    // One more, to tell a file that is too long from one that just fits; a device may have no end.
    let mut file = file.take(LONGEST + 1);
    file.read_to_end(&mut bytes).map_err(unread)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > LONGEST) {
        return Err(told(format!("too long, expected at most {LONGEST} bytes")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        told(format!("not UTF-8 at byte {at}"))
    })
}

/// 30,000 enterprises of 60 members by hand.
const LONGEST: u64 = 256 * 1024 * 1024;
