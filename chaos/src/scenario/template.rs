//! The file that somebody begins with.

/// A scenario with every key there is, explained: it can be run as it is.
pub const TEMPLATE: &str = include_str!("template.toml");
