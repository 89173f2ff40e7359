//! Open files: every connection has two ends in this one process.

/// Files that are neither end of a connection, generously.
const OTHERS: u64 = 100;

/// Returns how many connections can be opened, `wanted` if possible, and what to tell the user if not.
pub(crate) fn connections(wanted: usize) -> (usize, Option<String>) {
    let needed = 2 * wanted as u64 + OTHERS;
    let allowed = raise(needed);
    if allowed >= needed {
        return (wanted, None);
    }
    let possible = usize::try_from(allowed.saturating_sub(OTHERS) / 2).unwrap_or(wanted);
    let note = format!("{allowed} open files are allowed, {needed} wanted: {possible} connections");
    (possible.max(1), Some(note))
}

/// Returns how many files may be open, after asking for `needed`.
fn raise(needed: u64) -> u64 {
    // Where nobody can be asked, a connection that fails will tell.
    rlimit::increase_nofile_limit(needed).unwrap_or(needed)
}
