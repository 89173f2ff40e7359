//! What the program says, and what it does when nobody listens any more.

use std::io::{self, ErrorKind, Write as _};

/// Writes to standard output. That its reader went away (`wecom-sim profile | head -1`) is no error.
pub(crate) fn print(text: &str) -> io::Result<()> {
    match tell(text) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Writes to standard output what somebody has to hear.
pub(crate) fn tell(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(text.as_bytes());
    written
        .and_then(|()| stdout.flush())
        .map_err(|error| of_stdout(&error))
}

/// Writes a line to standard error; if that is closed there is nobody left to tell.
pub(crate) fn note(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Says of an error that it is standard output's.
pub(crate) fn of_stdout(error: &io::Error) -> io::Error {
    let told = format!("standard output: {error}");
    io::Error::new(error.kind(), told)
}

/// Whether what is written to standard output is lost without an error: it is the null device. A program that is
/// started with it closed has it there too (the standard library sees to that), so the two cannot be told apart.
#[cfg(unix)]
pub(crate) fn stdout_is_lost() -> bool {
    use std::os::fd::AsFd as _;
    is_null(io::stdout().as_fd())
}

/// The same of standard error.
#[cfg(unix)]
pub(crate) fn stderr_is_lost() -> bool {
    use std::os::fd::AsFd as _;
    is_null(io::stderr().as_fd())
}

#[cfg(unix)]
fn is_null(what: std::os::fd::BorrowedFd<'_>) -> bool {
    use std::{
        fs::{self, File},
        os::unix::fs::{FileTypeExt as _, MetadataExt as _},
    };
    let Ok(file) = what.try_clone_to_owned().map(File::from) else {
        // Closed after all.
        return true;
    };
    match (file.metadata(), fs::metadata("/dev/null")) {
        (Ok(this), Ok(null)) => this.file_type().is_char_device() && this.rdev() == null.rdev(),
        _ => false,
    }
}

/// Elsewhere it is not known.
#[cfg(not(unix))]
pub(crate) fn stdout_is_lost() -> bool {
    false
}

/// Elsewhere it is not known.
#[cfg(not(unix))]
pub(crate) fn stderr_is_lost() -> bool {
    false
}
