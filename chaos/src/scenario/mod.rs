//! A scenario: services, calls, load, faults, and what must hold.
//!
//! Times are [`Duration`]s since the start of the run. Everything here is plain data that was checked when it
//! was read: indices are in range, shares are 0 to 1, the graph has no cycle.

mod capacity;
mod draw;
mod model;
mod order;

pub use self::{
    capacity::{capacity, tasks_capacity, tasks_capacity_of, visits},
    draw::{Weigher, visits_of_draw},
    model::*,
};
