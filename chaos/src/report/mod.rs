//! The page, the data, the table.

pub mod digits;
