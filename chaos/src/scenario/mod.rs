//! A scenario: services, calls, load, faults, and what must hold.
//!
//! Times are [`Duration`]s since the start of the run. Everything here is plain data that was checked when it
//! was read: indices are in range, shares are 0 to 1, the graph has no cycle.

mod model;

pub use self::model::*;
