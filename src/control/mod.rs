//! The control law.

mod constants;
pub use constants::{Algorithm, Constants};

/// What a window was judged to be.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Verdict {
    /// Nothing arrived, waited or ran: the level opens.
    Idle,
    /// The mean queuing time was at or below the threshold: the level rises.
    Calm,
    /// The mean queuing time was above the threshold: the level falls.
    Overloaded,
    /// Too few requests for a verdict of overload: the level stays.
    TooFew,
    /// The process itself had stopped: the level stays.
    Paused,
}
