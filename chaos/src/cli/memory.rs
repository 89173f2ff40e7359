//! How much memory the process took.

use std::fs;

/// Returns the most memory that was in use so far, in bytes; `None` where the system does not say.
pub(super) fn peak() -> Option<u64> {
    parse(&fs::read_to_string("/proc/self/status").ok()?)
}

/// Finds Linux's "high water mark" of what was resident.
fn parse(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_linux_says() {
        let status = "Name:\tchaos\nVmPeak:\t  999 kB\nVmHWM:\t   12345 kB\nVmRSS:\t 7 kB\n";
        assert_eq!(parse(status), Some(12_345 * 1024));
        assert_eq!(parse("Name:\tchaos\n"), None);
        assert_eq!(peak().is_some(), cfg!(target_os = "linux"));
    }
}
