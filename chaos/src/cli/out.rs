//! What the program says, and what it does when nobody listens any more.

use std::io::{self, ErrorKind, Write as _};

/// What is said of runs in real time: nothing in a report tells a busy machine from a policy that is slow.
pub(crate) const NEEDS_IDLE: &str = "live: figures need an otherwise idle machine";

/// Writes to standard output. That it was closed (`chaos list | head -1`) is no error.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Writes a line to standard error; if that is closed there is nobody left to tell.
pub(crate) fn note(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
