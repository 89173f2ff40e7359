//! What the program says, and what it does when nobody listens any more.

use std::io::{self, ErrorKind, Write as _};

/// Writes to standard output. That it was closed (`wecom-sim profile | head -1`) is no error.
pub(crate) fn print(text: &str) -> io::Result<()> {
    match tell(text) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Writes to standard output what somebody has to hear.
pub(crate) fn tell(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// Writes a line to standard error; if that is closed there is nobody left to tell.
pub(crate) fn note(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
