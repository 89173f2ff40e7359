//! That the admin interface sets, breaks and inspects everything, tells the app what WeCom would, and says what is wrong
//! with a request.
#![expect(
    clippy::unwrap_used,
    reason = "a test whose parts cannot be made has failed"
)]

mod callbacks;
mod codes;
#[path = "../common/mod.rs"]
mod common;
mod corps;
mod members;
mod named;
mod pages;
mod setup;
mod truth;
mod wrong;
