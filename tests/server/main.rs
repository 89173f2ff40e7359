//! The server layer from outside: what is shed and what is not, what every response says, and what
//! happens when settings change. Through the public API; in paused time wherever no socket is needed.
#![cfg(all(feature = "axum", feature = "tonic"))]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up must stop where it is"
)]

#[path = "../support/mod.rs"]
mod support;

mod fields;
mod health;
mod modes;
mod readiness;
mod refusals;
mod windows;
