//! What is said of each act.

use std::io;

use crate::cli::print;

/// Counts what is as it should be, and says it.
#[derive(Debug, Default)]
pub(super) struct Report {
    checks: u32,
    failed: u32,
    /// Why something could not be said, the first time.
    unsaid: Option<io::Error>,
}

// === impl Report ===

impl Report {
    /// Says something. Whoever closed the pipe still gets the exit status.
    pub(super) fn line(&mut self, text: &str) {
        if self.unsaid.is_none() {
            self.unsaid = print(&format!("{text}\n")).err();
        }
    }

    /// Says what was found, and whether it is as it should be.
    pub(super) fn check(&mut self, holds: bool, text: &str) {
        self.checks += 1;
        if !holds {
            self.failed += 1;
        }
        let mark = if holds { "ok  " } else { "FAIL" };
        self.line(&format!("  {mark}  {text}"));
    }

    /// Says how many are, and returns whether all are.
    ///
    /// # Errors
    ///
    /// If something could not be said.
    pub(super) fn end(&mut self) -> io::Result<bool> {
        let Self { checks, failed, .. } = *self;
        match failed {
            0 => self.line(&format!("\nAll {checks} findings are as they should be.")),
            _ => self.line(&format!(
                "\n{failed} of {checks} findings are not as they should be."
            )),
        }
        match self.unsaid.take() {
            None => Ok(failed == 0),
            Some(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failure_fails_all() {
        let mut report = Report::default();
        report.check(true, "a");
        assert!(report.end().unwrap());
        report.check(false, "b");
        report.check(true, "c");
        assert!(!report.end().unwrap());
    }
}
