//! Faults that people who do this job have reported, and that show only when a client and WeCom meet. The names begin
//! with the id of the fault.

#[path = "../support/mod.rs"]
mod support;

mod callbacks;
mod limits;
mod lists;
mod tokens;
