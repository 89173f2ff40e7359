//! What is said of each act.

use crate::cli::print;

/// Counts what is as it should be, and says it.
#[derive(Debug, Default)]
pub(super) struct Report {
    checks: u32,
    failed: u32,
}

// === impl Report ===

impl Report {
    /// Says something.
    #[expect(clippy::unused_self, reason = "nothing is said but in a report")]
    pub(super) fn line(&self, text: &str) {
        // Whoever closed the pipe still gets the exit status.
        let _ = print(&format!("{text}\n"));
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
    pub(super) fn end(&self) -> bool {
        let Self { checks, failed } = self;
        match failed {
            0 => self.line(&format!("\nAll {checks} findings are as they should be.")),
            _ => self.line(&format!(
                "\n{failed} of {checks} findings are not as they should be."
            )),
        }
        *failed == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failure_fails_all() {
        let mut report = Report::default();
        report.check(true, "a");
        assert!(report.end());
        report.check(false, "b");
        report.check(true, "c");
        assert!(!report.end());
    }
}
