//! The calls, and what they are answered with.
//!
//! A call comes in, is let in by the windows and the concurrency of its IP and its (corp, API), draws its faults, takes
//! its time, and is checked and done in one step at the end of that time. So of two updates under way at once the
//! one that ends last stays, and a caller that goes away does not undo its call.

mod call;
mod checks;
mod contact_way;
mod context;
mod customers;
mod directory;
mod name;
mod parse;
mod plan;
mod query;
mod refusal;
mod reply;
mod tokens;

pub use self::name::Api;
pub(crate) use self::{
    call::{Incoming, answer},
    reply::Reply,
};
