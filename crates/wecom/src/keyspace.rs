//! What all keys in a Redis have in common.

use crate::error::Invalid;

/// What keys begin with if nothing else is said.
pub(crate) const PREFIX: &str = "wecom";

/// Returns a prefix of keys, if it can be one. Braces would become the hash tag in place of the corp.
pub(crate) fn prefix(prefix: &str) -> Result<Box<str>, Invalid> {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"-_.:".contains(&b);
    if prefix.is_empty() || prefix.len() > 64 || !prefix.bytes().all(allowed) {
        let wanted = "1 to 64 letters, digits, '-', '_', '.' and ':'";
        return Err(Invalid::new("prefix", prefix, wanted));
    }
    Ok(prefix.into())
}
